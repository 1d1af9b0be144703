package counters

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// areaSum returns the sum over an area. If each is not nil, it calls each with every count that the sum
// consists of.
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

// readPartly is the lowest level at which squares across the outline are looked up. The few cells of a
// smaller one cost no more.
const readPartly = 2

// smallArea is the most cells of an area that are looked up one by one. For more, squares are faster or
// bring sums much closer.
const smallArea = 8

// byLevels reports whether the sum over an area with these bounds is taken from squares.
func (r *Reader) byLevels(bounds grid.Rect) bool {
	return r.Levels > 0 && bounds.Count() > smallArea
}

// outline sums up an area in a sketch with levels. It goes down from large squares to cells where the
// outline of the area crosses squares. The count of a square is an upper bound of what it holds, so that
//
//   - a square inside the area takes one lookup,
//   - a square of count 0 ends the descent,
//   - the parts of a square add up to no more than its count.
//
// Each keeps a sum an upper bound, and the last two bring it closer.
type outline struct {
	cells.Area
	r     *Reader
	steps uint64 // how many squares and comparisons the sum has taken so far.
	most  uint64 // how many steps are allowed.
	// read returns the count of a square that the outline crosses. inside returns the sum of a square
	// that lies inside the area: in is its part within the bounds. The sum is at most the parameter
	// bound.
	read   func(level int, at grid.Cell) uint64
	inside func(level int, at grid.Cell, in grid.Rect, bound uint64) uint64
}

// sum returns the sum over the area. It stops after as many steps as are allowed.
func (o *outline) sum() (sum uint64) {
	in := o.Bounds().Intersect(o.r.Head.Bounds)
	if in.Empty() {
		return 0
	}
	// The sum starts from squares at least as wide as the longer side of the area: at most four cover the
	// area. They may be larger than any square that the sketch counts.
	top := bits.Len64(max(in.Width(), in.Height()) - 1)
	for y := in.MinY >> top; y <= in.MaxY>>top; y++ {
		for x := in.MinX >> top; x <= in.MaxX>>top; x++ {
			sum = saturate.Add(sum, o.square(top, grid.Cell{X: x, Y: y}, ^uint64(0)))
		}
	}
	return sum
}

// square returns the sum of the part of a square in the area, at most bound.
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

// sumLevels returns the sum over an area by squares. If each is not nil, it calls each with every count
// that the sum consists of: of squares inside and of cells. Whether a square counts depends on the squares
// around it only.
func (r *Reader) sumLevels(a cells.Area, category []byte, each func(n uint64)) (uint64, error) {
	o := outline{Area: a, r: r, most: r.Head.Limit.Left()}
	o.read = func(level int, at grid.Cell) uint64 { return r.level(level, at, category) }
	o.inside = func(level int, _ grid.Cell, in grid.Rect, bound uint64) uint64 {
		// The sketch does not count squares above its largest level. A larger square is divided into
		// squares of that level.
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

// level returns the count of a square of a level. Level 0 is the cells.
func (r *Reader) level(level int, c grid.Cell, category []byte) uint64 {
	h := &r.hasher
	h.level = r.Base + uint8(level)
	h1, h2 := h.Hash(c, category)
	h.level = r.Base
	return r.Counters.Count(h1, h2)
}
