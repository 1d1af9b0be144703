package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Estimate is an estimate of a sum over an area.
type Estimate struct {
	Value     float64 // what the sum is likely to be
	Low, High uint64  // the sum is between them: always where Certain or Saturated, else with a chance of 95%
	Certain   bool    // the sketch is exact
	Cells     uint64  // whose centres lie inside the area
}

// PolygonEstimate is Polygon.Estimate of one sketch.
func (v *View) PolygonEstimate(p orb.MultiPolygon, category []byte) (Estimate, error) {
	return NewPolygon(p).Estimate(v, category)
}

// Estimate estimates the number of points in the cells of a sketch whose centres lie
// inside the polygon. An exact sketch answers exactly. For a dense one, Sum is too
// high by what cells read above their counts, and Estimate subtracts the mean of that,
// which it derives from the counters ("Spectral Bloom Filters", section 3.1, for the
// least of k counters). It is right on average over the seeds of the hash where
// View.Unbiased says so. Otherwise it is between what is right for maxima and for
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
func (p *Polygon) Estimate(v *View, category []byte) (Estimate, error) {
	return p.estimate(v, only(category))
}

// EstimateOf is Estimate for the points of several categories.
func (p *Polygon) EstimateOf(v *View, categories CategorySet) (Estimate, error) {
	return p.estimate(v, categories.which())
}

func (p *Polygon) estimate(v *View, of which) (Estimate, error) {
	cells, err := p.countCells(v)
	if err != nil {
		return Estimate{}, err
	}
	var e Estimate
	if meets, err := p.Meets(&v.Head); err != nil {
		return Estimate{}, err
	} else if meets && !of.none() {
		if e, err = v.in().estimate(outline{p.on, p}, of); err != nil {
			return Estimate{}, err
		}
	} else {
		e.Certain = v.Form() != Dense || of.none()
	}
	e.Cells = cells
	return e, nil
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
	if err := v.allowRows(scan.Work()); err != nil { // the resolution is what the sketch says
		return 0, err
	}
	p.cells, p.counted = scan.Count(), true
	return p.cells, nil
}
