package ccbf

import "github.com/ccbfsql/ccbfsql/filters/sketch"

// Error is what is known of a sketch's error.
type Error struct {
	Exact       bool    // every answer is exact
	Probability float64 // that a Count is above the truth
	Excess      float64 // expected excess of one Count; that of a sum over n cells is n times as much
}

// Error estimates the error from the counters themselves: a Count is too high
// where all k counters of a key hold points of other keys, so with the
// probability that k counters drawn at random are not empty, by the minimum of
// their values in the mean. The estimate is that of mode standard, and an
// upper one for closer modes (cascadecbf.txt, formula 2, measured instead of
// predicted). O(counters).
func (v *View) Error() Error {
	if v.form == formExact {
		return Error{Exact: true}
	}
	g := v.ghosts(0, true)
	excess, _ := g.moments()
	return Error{Probability: g.tail(1), Excess: excess}
}

// Info is every parameter of a sketch and what can be read off its body.
type Info struct {
	Exact, Additive, Saturated bool
	Cells                      uint64  // distinct cells (with their categories); 0 while dense
	Categories                 uint64  // distinct categories; 0 while dense
	Fill                       float64 // share of the first layer's counters in use; 0 while exact
	Bytes                      uint64  // of the BLOB
}

// Info describes the sketch. O(counters) where dense.
func (v *View) Info() Info {
	i := Info{Exact: v.IsExact(), Additive: v.additive(), Saturated: v.saturated(), Bytes: uint64(len(v.blob))}
	if v.form == formDense {
		l, used := &v.dense.layers[0], uint64(0)
		for j := range l.size {
			if l.load(j) != 0 {
				used++
			}
		}
		i.Fill = float64(used) / float64(l.size)
		return i
	}
	for j := range v.sections {
		s := &v.sections[j]
		i.Cells += uint64(s.cells)
		if s.category != nil && (j == 0 || string(v.sections[j-1].category) != string(s.category)) {
			i.Categories++
		}
	}
	return i
}

// describe says which form the sketch is in, and of an exact one, its cells.
func describe(blob []byte) (string, error) {
	var v View
	if err := v.Reset(blob); err != nil {
		return "", err
	}
	if v.form == formDense {
		return "dense, " + sketch.Count(uint64(v.shape.layers), "layer") +
			sketch.Added(v.header.Total, v.header.Flags.Has(sketch.TotalKnown)), nil
	}
	return "exact, " + sketch.Count(v.Info().Cells, "cell"), nil
}
