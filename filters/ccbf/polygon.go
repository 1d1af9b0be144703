package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Polygon is a polygon for questions to many sketches: its cells on their grid
// are computed once. It is not safe for concurrent use.
type Polygon struct {
	mp   orb.MultiPolygon
	grid grid.Grid     // of the last question
	on   *grid.Descent // nil before the first

	cells   uint64 // of the grid whose centres are inside
	counted bool   // cells is right
}

// NewPolygon keeps mp, which must not change while the Polygon is used. The
// first question reports an invalid polygon, with the errors of grid.Scan.
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

// Meets reports whether the bounding boxes of a sketch and of the polygon share
// a cell: if not, Sum is 0. O(1).
func (p *Polygon) Meets(h *Head) (bool, error) {
	d, err := p.descend(h.Grid)
	return err == nil && !d.Bounds().Intersect(h.Bounds).Empty(), err
}

// Sum is the sum of Count over the cells of a sketch whose centres lie inside
// the polygon. Exact sketches answer for any polygon, dense ones for up to
// AreaLimit cells inside Bounds.
func (p *Polygon) Sum(v *View, category []byte) (uint64, error) { return p.sum(v, only(category)) }

// SumOf is Sum for the points of several categories, all of them in one pass.
func (p *Polygon) SumOf(v *View, categories CategorySet) (uint64, error) {
	return p.sum(v, categories.which())
}

func (p *Polygon) sum(v *View, of which) (uint64, error) {
	if meets, err := p.Meets(&v.Head); !meets || of.none() {
		return 0, err
	}
	return v.in().sum(outline{p.on, p}, of)
}

// outline is a polygon on the grid of a sketch as an area.
type outline struct {
	*grid.Descent
	p *Polygon
}

func (a outline) rows(g grid.Grid, within grid.Rect) (rows, error) { return g.Scan(a.p.mp, within) }
