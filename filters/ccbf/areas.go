package ccbf

import (
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
	return v.areaSum(boxArea(box), category), nil
}

// PolygonSum is the sum of Count over the cells whose centres lie inside a
// polygon. Exact sketches answer for any polygon, dense ones for up to
// AreaLimit cells inside Bounds.
func (v *View) PolygonSum(p orb.MultiPolygon, category []byte) (uint64, error) {
	if v.Bounds == noBounds {
		return 0, nil
	}
	if v.form == formExact {
		d, err := v.Grid.Descend(p)
		if err != nil {
			return 0, err
		}
		return v.areaSum(d, category), nil
	}
	scan, err := v.Grid.Scan(p, v.Bounds)
	if err != nil {
		return 0, err
	}
	if scan.Bounds().Empty() {
		return 0, nil
	}
	if v.byQuads(scan.Bounds()) {
		d, err := v.Grid.Descend(p)
		if err != nil {
			return 0, err
		}
		return v.sumQuads(d, category, nil)
	}
	return v.densePolygonSum(scan, category)
}
