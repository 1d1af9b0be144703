package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// Area is the area of a query: a rectangle of cells, or a polygon. The zero value is the cell (0,
// 0).
type Area struct {
	rect    grid.Rect
	polygon *Polygon // nil for a rectangle
}

// Box returns a rectangle of cells as an area.
func Box(r grid.Rect) Area { return Area{rect: r} }

// on returns area a on the grid of a sketch. It returns nil if no cell of a can have a count of the
// categories.
func (a Area) on(v *View, of Categories) (form.Area, error) {
	var on form.Area = form.Box(a.rect)
	if a.polygon != nil {
		d, err := a.polygon.descend(v.Grid)
		if err != nil {
			return nil, err
		}
		on = outline{d, a.polygon}
	}
	if of.None() || on.Bounds().Intersect(v.Bounds).Empty() {
		return nil, nil
	}
	return on, nil
}

// Sum returns the sum of Count over the cells of an area, for points of categories, in one pass. A
// polygon has the cells whose centres lie inside. Exact sketches and trees answer for any area,
// counters for up to AreaLimit cells inside Bounds.
func (v *View) Sum(a Area, of Categories) (uint64, error) {
	on, err := a.on(v, of)
	if on == nil {
		return 0, err
	}
	return v.reader().Sum(on, of)
}

// Polygon is a polygon for queries to many sketches. It finds the polygon's cells once, and again only
// for a sketch with another grid. It is not safe for concurrent use.
type Polygon struct {
	mp   orb.MultiPolygon
	grid grid.Grid     // the grid of the last query.
	on   *grid.Descent // nil before the first query

	scan    *grid.Scanner // walks the cells on the grid to count them; nil before that.
	cells   uint64        // number of cells whose centres are inside
	counted bool          // whether cells has been computed.
}

// NewPolygon keeps mp, which must not change while the Polygon is used. The first query returns the
// error of an invalid polygon, which is one of grid.Scan.
func NewPolygon(mp orb.MultiPolygon) *Polygon { return &Polygon{mp: mp} }

// descend returns polygon p on grid g. It keeps the result for the next query on the same grid.
func (p *Polygon) descend(g grid.Grid) (*grid.Descent, error) {
	if p.on == nil || p.grid != g {
		d, err := g.Descend(p.mp)
		if err != nil {
			return nil, err
		}
		p.grid, p.on, p.scan, p.counted = g, d, nil, false
	}
	return p.on, nil
}

// Area returns the cells whose centres lie inside the polygon.
func (p *Polygon) Area() Area { return Area{polygon: p} }

// outline is a polygon as an area of cells, on the grid of a sketch.
type outline struct {
	*grid.Descent
	p *Polygon
}

// Scan implements form.Area.
func (a outline) Scan(within grid.Rect) (*grid.Scanner, error) { return a.p.grid.Scan(a.p.mp, within) }

// Error describes the error of a sketch's counts.
type Error struct {
	Exact    bool      // every answer is exact.
	Certain  bool      // no count is wrong by more than Most: for exact sketches, and for trees except after Intersect and Mask.
	Most     uint64    // the largest error of a count, if Certain.
	Empty    Overcount // the overcount of a cell without points.
	Occupied Overcount // the overcount of a random cell with points.
	// Known is true if Occupied is known. It is false after an intersection or a mask. It is also false
	// if the same counters hold squares (levels), or cells both with and without their categories
	// (totals).
	Known bool
	// Measured is true if Empty and Occupied.Excess were measured when a tree was pruned. Later additions
	// and removals make it false. Occupied.Probability is never measured.
	Measured bool
	// Unknown is true if the sketch is saturated (Info). Then nothing is known about the error.
	Unknown bool
}

// Overcount describes how far Count is above the truth for a kind of cell.
type Overcount struct {
	Probability float64 // the probability that Count is too high.
	Excess      float64 // the mean of Count less the truth.
}

// Error derives the error from the counters. A cell without points, within the bounds, reads too much if
// all k counters of its key hold points of others. The probability is the one of k random counters in use,
// and the excess is the average of the least of k values. This is equation 2 of Laass et al., "CascadeCBF",
// measured instead of predicted.
//
// The excess at cells with points can be larger, as cells with many points reach into the small
// upper layers. In mode mi it can be smaller. It is estimated, usually within a factor of 1.5
// (TestErrorOfCellsWithPoints, and sql/test/data/errors.test on real data). Where mi sketches of
// parts were united and then folded, the probability was up to 1.9 times too high (cities in 3 to
// 100 parts). A sum over cells is too high by the excess of those with points and of the others
// together. O(counters).
func (v *View) Error() Error {
	e := form.Error{Unknown: true}
	if !v.saturated() {
		e = v.reader().Error()
	}
	return Error{
		Exact: e.Exact, Certain: e.Certain, Most: e.Most, Empty: Overcount(e.Empty), Occupied: Overcount(e.Occupied),
		Known: e.Known, Measured: e.Measured, Unknown: e.Unknown,
	}
}

// Info describes a sketch by its body.
type Info struct {
	Exact, Additive, Saturated bool
	// Unbiased is true if estimates of sums are right on average over the seeds of the hash. This holds if
	// counters are sums, or maxima of exact counts, and not all are full.
	Unbiased   bool
	Form       Form
	Cells      uint64  // number of distinct cells (with their categories), if CellsKnown.
	CellsKnown bool    // true for exact sketches, and for trees until anything is added.
	Categories uint64  // number of distinct categories; 0 for counters.
	Tau        uint64  // the largest threshold with which a tree was pruned.
	Leaves     uint64  // number of leaves of a tree.
	AtLeast    uint64  // after Suppress, the least number of points of a leaf; otherwise 0.
	Suppressed uint64  // number of points that Suppress dropped.
	Fill       float64 // fraction of the first layer's counters that are not 0; 0 while exact.
	Bytes      uint64  // length of the BLOB.
}

// Info describes the sketch. O(counters) for counters.
func (v *View) Info() Info {
	i := Info{Form: v.Form(), Exact: v.IsExact(), Additive: v.additive(), Saturated: v.saturated(), Bytes: uint64(len(v.blob))}
	var in form.Info
	v.reader().Describe(&in)
	i.Unbiased, i.Cells, i.CellsKnown, i.Categories = in.Unbiased, in.Cells, in.CellsKnown, in.Categories
	i.Tau, i.Leaves, i.AtLeast, i.Suppressed, i.Fill = in.Tau, in.Leaves, in.AtLeast, in.Suppressed, in.Fill
	return i
}

// describe returns a few words about the form of a sketch and its size.
func describe(blob []byte) (string, error) {
	v, err := NewView(blob)
	if err != nil {
		return "", err
	}
	return v.reader().String(), nil
}

// Estimate is an estimate of a sum over an area.
type Estimate struct {
	Value     float64 // the likely sum.
	Low, High uint64  // bounds of the sum. They always hold if Certain or Saturated, otherwise with a probability of 95%.
	Certain   bool    // whether the bounds always hold.
	Cells     uint64  // number of cells whose centres lie inside the area; about that for a polygon of very many rows.
}

// Estimate estimates the number of points in the cells of an area. An exact sketch answers exactly.
// For counters, Sum is too high by the excess of its cells, and Estimate subtracts the mean of
// that. It derives the mean from the counters ("Spectral Bloom Filters", section 3.1, for the least
// of k counters). The result is right on average over the seeds of the hash if Info.Unbiased is
// true. Otherwise it is between the results for maxima and for sums, as far as the counters show
// (View.Error), without a further promise. It is then clamped to the interval.
//
// The interval holds the truth with a probability of at least 95% over the seeds of the hash in all
// of these cases. If a mean is not known exactly, bounds of it are used. High is never above Sum.
// After an intersection or a mask, the errors of cells are unknown, and Low is 0. After a saturated
// last layer nothing is certain.
//
// The limits of Sum apply, and AreaLimit rows of cells for a polygon. The first time for a
// view, it takes O(counters) more than Sum.
func (v *View) Estimate(a Area, of Categories) (e Estimate, err error) {
	v.mustBeMade()
	n, err := a.count(v)
	if err != nil {
		return Estimate{}, err
	}
	on, err := a.on(v, of)
	if err != nil {
		return Estimate{}, err
	}
	e.Certain = v.Form() != Dense || of.None()
	if on != nil {
		sum, err := v.reader().Estimate(on, of)
		if err != nil {
			return Estimate{}, err
		}
		e = Estimate(sum)
	}
	e.Cells = n
	return e, nil
}

// count returns how many cells of the sketch's grid lie in area a. If counting them takes too long, it returns
// about how many, by the size of a polygon. Counters need the number, so that is an error for them.
func (a Area) count(v *View) (uint64, error) {
	p := a.polygon
	if p == nil {
		return a.rect.Count(), nil
	}
	if _, err := p.descend(v.Grid); err != nil || p.counted {
		return p.cells, err
	}
	if p.scan == nil {
		var err error
		if p.scan, err = v.Grid.Scan(p.mp, grid.MaxRect()); err != nil {
			return 0, err
		}
	}
	// The sketch may come from anyone: its resolution decides how many rows the scan visits.
	switch err := v.head.Limit.AllowRows(p.scan.Work()); {
	case err == nil:
		p.cells, p.counted = p.scan.Count(), true
		return p.cells, nil
	case v.Form() == Dense:
		return 0, err
	}
	// A hole that is larger than its polygon makes the area negative.
	if n := max(planar.Area(p.mp), 0) / v.Grid.Res() / v.Grid.Res(); n < 1<<63 {
		return uint64(n), nil
	}
	return 1 << 63, nil // or more
}
