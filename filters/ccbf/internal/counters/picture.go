package counters

import (
	"errors"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Density draws the squares that are nearest in size to pixels.
func (r *Reader) Density(p *form.Picture, of cells.Categories) error {
	return of.Each(func(category []byte) error {
		return r.draw(&picture{Picture: p}, category, r.levelOf(p))
	})
}

// DensityWithin is Density with at most most lookups. If the box has more cells, it draws squares by the
// counts of some of their cells, and returns true.
func (r *Reader) DensityWithin(p *form.Picture, of cells.Categories, most uint64) (sampled bool, err error) {
	err = of.Each(func(category []byte) error {
		_, some, err := r.drawWithin(&picture{Picture: p}, category, most/uint64(of.Number()))
		sampled = sampled || some
		return err
	})
	return sampled, err
}

// picture is a form.Picture that is drawn, either of counts or of estimates.
type picture struct {
	*form.Picture
	noise *noise.Cells // computes estimates from counts; nil for a picture of counts.
}

// count returns what is drawn for a count, less what a count of 0 draws.
func (p *picture) count(n uint64) float64 {
	if p.noise != nil {
		return p.noise.Estimate(n) - p.noise.Estimate(0)
	}
	return float64(n)
}

// levelOf returns the level whose squares are nearest in size to pixels.
func (r *Reader) levelOf(p *form.Picture) int {
	return min(squaresFor(r, p.Side()), int(r.Levels))
}

// draw draws the squares of a level.
func (r *Reader) draw(p *picture, category []byte, level int) error {
	of := cells.Of(category)
	return p.Paint(r.Head, level, func(clip grid.Rect, to *form.Painting) error {
		in := form.Box{Box: cells.Box(clip)}
		if r.Levels == 0 {
			return r.sweep(in, of, eachCell(func(at grid.Cell, n uint64) bool {
				to.Spread(at, p.count(n))
				return true
			}))
		}
		s := search{r: r, of: of, visit: each(func(l int, q *squareCount) bool {
			if l == level {
				to.Spread(q.at, p.count(q.least))
			}
			return l > level
		})}
		return s.run(in)
	})
}

// leastReads is the least number of cells of a square that a sample looks up, unless it has fewer. Fewer
// say little about the sum.
const leastReads = 4

// drawWithin draws a category with at most most lookups, and returns how it did.
func (r *Reader) drawWithin(p *picture, category []byte, most uint64) (how readPlan, sampled bool, err error) {
	unit := r.levelOf(p.Picture)
	// With levels, a search also looks up the larger squares, which are a third more. So it may draw half
	// of most.
	if p.SquaresIn(r.Head, unit) <= most/2 {
		return how.at(unit), false, r.draw(p, category, unit)
	}
	if r.Levels > 0 {
		// A search skips the inside of empty squares, so most lookups may suffice. It draws into a copy,
		// because a search that fails has drawn only a part.
		some := *p.Picture
		some.Pixels = make([]float64, len(p.Pixels))
		err := r.Head.Limit.Within(most, func() error { return r.draw(&picture{&some, p.noise}, category, unit) })
		if err == nil {
			for i, n := range some.Pixels {
				p.Pixels[i] += n
			}
			return how.at(unit), false, nil
		}
		if many := new(form.ErrTooManyCells); !errors.As(err, &many) {
			return how, false, err
		}
	}
	level := unit
	for level < 62 && p.SquaresIn(r.Head, level) > most/leastReads {
		level++
	}
	reading := max(leastReads, most/max(p.SquaresIn(r.Head, level), 1))
	n := math.Exp2(float64(2 * (level - unit)))
	how = readPlan{level, n, min(float64(reading), n), true}
	err = p.Paint(r.Head, level, func(clip grid.Rect, to *form.Painting) error {
		s := sampler{r: r, noise: p.noise, category: category, reads: reading, level: uint8(unit)}
		all := clip.Intersect(r.Head.Bounds).Squares(unit)
		squares := clip.Intersect(r.Head.Bounds).Squares(level)
		for y := squares.MinY; y <= squares.MaxY; y++ {
			for x := squares.MinX; x <= squares.MaxX; x++ {
				if n := s.sum(square(grid.Cell{X: x, Y: y}, level-unit).Intersect(all)); n != 0 {
					to.Spread(grid.Cell{X: x, Y: y}, n)
				}
			}
		}
		return nil
	})
	return how, true, err
}

// square returns the cells of a square.
func square(at grid.Cell, level int) grid.Rect {
	return grid.Rect{MinX: at.X << level, MinY: at.Y << level, MaxX: at.X<<level + (1<<level - 1), MaxY: at.Y<<level + (1<<level - 1)}
}

// sampler estimates the sum of the counts of many cells from lookups of some of them.
type sampler struct {
	r        *Reader
	noise    *noise.Cells // for estimates; nil for counts
	category []byte
	// A sum takes at most reads lookups.
	reads   uint64
	level   uint8
	at      [hashBatch]grid.Cell
	counts  [hashBatch]uint64
	lookups lookups
}

// sum estimates the sum over all cells of a rectangle.
func (s *sampler) sum(in grid.Rect) float64 {
	all := in.Count()
	if all == 0 {
		return 0
	}
	reads := min(all, s.reads)
	sum, n := 0.0, 0
	read := func() {
		s.lookups.count(s.counts[:n], s.r, s.level, s.at[:n], cells.Of(s.category))
		for _, c := range s.counts[:n] {
			if s.noise != nil {
				sum += s.noise.Estimate(c)
			} else {
				sum += float64(c)
			}
		}
		n = 0
	}
	// The random numbers depend only on the place of the rectangle, so a repeated query has the same
	// result.
	state := mix(uint64(in.MinX)*0x9e3779b97f4a7c15 ^ uint64(in.MinY)) //nolint:gosec // any bits do
	for i := range reads {
		k := i
		if reads < all {
			// The cells, numbered row by row, are divided into equal parts: as many as reads. Each part
			// provides one random cell.
			state = mix(state + 0x9e3779b97f4a7c15)
			k = uint64((float64(i) + float64(state>>11)/(1<<53)) * float64(all) / float64(reads))
		}
		k = min(k, all-1)
		s.at[n] = grid.Cell{X: in.MinX + int64(k%in.Width()), Y: in.MinY + int64(k/in.Width())}
		if n++; n == len(s.at) {
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
