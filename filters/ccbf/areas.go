package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Area is where a question is about: a rectangle of cells, or a polygon. The zero value is the cell (0, 0).
type Area struct {
	rect    grid.Rect
	polygon *Polygon // nil for the rectangle
}

// Box is a rectangle of cells as an area.
func Box(r grid.Rect) Area { return Area{rect: r} }

// on is the area on a sketch's grid; false where no cell of it can have a count.
func (a Area) on(h *Head) (form.Area, bool, error) {
	if a.polygon == nil {
		r := a.rect.Intersect(h.Bounds)
		return form.Box{Box: cells.Box(r)}, !r.Empty(), nil
	}
	d, err := a.polygon.descend(h.Grid)
	if err != nil {
		return nil, false, err
	}
	return outline{d, a.polygon}, !d.Bounds().Intersect(h.Bounds).Empty(), nil
}

// meets reports whether an area has cells within the bounds of a sketch: if not, all sums
// over it are 0. O(1).
func (h *Head) meets(a Area) (bool, error) {
	h.mustBeMade()
	_, meets, err := a.on(h)
	return meets, err
}

// Sum is the sum of Count over the cells of an area, whose centres lie inside where it is a
// polygon, for points of categories, all of them in one pass. Exact sketches and trees answer for any
// area, dense ones for up to AreaLimit cells inside Bounds.
func (v *View) Sum(a Area, of Categories) (uint64, error) {
	on, meets, err := a.on(&v.Head)
	if err != nil || !meets || of.None() {
		return 0, err
	}
	return v.reader().Sum(on, of)
}

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

// Area is the cells whose centres lie inside the polygon.
func (p *Polygon) Area() Area { return Area{polygon: p} }

// outline is a polygon on the grid of a sketch as an area.
type outline struct {
	*grid.Descent
	p *Polygon
}

// Rows is that of form.Area.
func (a outline) Rows(g grid.Grid, within grid.Rect) (form.Rows, error) {
	return g.Scan(a.p.mp, within)
}

// Error describes the error of a sketch.
type Error struct {
	Exact    bool      // every answer is exact
	Certain  bool      // Most is: of exact sketches, and of trees but after intersect and mask
	Most     uint64    // no count is too high by more, where Certain
	Empty    Overcount // of a cell without points
	Occupied Overcount // of a random cell with points
	// Known says that Occupied is. It is not after an intersection or a mask, and not
	// where the same counters hold squares (levels) or cells with and without their
	// categories (totals).
	Known bool
	// Measured says that Empty and Occupied.Excess are what came out when the cells
	// were pruned, Occupied.Probability apart. It is so of trees, until anything is
	// added or taken away.
	Measured bool
	// Unknown says that nothing is known: some counter is at its ceiling.
	Unknown bool
}

// Overcount is the amount by which a Count is above the truth.
type Overcount struct {
	Probability float64 // that it is
	Excess      float64 // on average
}

// Error reads the error off the counters. A cell without points reads too much if
// all k counters of its key hold points of others, that is, with the probability that k
// counters drawn at random are not empty, and the least of their values on average
// (Laass et al., "CascadeCBF", equation 2, measured instead of predicted). At cells with points
// what others add can be more, as cells with many points reach into the small upper
// layers, or less, in mode mi; it is estimated, within a factor of 1.5 as a rule
// (TestErrorOfCellsWithPoints, and on real data TestErrorsOfRealCells). A sum over cells is too high by the excess of those with points
// and that of the others together. O(counters).
func (v *View) Error() Error {
	e := v.reader().Error()
	return Error{
		Exact: e.Exact, Certain: e.Certain, Most: e.Most, Empty: Overcount(e.Empty), Occupied: Overcount(e.Occupied),
		Known: e.Known, Measured: e.Measured, Unknown: e.Unknown,
	}
}

// unbiased reports whether estimates of sums are right on average over the seeds of
// the hash: where counters are sums, or the maxima of exact counts, and are not all
// full. O(counters).
func (v *View) unbiased() bool { return v.reader().Unbiased() }

// Info is every parameter of a sketch and what can be read off its body.
type Info struct {
	Exact, Additive, Saturated bool
	Unbiased                   bool    // estimates of sums are right on average
	Form                       Form    //
	Cells                      uint64  // distinct cells (with their categories), where CellsKnown
	CellsKnown                 bool    // of exact sketches, and of trees that nothing was added to
	Categories                 uint64  // distinct categories; 0 while dense
	Tau                        uint64  // the largest threshold that a tree was pruned by
	Leaves                     uint64  // of a tree
	AtLeast                    uint64  // the fewest points that a leaf may have, by Suppress; 0 otherwise
	Suppressed                 uint64  // points that Suppress dropped
	Fill                       float64 // share of the first layer's counters in use; 0 while exact
	Bytes                      uint64  // of the BLOB
}

// Info describes the sketch. O(counters) where dense.
func (v *View) Info() Info {
	i := Info{Form: v.Form(), Exact: v.IsExact(), Additive: v.additive(), Saturated: v.saturated(), Unbiased: v.unbiased(), Bytes: uint64(len(v.blob))}
	var in form.Info
	v.reader().Describe(&in)
	i.Cells, i.CellsKnown, i.Categories = in.Cells, in.CellsKnown, in.Categories
	i.Tau, i.Leaves, i.AtLeast, i.Suppressed, i.Fill = in.Tau, in.Leaves, in.AtLeast, in.Suppressed, in.Fill
	return i
}

// describe says which form the sketch is in, and of an exact one, its cells.
func describe(blob []byte) (string, error) {
	v, err := NewView(blob)
	if err != nil {
		return "", err
	}
	return v.reader().String(), nil
}

// Estimate is an estimate of a sum over an area.
type Estimate struct {
	Value     float64 // what the sum is likely to be
	Low, High uint64  // the sum is between them: always where Certain or Saturated, else with a chance of 95%
	Certain   bool    // the sketch is exact
	Cells     uint64  // whose centres lie inside the area
}

// Estimate estimates the number of points in the cells of an area. An exact sketch answers
// exactly. For a dense one, Sum is too
// high by what cells read above their counts, and Estimate subtracts the mean of that,
// which it derives from the counters ("Spectral Bloom Filters", section 3.1, for the
// least of k counters). It is right on average over the seeds of the hash where
// Info.Unbiased says so. Otherwise it is between what is right for maxima and for
// sums, as far as the counters tell (View.Error), without a further promise. It is
// then clamped to the interval.
//
// The interval holds the truth with a chance of at least 95% over the seeds of the
// hash, in all of these cases: where a mean is not known exactly, bounds of it are
// used. High is never above Sum. After an intersection or a mask, which leave no
// trace of the cells' errors, Low is 0. After a saturated last layer nothing is
// certain.
//
// It is limited like Sum, and to polygons of AreaLimit rows of cells. O(counters)
// more than Sum, the first time for a view.
func (v *View) Estimate(a Area, of Categories) (e Estimate, err error) {
	v.mustBeMade()
	n, err := a.count(v)
	if err != nil {
		return Estimate{}, err
	}
	on, meets, err := a.on(&v.Head)
	if err != nil {
		return Estimate{}, err
	}
	e.Certain = v.Form() != Dense || of.None()
	if meets && !of.None() {
		sum, err := v.reader().Estimate(on, of)
		if err != nil {
			return Estimate{}, err
		}
		e = estimateOf(sum)
	}
	e.Cells = n
	return e, nil
}

// estimateOf is an estimate but for the number of cells.
func estimateOf(e form.Estimate) Estimate {
	return Estimate{Value: e.Value, Low: e.Low, High: e.High, Certain: e.Certain}
}

// count is how many cells an area has on the grid of a sketch.
func (a Area) count(v *View) (uint64, error) {
	if a.polygon == nil {
		return a.rect.Count(), nil
	}
	return a.polygon.countCells(v)
}

// countCells counts the cells whose centres are inside on the grid of a sketch.
func (p *Polygon) countCells(v *View) (uint64, error) {
	if _, err := p.descend(v.Grid); err != nil || p.counted {
		return p.cells, err
	}
	scan, err := v.Grid.Scan(p.mp, grid.MaxRect())
	if err != nil {
		return 0, err
	}
	if err := v.head.Limit.AllowRows(scan.Work()); err != nil { // the resolution is what the sketch says
		return 0, err
	}
	p.cells, p.counted = scan.Count(), true
	return p.cells, nil
}
