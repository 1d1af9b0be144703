package ccbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// ErrTooManyCells says that an area covers more cells than a dense sketch may
// be asked for at once.
type ErrTooManyCells struct {
	Cells, Left uint64 // of the area (with levels: steps at least), and what earlier areas left of AreaLimit
	Res         float64
	Levels      uint8 // of the sketch
}

func (e *ErrTooManyCells) Error() string {
	together := ""
	if e.Left < AreaLimit {
		together = " for all areas of 2,048 rows together"
	}
	if e.Levels > 0 {
		return fmt.Sprintf("area takes at least %.2g steps at resolution %v with %d levels; the limit is %.2g%s (use a smaller area, or a sketch that is coarser or has more levels)", float64(e.Cells), e.Res, e.Levels, float64(AreaLimit), together)
	}
	return fmt.Sprintf("area covers %.2g cells at resolution %v; the limit is %.2g%s (use a smaller area, or a sketch that is coarser or has levels)", float64(e.Cells), e.Res, float64(AreaLimit), together)
}

// AreaLimit is the most cells that one question may look up in a dense sketch,
// or with levels the most steps that it may take: no question can be
// interrupted.
const AreaLimit = 100_000_000

// LimitAreas lets the questions from now on, to whatever sketches v is reset
// to, look up no more than AreaLimit cells of dense sketches together: for a
// caller that cannot be interrupted between them either.
func (v *View) LimitAreas() { v.together, v.covered = true, 0 }

// allow returns an *ErrTooManyCells where a dense sketch may not be asked for n
// cells.
func (v *View) allow(n uint64) error {
	if n > AreaLimit-v.covered {
		return &ErrTooManyCells{n, AreaLimit - v.covered, v.Grid.Res(), v.Levels}
	}
	if v.together {
		v.covered += n
	}
	return nil
}

// denseBoxSum is BoxSum of a dense sketch, for a box inside Bounds.
func (v *View) denseBoxSum(box grid.Rect, category []byte) (uint64, error) {
	if v.byQuads(box) {
		return v.sumQuads(boxArea(box), category, nil)
	}
	if err := v.allow(box.Count()); err != nil {
		return 0, err
	}
	sum := uint64(0)
	for y := box.MinY; y <= box.MaxY; y++ {
		sum = saturatingAdd(sum, v.rowSum(y, box.MinX, box.MaxX, category, nil))
	}
	return sum, nil
}

// densePolygonSum is Polygon.sum of a dense sketch.
func (v *View) densePolygonSum(scan *grid.Scanner, category []byte, each func(n uint64)) (uint64, error) {
	n := scan.Work()
	if n <= AreaLimit { // rows that may be walked to count their cells
		n = max(n, scan.Count())
	}
	if err := v.allow(n); err != nil {
		return 0, err
	}
	sum, area := uint64(0), scan.Bounds()
	for y := area.MinY; y <= area.MaxY; y++ {
		for _, in := range scan.Row(y) {
			sum = saturatingAdd(sum, v.rowSum(y, in.X0, in.X1, category, each))
		}
	}
	return sum, nil
}

// rowSum is the sum of Count over one stretch of a dense sketch. It calls each,
// where that is not nil, with every one.
func (v *View) rowSum(y, x0, x1 int64, category []byte, each func(n uint64)) uint64 {
	sum := uint64(0)
	for x := x0; x <= x1; x++ {
		h1, h2 := v.hasher.hash(grid.Cell{X: x, Y: y}, category)
		n := v.dense.count(h1, h2)
		if each != nil {
			each(n)
		}
		sum = saturatingAdd(sum, n)
	}
	return sum
}
