package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// area is what a sum is over: a box or a polygon.
type area interface {
	cells.Area
	// rows is the area row by row, within a rectangle.
	rows(g grid.Grid, within grid.Rect) (rows, error)
}

// rows is an area as the stretches of its rows.
type rows interface {
	Bounds() grid.Rect
	Work() uint64  // crossings of rows and edges
	Count() uint64 // cells
	Row(y int64) []grid.Interval
}

// box is a rectangle as an area.
type box struct{ cells.Box }

func (b box) rows(_ grid.Grid, within grid.Rect) (rows, error) {
	r := grid.Rect(b.Box).Intersect(within)
	return &boxRows{r, [1]grid.Interval{{X0: r.MinX, X1: r.MaxX}}}, nil
}

// boxRows is a rectangle row by row.
type boxRows struct {
	rect grid.Rect
	row  [1]grid.Interval
}

func (b *boxRows) Bounds() grid.Rect         { return b.rect }
func (b *boxRows) Work() uint64              { return 0 }
func (b *boxRows) Count() uint64             { return b.rect.Count() }
func (b *boxRows) Row(int64) []grid.Interval { return b.row[:] }

// BoxSum is the sum of Count over the cells of a rectangle. Exact sketches
// answer for any rectangle, dense ones for up to AreaLimit cells inside
// Bounds.
func (v *View) BoxSum(r grid.Rect, category []byte) (uint64, error) {
	return v.boxSum(r, only(category))
}

// BoxSumOf is BoxSum for the points of several categories, all of them in one pass.
func (v *View) BoxSumOf(r grid.Rect, categories CategorySet) (uint64, error) {
	return v.boxSum(r, categories.which())
}

func (v *View) boxSum(r grid.Rect, of which) (uint64, error) {
	r = r.Intersect(v.Bounds)
	if r.Empty() || of.none() {
		return 0, nil
	}
	return v.in().sum(box{cells.Box(r)}, of)
}

// PolygonSum is Polygon.Sum of one sketch.
func (v *View) PolygonSum(p orb.MultiPolygon, category []byte) (uint64, error) {
	return NewPolygon(p).Sum(v, category)
}

// BoxEstimate is Polygon.Estimate of a rectangle, under the limits of BoxSum.
func (v *View) BoxEstimate(r grid.Rect, category []byte) (Estimate, error) {
	return v.boxEstimate(r, only(category))
}

// BoxEstimateOf is BoxEstimate for the points of several categories.
func (v *View) BoxEstimateOf(r grid.Rect, categories CategorySet) (Estimate, error) {
	return v.boxEstimate(r, categories.which())
}

func (v *View) boxEstimate(r grid.Rect, of which) (e Estimate, err error) {
	v.mustBeMade()
	e.Certain = v.Form() != Dense || of.none()
	if in := r.Intersect(v.Bounds); !in.Empty() && !of.none() {
		if e, err = v.in().estimate(box{cells.Box(in)}, of); err != nil {
			return Estimate{}, err
		}
	}
	e.Cells = r.Count()
	return e, nil
}
