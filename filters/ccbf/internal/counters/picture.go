package counters

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Density draws the squares that are nearest in size to pixels.
func (r *Reader) Density(p *form.Picture, of cells.Categories) error {
	return of.Each(func(category []byte) error {
		return r.draw(p, asCounted, category, r.levelOf(p))
	})
}

// DensityWithin is Density with at most most lookups. If the box has more cells, it draws squares by the
// counts of some of their cells, and returns true.
func (r *Reader) DensityWithin(p *form.Picture, of cells.Categories, most uint64) (sampled bool, err error) {
	err = of.Each(func(category []byte) error {
		how, err := r.drawWithin(p, asCounted, category, most/uint64(of.Number()))
		sampled = sampled || how.isSample
		return err
	})
	return sampled, err
}

// asCounted is the value of a count in a picture of counts.
func asCounted(n uint64) float64 { return float64(n) }

// levelOf returns the level whose squares are nearest in size to pixels, at most that of the largest squares.
func (r *Reader) levelOf(p *form.Picture) int {
	return min(math.Ilogb(max(p.Side()*math.Sqrt2/r.Head.Grid.Res(), 1)), int(r.Levels))
}

// draw draws the squares of a level, each by the value of its count less that of a count of 0.
func (r *Reader) draw(p *form.Picture, value func(n uint64) float64, category []byte, level int) error {
	none, spread := value(0), p.Spreader(r.Head)
	s := search{r: r, of: cells.Of(category)}
	s.visit = func(l int, q squareCount) bool {
		if l == level {
			spread(corner(q.at, level), level, value(q.least)-none)
		}
		return l > level
	}
	return s.run(form.Box(p.CellsOf(r.Head, level)))
}

// leastReads is the least number of cells of a square that a sample looks up, unless it has fewer. Fewer
// say little about the sum.
const leastReads = 4

// drawWithin draws the values of counts of a category with at most most lookups, and returns how it did.
func (r *Reader) drawWithin(p *form.Picture, value func(n uint64) float64, category []byte, most uint64) (how readPlan, err error) {
	unit := r.levelOf(p)
	// With levels, a search also looks up the larger squares, which are a third more. So it may draw half
	// of most.
	if p.SquaresOf(r.Head, unit).Count() <= most/2 {
		return squaresAt(unit), r.draw(p, value, category, unit)
	}
	if r.Levels > 0 {
		// A search skips the inside of empty squares, so most lookups may suffice. It draws into a copy,
		// because a search that fails has drawn only a part.
		some := p.Blank()
		err := r.Head.Limit.Within(most, func() error { return r.draw(some, value, category, unit) })
		if err == nil {
			for i, n := range some.Pixels {
				p.Pixels[i] += n
			}
			return squaresAt(unit), nil
		}
		if many := new(form.ErrTooManyCells); !errors.As(err, &many) {
			return how, err
		}
	}
	level := unit
	for level < 62 && p.SquaresOf(r.Head, level).Count() > most/leastReads {
		level++
	}
	reading := max(leastReads, most/max(p.SquaresOf(r.Head, level).Count(), 1))
	n := math.Exp2(float64(2 * (level - unit)))
	how = readPlan{level, n, min(float64(reading), n), true}
	var at []grid.Cell
	var counts []uint64
	spread := p.Spreader(r.Head)
	clip := p.CellsOf(r.Head, level).Intersect(r.Head.Bounds)
	all, squares := clip.Squares(unit), clip.Squares(level)
	for q := range squares.Cells() {
		in := square(q, level-unit).Intersect(all)
		at = appendSample(at[:0], in, reading)
		counts = slices.Grow(counts[:0], len(at))[:len(at)]
		r.squares(counts, unit, at, cells.Of(category))
		sum := 0.0
		for _, c := range counts {
			sum += value(c)
		}
		if sum != 0 {
			spread(corner(q, level), level, sum*(float64(in.Count())/float64(len(at))))
		}
	}
	return how, nil
}

// corner returns the south-western cell of a square.
func corner(at grid.Cell, level int) grid.Cell { return grid.Cell{X: at.X << level, Y: at.Y << level} }

// square returns the cells of a square.
func square(at grid.Cell, level int) grid.Rect { return corner(at, level).Square(uint8(level)) }

// appendSample appends most cells of a rectangle, or all if it has no more. The cells, numbered row by row, are
// divided into as many equal parts, and each part provides one random cell. The random numbers depend only on the
// place of the rectangle, so a repeated query has the same result.
func appendSample(dst []grid.Cell, in grid.Rect, most uint64) []grid.Cell {
	all := in.Count()
	n := min(all, most)
	var random rand.PCG
	random.Seed(uint64(in.MinX), uint64(in.MinY)) //nolint:gosec // any bits do
	for i := range n {
		k := i
		if n < all {
			k = uint64((float64(i) + float64(random.Uint64()<<11>>11)/(1<<53)) * float64(all) / float64(n))
		}
		k = min(k, all-1)
		dst = append(dst, grid.Cell{X: in.MinX + int64(k%in.Width()), Y: in.MinY + int64(k/in.Width())})
	}
	return dst
}

// Estimates computes a picture of estimates at several scales. A pixel of a scale is 2 x 2 pixels of the
// scale before. Relative to its points, a large pixel has less noise. So it can exceed the noise even if
// none of its parts does. With levels, large pixels are read from a few large squares, which have even
// less noise.
type Estimates struct{ scales []scale } // by k: a pixel is 2^k x 2^k pixels of the first one

// scale is a picture of all sketches so far at one scale: counts minus the expected noise.
type scale struct {
	form.Picture
	noise []moments // of each pixel
}

// moments are central moments of noise.
type moments struct{ second, third float64 }

// smallest is the least pixels of the shorter side at the last scale.
const smallest = 4

// NewEstimates returns an empty picture of a box.
func NewEstimates(box orb.Bound, width, height int) *Estimates {
	e := &Estimates{}
	x, y := (box.Max[0]-box.Min[0])/float64(width), (box.Max[1]-box.Min[1])/float64(height)
	for k := range max(bits.Len(uint(min(width, height)/smallest)), 1) {
		side := 1 << k
		s := scale{Picture: form.Picture{Width: (width + side - 1) / side, Height: (height + side - 1) / side, Box: box}}
		s.Box.Max[0] = box.Min[0] + float64(s.Width*side)*x
		s.Box.Min[1] = box.Max[1] - float64(s.Height*side)*y
		s.Pixels, s.noise = make([]float64, s.Width*s.Height), make([]moments, s.Width*s.Height)
		e.scales = append(e.scales, s)
	}
	return e
}

// Add adds a sketch with noise n. Each scale takes at most most lookups. A scale that would take more is
// left out. If all would, Add draws a sample and returns true.
func (e *Estimates) Add(r *Reader, n *noise.Model, of cells.Categories, most uint64) (sampled bool, err error) {
	err = of.Each(func(category []byte) error {
		how, err := e.add(r, n, category, most/uint64(of.Number()))
		sampled = sampled || how.isSample
		return err
	})
	return sampled, err
}

// add is Add for one category, or for all points if category is nil. It returns how it drew the last scale.
func (e *Estimates) add(r *Reader, n *noise.Model, category []byte, most uint64) (how readPlan, err error) {
	// last is the first scale with pixels at least as large as the largest squares that the sketch
	// counts. If no scale has such pixels, it is the last scale.
	last := 0
	for last+1 < len(e.scales) && r.levelOf(&e.scales[last].Picture) < int(r.Levels) {
		last++
	}
	p := e.scales[last].Blank()
	if how, err = r.drawWithin(p, n.CellEstimate, category, most); err != nil {
		return how, err
	}
	// A sample subtracted the noise of every cell that it read.
	none := n.CellEstimate(0)
	if how.isSample {
		none = 0
	}
	e.scales[last].add(r, n, p, how, none)
	for k := last + 1; k < len(e.scales); k++ {
		parts := p
		p = e.scales[k].Blank()
		for i, v := range parts.Pixels {
			p.Pixels[around(i, parts.Width, p.Width)] += v
		}
		e.scales[k].add(r, n, p, how, 0)
	}
	for k := last - 1; k >= 0 && !how.isSample; k-- {
		p, level := e.scales[k].Blank(), r.levelOf(&e.scales[k].Picture)
		err := r.Head.Limit.Within(most, func() error { return r.draw(p, n.CellEstimate, category, level) })
		if many := new(form.ErrTooManyCells); errors.As(err, &many) {
			// Finer scales need even more lookups.
			break
		}
		if err != nil {
			return how, err
		}
		e.scales[k].add(r, n, p, squaresAt(level), none)
	}
	return how, nil
}

// around returns the index of the pixel in which pixel i of the scale before lies. Rows have width and partsWidth
// pixels.
func around(i, partsWidth, width int) int { return i/partsWidth/2*width + i%partsWidth/2 }

// Finish adds to dst what exceeds the noise, from single pixels to large ones. A large pixel may exceed
// the noise by more than its drawn parts. Then the rest is spread evenly over its other parts. O(pixels).
func (e *Estimates) Finish(dst []float64) {
	// drawn is a drawn count and its noise.
	type drawn struct {
		count float64
		noise moments
	}
	isDrawn := make([]bool, len(dst))
	var parts []drawn // the pixels of the scale before
	for k := range e.scales {
		s := &e.scales[k]
		now := make([]drawn, len(s.Pixels))
		for i, part := range parts {
			d := &now[around(i, e.scales[k-1].Width, s.Width)]
			d.count += part.count
			d.noise.add(part.noise)
		}
		for i, all := range s.Pixels {
			d := &now[i]
			rest, n := all-d.count, d.noise
			n.add(s.noise[i])
			if rest > noise.Reach(Surest, n.second, n.third) && e.spread(dst, isDrawn, k, i, rest) {
				*d = drawn{all, s.noise[i]}
			}
		}
		parts = now
	}
}

// add adds the moments of independent noise.
func (m *moments) add(o moments) { m.second, m.third = m.second+o.second, m.third+o.third }

// spread spreads a count over the parts of pixel i of scale k that are not drawn; false if all are.
func (e *Estimates) spread(dst []float64, isDrawn []bool, k, i int, n float64) bool {
	first, side, width := &e.scales[0], 1<<k, e.scales[k].Width
	x, y := i%width*side, i/width*side
	var free []int
	for row := y; row < min(y+side, first.Height); row++ {
		for at := row*first.Width + x; at < row*first.Width+min(x+side, first.Width); at++ {
			if !isDrawn[at] {
				free = append(free, at)
			}
		}
	}
	for _, at := range free {
		isDrawn[at] = true
		dst[at] += n / float64(len(free))
	}
	return len(free) > 0
}

// Surest is the number of standard deviations of the noise that a pixel must exceed. Among a million empty
// pixels some tens do.
const Surest = 4

// readPlan says how a picture was computed: from squares of a level. Each square has as many cells as
// cells says, and takes as many lookups as read says. A sample looks up some cells of a square. Without a
// sample, a square takes one lookup.
type readPlan struct {
	level       int
	cells, read float64
	isSample    bool
}

// squaresAt returns the plan of all squares of a level, one lookup each.
func squaresAt(level int) readPlan { return readPlan{level, 1, 1, false} }

// add adds a picture of counts with noise n. From each square it subtracts none, the noise of an empty one. With
// levels, a square is looked up only if the larger ones around it have points. Its noise is lower than what is
// subtracted.
func (s *scale) add(r *Reader, n *noise.Model, p *form.Picture, how readPlan, none float64) {
	side, bounds := r.Head.Grid.Res()*math.Exp2(float64(how.level)), r.Head.Bounds.Squares(how.level)
	x := covered(p.Box.Min[0], p.Box.Max[0], p.Width, side, float64(bounds.MinX), float64(bounds.MaxX+1))
	y := covered(p.Box.Min[1], p.Box.Max[1], p.Height, side, float64(bounds.MinY), float64(bounds.MaxY+1))
	second, third := n.Second*how.cells*how.cells/how.read, n.Third*how.cells*how.cells*how.cells/how.read/how.read
	for j, row := range y {
		for i, column := range x {
			at := (p.Height-1-j)*p.Width + i
			p.Pixels[at] += none * row.squares * column.squares
			s.Pixels[at] += p.Pixels[at]
			s.noise[at].add(moments{second * row.second * column.second, third * row.third * column.third})
		}
	}
}

// cover says how many squares a row or column of pixels covers along its axis. A square may be covered in
// part. second and third are the sums of the second and third powers of the covered fractions.
type cover struct{ squares, second, third float64 }

// covered returns, for each pixel of an axis from low to high, how many squares it covers. A square has
// this side. Only squares from index first to last-1 count.
func covered(low, high float64, pixels int, side, first, last float64) []cover {
	out := make([]cover, pixels)
	pixel := (high - low) / float64(pixels) / side
	for i := range out {
		from := low/side + float64(i)*pixel
		n := max(min(from+pixel, last)-max(from, first), 0)
		out[i] = cover{n, n, n}
		// A pixel smaller than a square mostly lies inside one square.
		if pixel < 1 {
			out[i] = cover{n, n * n, n * n * n}
		}
	}
	return out
}
