package counters

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// areaSum is the sum over an area. It calls each, where that is not nil, with every
// reading that the sum is made of.
func (r *Reader) areaSum(a form.Area, category []byte, each func(n uint64)) (uint64, error) {
	if r.byLevels(a.Bounds().Intersect(r.Head.Bounds)) {
		return r.sumLevels(a, category, each)
	}
	sum := uint64(0)
	err := r.sweep(a, cells.Of(category), func(_, _ int64, counts []uint64) bool {
		for _, n := range counts {
			if sum = saturate.Add(sum, n); each != nil {
				each(n)
			}
		}
		return true
	})
	return sum, err
}

// readPartly is the lowest level at which a square that is only partly inside is
// looked up: below, its few cells cost no more than it does.
const readPartly = 2

// smallArea is up to how many cells an area's are looked up one by one: squares
// would take longer then, and from 16 cells on bring sums closer by much.
const smallArea = 8

// byLevels reports whether the sum over an area with these bounds is one of
// squares.
func (r *Reader) byLevels(bounds grid.Rect) bool {
	return r.Levels > 0 && bounds.Count() > smallArea
}

// outline goes down into the squares that the outline of an area crosses, in a sketch with
// levels, from large ones down to cells. What a square holds is never more than its own reading,
// so that
//
//   - a square inside the area is one lookup,
//   - a square that reads 0 ends the descent,
//   - the parts of a square add up to no more than the square reads.
//
// Each keeps a sum an upper bound, and the last two bring it closer.
type outline struct {
	cells.Area
	r     *Reader
	steps uint64 // squares and comparisons so far
	most  uint64 // that are allowed
	// read is what a square reads that is partly inside, and inside what one has that lies in the area,
	// of which in is within bounds: at most bound.
	read   func(level int, at grid.Cell) uint64
	inside func(level int, at grid.Cell, in grid.Rect, bound uint64) uint64
}

// sum is the sum over the area. It stops at as many steps as are allowed.
func (o *outline) sum() (sum uint64) {
	in := o.Bounds().Intersect(o.r.Head.Bounds)
	if in.Empty() {
		return 0
	}
	// The squares that no more than four of cover the area: above the levels of
	// the sketch they are only gone through.
	top := bits.Len64(max(in.Width(), in.Height()) - 1)
	for y := in.MinY >> top; y <= in.MaxY>>top; y++ {
		for x := in.MinX >> top; x <= in.MaxX>>top; x++ {
			sum = saturate.Add(sum, o.square(top, grid.Cell{X: x, Y: y}, ^uint64(0)))
		}
	}
	return sum
}

// square is the sum of the part of a square in the area, at most bound.
func (o *outline) square(level int, at grid.Cell, bound uint64) uint64 {
	r := square(at, level)
	in := r.Intersect(o.r.Head.Bounds)
	if o.steps++; o.steps > o.most || in.Empty() {
		return 0
	}
	if level == 0 {
		if !o.Contains(at) {
			return 0
		}
		return o.inside(level, at, in, bound)
	}
	switch o.Enter(r) {
	case grid.Outside:
		return 0
	case grid.Inside:
		return o.inside(level, at, in, bound)
	}
	defer o.Leave()
	o.steps += uint64(o.Work())
	if level >= readPartly && level <= int(o.r.Levels) {
		if bound = min(bound, o.read(level, at)); bound == 0 {
			return 0
		}
	}
	sum := uint64(0)
	for i := range int64(4) {
		sum = saturate.Add(sum, o.square(level-1, grid.Cell{X: 2*at.X + i&1, Y: 2*at.Y + i>>1}, bound))
	}
	return min(sum, bound)
}

// sumLevels is the sum over an area by squares. It calls each, where that is not nil, with every
// reading that the sum is made of: those of squares inside and of cells. Whether one is taken
// depends on squares above it only.
func (r *Reader) sumLevels(a cells.Area, category []byte, each func(n uint64)) (uint64, error) {
	o := outline{Area: a, r: r, most: r.Head.Limit.Left()}
	o.read = func(level int, at grid.Cell) uint64 { return r.level(level, at, category) }
	o.inside = func(level int, _ grid.Cell, in grid.Rect, bound uint64) uint64 {
		// A square too large to have been counted has the largest that were.
		level = min(level, int(r.Levels))
		in = in.Squares(level)
		if n := in.Count(); n > 1 {
			if o.steps = saturate.Add(o.steps, n); o.steps > o.most {
				return 0
			}
		}
		sum := uint64(0)
		for y := in.MinY; y <= in.MaxY; y++ {
			for x := in.MinX; x <= in.MaxX; x++ {
				n := r.level(level, grid.Cell{X: x, Y: y}, category)
				if sum = saturate.Add(sum, n); each != nil {
					each(n)
				}
			}
		}
		return min(sum, bound)
	}
	return o.sum(), r.Head.Limit.Allow(o.steps)
}

// level reads one square of a level of a dense sketch; level 0 is the cells.
func (r *Reader) level(level int, c grid.Cell, category []byte) uint64 {
	h := &r.hasher
	h.level = r.Base + uint8(level)
	h1, h2 := h.Hash(c, category)
	h.level = r.Base
	return r.Counters.Count(h1, h2)
}
