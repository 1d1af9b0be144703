package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Polygon is a polygon that many sketches are asked about: what it is on their
// grid is computed once. It is not safe for concurrent use.
type Polygon struct {
	mp   orb.MultiPolygon
	grid grid.Grid     // of the last question
	on   *grid.Descent // nil before the first

	cells   uint64 // of the grid whose centres are inside
	counted bool   // cells is right
}

// NewPolygon keeps mp, which must not change meanwhile. What is wrong with it
// the first question says, with the errors of grid.Scan.
func NewPolygon(mp orb.MultiPolygon) *Polygon { return &Polygon{mp: mp} }

// descend is the polygon on a grid.
func (p *Polygon) descend(g grid.Grid) (*grid.Descent, error) {
	if p.on == nil || p.grid != g {
		d, err := g.Descend(p.mp)
		if err != nil {
			return nil, err
		}
		p.grid, p.on, p.counted = g, d, false
	}
	return p.on, nil
}

// Meets reports whether the bounding box of a sketch holds a cell of that of
// the polygon: where it does not, Sum is 0. O(1).
func (p *Polygon) Meets(h *Head) (bool, error) {
	d, err := p.descend(h.Grid)
	return err == nil && !d.Bounds().Intersect(h.Bounds).Empty(), err
}

// Sum is the sum of Count over the cells of a sketch whose centres lie inside
// the polygon. Exact sketches answer for any polygon, dense ones for up to
// AreaLimit cells inside Bounds.
func (p *Polygon) Sum(v *View, category []byte) (uint64, error) {
	return p.sum(v, category, nil)
}

// sum is Sum. Of a dense sketch it calls each, where that is not nil, with every
// reading that it is made of.
func (p *Polygon) sum(v *View, category []byte, each func(n uint64)) (uint64, error) {
	meets, err := p.Meets(&v.Head)
	switch {
	case !meets:
		return 0, err
	case v.form == formExact:
		return v.cells.AreaSum(p.on, category), nil
	case v.byQuads(p.on.Bounds().Intersect(v.Bounds)):
		return v.sumQuads(p.on, category, each)
	}
	scan, err := v.Grid.Scan(p.mp, v.Bounds)
	if err != nil {
		return 0, err
	}
	return v.densePolygonSum(scan, category, each)
}
