package ccbf

import "github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"

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
func (v *View) Error() Error { return v.in().error() }

// Unbiased reports whether estimates of sums are right on average over the seeds of
// the hash: where counters are sums, or the maxima of exact counts, and are not all
// full. O(counters).
func (v *View) Unbiased() bool { return v.in().unbiased() }

// noise is what is known of the noise of a dense sketch's counters.
func (v *View) noise() *noise.Model {
	if v.model == nil {
		d := v.dense // of its own: v may be reset, or copied
		v.model = noise.New(&d, v.additive(), v.parts)
		if total, known := v.Total(); known {
			v.model.SetTotal(total, v.Levels > 0 || v.Base > 0 || v.Totals)
		}
	}
	return v.model
}

// Info is every parameter of a sketch and what can be read off its body.
type Info struct {
	Exact, Additive, Saturated bool
	Unbiased                   bool    // see View.Unbiased
	Form                       Form    //
	Cells                      uint64  // distinct cells (with their categories), where CellsKnown
	CellsKnown                 bool    // of exact sketches, and of trees that nothing was added to
	Categories                 uint64  // distinct categories; 0 while dense
	Tau                        uint64  // the largest threshold that a tree was pruned by
	Leaves                     uint64  // of a tree
	Fill                       float64 // share of the first layer's counters in use; 0 while exact
	Bytes                      uint64  // of the BLOB
}

// Info describes the sketch. O(counters) where dense.
func (v *View) Info() Info {
	i := Info{Form: v.Form(), Exact: v.IsExact(), Additive: v.additive(), Saturated: v.saturated(), Unbiased: v.Unbiased(), Bytes: uint64(len(v.blob))}
	v.in().info(&i)
	return i
}

// describe says which form the sketch is in, and of an exact one, its cells.
func describe(blob []byte) (string, error) {
	v, err := NewView(blob)
	if err != nil {
		return "", err
	}
	return v.in().describe(), nil
}
