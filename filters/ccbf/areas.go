package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// BoxSum is the sum of Count over the cells of a rectangle. Exact sketches
// answer for any rectangle, dense ones for up to AreaLimit cells inside
// Bounds.
func (v *View) BoxSum(box grid.Rect, category []byte) (uint64, error) {
	box = box.Intersect(v.Bounds)
	if box.Empty() {
		return 0, nil
	}
	if v.form == formDense {
		return v.denseBoxSum(box, category)
	}
	return v.cells.AreaSum(cells.Box(box), category), nil
}

// PolygonSum is Polygon.Sum of one sketch.
func (v *View) PolygonSum(p orb.MultiPolygon, category []byte) (uint64, error) {
	return NewPolygon(p).Sum(v, category)
}
