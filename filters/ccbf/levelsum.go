package ccbf

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// levelSum sums an area in a dense sketch with levels, from large squares down to
// cells. What a square holds is never more than its own reading, so that
//
//   - a square inside the area is one lookup,
//   - a square that reads 0 ends the descent,
//   - the parts of a square add up to no more than the square reads.
//
// Each keeps the sum an upper bound, and the last two bring it closer.
type levelSum struct {
	v        *View
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
func (v *View) byLevels(bounds grid.Rect) bool {
	return v.Levels > 0 && bounds.Count() > smallArea
}

// sumLevels is the sum over an area. It stops at View.AreaLimit steps.
func (v *View) sumLevels(a cells.Area, category []byte, each func(n uint64)) (uint64, error) {
	q := levelSum{v: v, area: a, category: category, most: v.left(), each: each}
	r := a.Bounds().Intersect(v.Bounds)
	if r.Empty() {
		return 0, nil
	}
	// The squares that no more than four of cover the area: above the levels of
	// the sketch they are only gone through.
	top := bits.Len64(max(r.Width(), r.Height()) - 1)
	sum := uint64(0)
	for y := r.MinY >> top; y <= r.MaxY>>top; y++ {
		for x := r.MinX >> top; x <= r.MaxX>>top; x++ {
			sum = saturate.Add(sum, q.sum(top, x, y, ^uint64(0)))
		}
	}
	return sum, v.allow(q.steps)
}

// level reads one square of a level of a dense sketch; level 0 is the cells.
func (v *View) level(level int, c grid.Cell, category []byte) uint64 {
	h := &v.hasher
	h.level = v.Base + uint8(level)
	h1, h2 := h.hash(c, category)
	h.level = v.Base
	return v.dense.Count(h1, h2)
}

// sum is the sum of the part of a square in the area, at most bound.
func (q *levelSum) sum(level int, x, y int64, bound uint64) uint64 {
	if q.steps++; q.steps > q.most {
		return 0
	}
	r := grid.Rect{MinX: x << level, MinY: y << level, MaxX: (x+1)<<level - 1, MaxY: (y+1)<<level - 1}
	if r.Intersect(q.v.Bounds).Empty() {
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
			if level > int(q.v.Levels) {
				return q.whole(r)
			}
			inside = true
		case grid.Partly:
			defer q.area.Leave()
			q.steps += uint64(q.area.Work())
		}
	}
	if inside || level >= readPartly && level <= int(q.v.Levels) {
		n := q.v.level(level, grid.Cell{X: x, Y: y}, q.category)
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
	level := int(q.v.Levels)
	r = r.Intersect(q.v.Bounds).Squares(level)
	if q.steps = saturate.Add(q.steps, r.Count()); q.steps > q.most {
		return 0
	}
	sum := uint64(0)
	for y := r.MinY; y <= r.MaxY; y++ {
		for x := r.MinX; x <= r.MaxX; x++ {
			n := q.v.level(level, grid.Cell{X: x, Y: y}, q.category)
			if q.each != nil {
				q.each(n)
			}
			sum = saturate.Add(sum, n)
		}
	}
	return sum
}
