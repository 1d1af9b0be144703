package ccbf

import (
	"fmt"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// ErrTooManyCells says that an area covers more cells than one question may
// look up in a dense sketch.
type ErrTooManyCells struct {
	Cells, Left uint64 // of the area (with levels: steps at least), and what may be asked for: less than Limit after earlier areas
	Limit       uint64 // of one question to this sketch
	Res         float64
	Levels      uint8 // of the sketch
	Bytes       int   // likewise
}

func (e *ErrTooManyCells) Error() string {
	limit, which := e.Limit, ""
	switch {
	case e.Left < e.Limit:
		limit, which = AreaLimit, " for all areas of 2,048 rows in total"
	case e.Limit < AreaLimit:
		which = fmt.Sprintf(" for a sketch of %d bytes", e.Bytes)
	}
	if e.Levels > 0 {
		return fmt.Sprintf("area takes at least %.2g steps at resolution %v with %d levels; the limit is %.2g%s (use a smaller area, or a sketch that is coarser or has more levels)", float64(e.Cells), e.Res, e.Levels, float64(limit), which)
	}
	return fmt.Sprintf("area covers %.2g cells at resolution %v; the limit is %.2g%s (use a smaller area, or a sketch that is coarser or has levels)", float64(e.Cells), e.Res, float64(limit), which)
}

// AreaLimit is the most cells that one question may look up in a dense sketch
// or, with levels, the most steps that it may take, because no question can be
// interrupted. It is less for small sketches.
const AreaLimit = 100_000_000

// The work that one question may make: so much, and so much more for each byte of
// the sketch, of which a lookup takes lookupWork and one for each counter that it
// can read. Bounds, k and layers are what a sketch says of itself, whoever made it;
// bytes it must have. With k = 4 and four layers it is AreaLimit from 435 KiB on,
// and 1.2 million cells of 4 KiB: 0.15 s at most, with what is made of their counts.
const (
	leastWork   = 1 << 23
	workPerByte = 7 << 10
	lookupWork  = 16
	rowWork     = 4
)

// work is how much one question may make.
func (v *View) work() uint64 { return leastWork + workPerByte*uint64(len(v.blob)) }

// areaLimit is the most cells that one question may look up in this sketch.
func (v *View) areaLimit() uint64 {
	return min(AreaLimit, v.work()/uint64(lookupWork+v.shape.K*v.shape.Layers))
}

// left is how many cells a question may look up now.
func (v *View) left() uint64 { return min(v.areaLimit(), AreaLimit-v.covered) }

// LimitAreas limits all later questions together, whatever sketches v is reset
// to, to lookups of AreaLimit cells of dense sketches: for a caller that cannot
// be interrupted between them.
func (v *View) LimitAreas() { v.together, v.covered = true, 0 }

// allow returns an *ErrTooManyCells where a dense sketch may not be asked for n
// cells.
func (v *View) allow(n uint64) error { return v.take(n, v.areaLimit()) }

// allowRows is allow for the crossings of rows and edges where cells are only
// counted, which takes 5 to 10 ns each.
func (v *View) allowRows(n uint64) error { return v.take(n, min(AreaLimit, v.work()/rowWork)) }

// take is allow for a limit.
func (v *View) take(n, limit uint64) error {
	if left := min(limit, AreaLimit-v.covered); n > left {
		return &ErrTooManyCells{Cells: n, Left: left, Limit: limit, Res: v.Grid.Res(), Levels: v.Levels, Bytes: len(v.blob)}
	}
	if v.together {
		v.covered += n
	}
	return nil
}

// areaSum is the sum over an area. It calls each, where that is not nil, with every
// reading that the sum is made of.
func (v countersView) areaSum(a area, category []byte, each func(n uint64)) (uint64, error) {
	if v.byLevels(a.Bounds().Intersect(v.Bounds)) {
		return v.sumLevels(a, category, each)
	}
	scan, err := v.rowsOf(a, 1)
	if err != nil {
		return 0, err
	}
	return v.sumRows(scan, category, each), nil
}

// rowsOf is the rows of an area within bounds, whose cells are asked for so many times.
func (v countersView) rowsOf(a area, times int) (rows, error) {
	scan, err := a.rows(v.Grid, v.Bounds)
	if err != nil {
		return nil, err
	}
	n := scan.Work()
	if n <= v.left() { // rows that may be walked to count their cells
		n = max(n, saturate.Mul(scan.Count(), uint64(times)))
	}
	return scan, v.allow(n)
}

// sumRows is the sum over the cells of rows.
func (v countersView) sumRows(scan rows, category []byte, each func(n uint64)) (sum uint64) {
	s := newSweep(v, Of(category), scan.Bounds())
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

// sumLevels is the sum over an area. It stops at View.areaLimit steps.
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
