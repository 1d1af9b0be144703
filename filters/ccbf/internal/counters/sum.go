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
	scan, err := r.rowsOf(a, 1)
	if err != nil {
		return 0, err
	}
	return r.sumRows(scan, category, each), nil
}

// rowsOf is the rows of an area within bounds, whose cells are asked for so many times.
func (r *Reader) rowsOf(a form.Area, times int) (form.Rows, error) {
	scan, err := a.Rows(r.Head.Grid, r.Head.Bounds)
	if err != nil {
		return nil, err
	}
	n := scan.Work()
	if n <= r.Head.Limit.Left() { // rows that may be walked to count their cells
		n = max(n, saturate.Mul(scan.Count(), uint64(times)))
	}
	return scan, r.Head.Limit.Allow(n)
}

// sumRows is the sum over the cells of rows.
func (r *Reader) sumRows(scan form.Rows, category []byte, each func(n uint64)) (sum uint64) {
	s := newSweep(r, cells.Of(category), scan.Bounds())
	s.rows(scan, func(left int) bool {
		if each != nil {
			for range left {
				each(0)
			}
		}
		if s.enough() {
			sum = s.sum(sum, each)
		}
		return true
	})
	return s.sum(sum, each)
}

// levelSum sums an area in a dense sketch with levels, from large squares down to
// cells. What a square holds is never more than its own reading, so that
//
//   - a square inside the area is one lookup,
//   - a square that reads 0 ends the descent,
//   - the parts of a square add up to no more than the square reads.
//
// Each keeps the sum an upper bound, and the last two bring it closer.
type levelSum struct {
	r        *Reader
	area     cells.Area
	category []byte
	steps    uint64 // squares and comparisons so far
	most     uint64 // that are allowed
	// each is called with every reading that the sum is made of: those of squares
	// inside and of cells. Whether one is taken depends on squares above it only.
	each func(n uint64)
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

// sumLevels is the sum over an area. It stops at as many steps as the limit allows.
func (r *Reader) sumLevels(a cells.Area, category []byte, each func(n uint64)) (uint64, error) {
	q := levelSum{r: r, area: a, category: category, most: r.Head.Limit.Left(), each: each}
	in := a.Bounds().Intersect(r.Head.Bounds)
	if in.Empty() {
		return 0, nil
	}
	// The squares that no more than four of cover the area: above the levels of
	// the sketch they are only gone through.
	top := bits.Len64(max(in.Width(), in.Height()) - 1)
	sum := uint64(0)
	for y := in.MinY >> top; y <= in.MaxY>>top; y++ {
		for x := in.MinX >> top; x <= in.MaxX>>top; x++ {
			sum = saturate.Add(sum, q.sum(top, x, y, ^uint64(0)))
		}
	}
	return sum, r.Head.Limit.Allow(q.steps)
}

// level reads one square of a level of a dense sketch; level 0 is the cells.
func (r *Reader) level(level int, c grid.Cell, category []byte) uint64 {
	h := &r.hasher
	h.level = r.Base + uint8(level)
	h1, h2 := h.Hash(c, category)
	h.level = r.Base
	return r.Counters.Count(h1, h2)
}

// sum is the sum of the part of a square in the area, at most bound.
func (q *levelSum) sum(level int, x, y int64, bound uint64) uint64 {
	if q.steps++; q.steps > q.most {
		return 0
	}
	r := grid.Rect{MinX: x << level, MinY: y << level, MaxX: (x+1)<<level - 1, MaxY: (y+1)<<level - 1}
	if r.Intersect(q.r.Head.Bounds).Empty() {
		return 0
	}
	inside := false
	if level == 0 {
		if inside = q.area.Contains(grid.Cell{X: x, Y: y}); !inside {
			return 0
		}
	} else {
		switch q.area.Enter(r) {
		case grid.Outside:
			return 0
		case grid.Inside:
			if level > int(q.r.Levels) {
				return q.whole(r)
			}
			inside = true
		case grid.Partly:
			defer q.area.Leave()
			q.steps += uint64(q.area.Work())
		}
	}
	if inside || level >= readPartly && level <= int(q.r.Levels) {
		n := q.r.level(level, grid.Cell{X: x, Y: y}, q.category)
		if inside && q.each != nil {
			q.each(n)
		}
		if bound = min(bound, n); inside || n == 0 {
			return bound
		}
	}
	sum := uint64(0)
	for i := range int64(4) {
		sum = saturate.Add(sum, q.sum(level-1, 2*x+i&1, 2*y+i>>1, bound))
	}
	return min(sum, bound)
}

// whole is the sum of a square inside the area, too large to have been counted,
// by the largest squares that were.
func (q *levelSum) whole(r grid.Rect) uint64 {
	level := int(q.r.Levels)
	r = r.Intersect(q.r.Head.Bounds).Squares(level)
	if q.steps = saturate.Add(q.steps, r.Count()); q.steps > q.most {
		return 0
	}
	sum := uint64(0)
	for y := r.MinY; y <= r.MaxY; y++ {
		for x := r.MinX; x <= r.MaxX; x++ {
			n := q.r.level(level, grid.Cell{X: x, Y: y}, q.category)
			if q.each != nil {
				q.each(n)
			}
			sum = saturate.Add(sum, n)
		}
	}
	return sum
}
