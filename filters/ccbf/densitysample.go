package ccbf

import (
	"errors"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// AddDensityWithin is AddDensity with at most that many lookups of a dense sketch,
// for pictures that must be ready in time: where the box has more cells, squares of
// them are drawn, each from the counts of some cells drawn at random from it, and
// sampled is true. What is drawn is then right on average: a sum of n cells, m of
// them read, is n/m times what these read. Equal boxes give equal pictures.
func (v *View) AddDensityWithin(dst []float64, b orb.Bound, width, height int, category []byte, most uint64) (sampled bool, err error) {
	if err := checkPixels(len(dst), b, width, height); err != nil {
		return false, err
	}
	p := &picture{dst: dst, box: b, width: width, height: height}
	if v.Form() != Dense {
		return false, v.in().density(p, category)
	}
	return countersView{v}.densityWithin(p, category, min(most, v.left()))
}

// leastReads is how many cells of a square are read where it has as many: a square
// from fewer says little of its sum.
const leastReads = 4

// densityWithin is density with at most so many lookups.
func (v countersView) densityWithin(p *picture, category []byte, most uint64) (sampled bool, err error) {
	unit := min(math.Ilogb(max(p.pixel()*math.Sqrt2/v.Grid.Res(), 1)), int(v.Levels))
	whole := v.cellsOf(p, unit)
	if whole <= most/2 { // a search reads a third more, of larger squares
		err := v.density(p, category)
		v.hazed(p, unit)
		return false, err
	}
	if v.Levels > 0 {
		// Squares without points may leave few to read; an error leaves a part drawn.
		some := *p
		some.dst = make([]float64, len(p.dst))
		together, covered := v.together, v.covered
		v.together, v.covered = true, AreaLimit-most
		err := v.density(&some, category)
		v.together, v.covered = together, covered
		if err == nil {
			for i, n := range some.dst {
				p.dst[i] += n
			}
			v.hazed(p, unit)
			return false, nil
		}
		if many := new(ErrTooManyCells); !errors.As(err, &many) {
			return false, err
		}
	}
	level := unit
	for level < 62 && v.cellsOf(p, level) > most/leastReads {
		level++
	}
	reads := max(leastReads, most/max(v.cellsOf(p, level), 1))
	if p.noise != nil {
		cells := math.Exp2(float64(2 * (level - unit)))
		p.haze(v, level, 0, cells, min(float64(reads), cells))
	}
	err = v.paint(p, level, func(clip grid.Rect, to *painting) error {
		s := sampler{v: v, noise: p.noise, unit: unit, category: category, reads: reads, hasher: v.Config.hasher(uint8(unit))}
		cells := clip.Intersect(v.Bounds).Squares(unit)
		squares := clip.Intersect(v.Bounds).Squares(level)
		for y := squares.MinY; y <= squares.MaxY; y++ {
			for x := squares.MinX; x <= squares.MaxX; x++ {
				if n := s.sum(square(grid.Cell{X: x, Y: y}, level-unit).Intersect(cells)); n != 0 {
					to.spread(grid.Cell{X: x, Y: y}, n)
				}
			}
		}
		return nil
	})
	return true, err
}

// hazed is haze for a picture of all squares of a level, where it is one of estimates.
func (v countersView) hazed(p *picture, level int) {
	if p.noise != nil {
		p.haze(v, level, p.noise.Estimate(0), 1, 1)
	}
}

// cellsOf is how many squares of a level the picture shows.
func (v countersView) cellsOf(p *picture, level int) (n uint64) {
	side := v.Grid.Res() * math.Exp2(float64(level))
	b := v.Bounds.Squares(level)
	x := newAxis(p.box.Min[0], p.box.Max[0], p.width, side, b.MinX, b.MaxX)
	y := newAxis(p.box.Min[1], p.box.Max[1], p.height, side, b.MinY, b.MaxY)
	return grid.Rect{MinX: x.first, MinY: y.first, MaxX: x.last, MaxY: y.last}.Count()
}

// square is the cells of a square.
func square(at grid.Cell, level int) grid.Rect {
	return grid.Rect{MinX: at.X << level, MinY: at.Y << level, MaxX: at.X<<level + (1<<level - 1), MaxY: at.Y<<level + (1<<level - 1)}
}

// sampler adds up cells of which it reads some.
type sampler struct {
	v        countersView
	noise    *noise.Cells // for estimates; nil for counts
	unit     int          // level of what is read
	category []byte
	reads    uint64
	hasher   hasher
	h1, h2   [searchBatch]uint64
	counts   [searchBatch]uint64
}

// sum is that of all cells of a rectangle, by those that are read.
func (s *sampler) sum(in grid.Rect) float64 {
	all := in.Count()
	if all == 0 {
		return 0
	}
	reads := min(all, s.reads)
	sum, n := 0.0, 0
	read := func() {
		s.hasher.all(s.h1[:n], s.h2[:n], s.category)
		s.v.dense.Counts(s.counts[:n], s.h1[:n], s.h2[:n])
		for _, c := range s.counts[:n] {
			if s.noise != nil {
				sum += s.noise.Estimate(c)
			} else {
				sum += float64(c)
			}
		}
		n = 0
	}
	// Random numbers that depend on the place alone.
	state := mix(uint64(in.MinX)*0x9e3779b97f4a7c15 ^ uint64(in.MinY)) //nolint:gosec // any bits do
	for i := range reads {
		k := i
		if reads < all {
			// One of each of as many equal parts, row by row.
			state = mix(state + 0x9e3779b97f4a7c15)
			k = uint64((float64(i) + float64(state>>11)/(1<<53)) * float64(all) / float64(reads))
		}
		k = min(k, all-1)
		at := grid.Cell{X: in.MinX + int64(k%in.Width()), Y: in.MinY + int64(k/in.Width())}
		s.h1[n], s.h2[n] = uint64(at.X), uint64(at.Y)
		if n++; n == searchBatch {
			read()
		}
	}
	read()
	return sum * (float64(all) / float64(reads))
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014, figure 15).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
