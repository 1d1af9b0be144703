package ccbf

import "github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"

// What sketches take while they are read and written, for those who count it
// before it is allocated.

// Memory is the number of bytes that Sketch takes for the sketch of a view.
func (v *View) Memory() int64 { return v.in().memory() }

// checkBytes is the bytes of what Check decodes: of a tree its leaves, of which a few
// bytes can have very many.
func checkBytes(blob []byte) int64 {
	v, err := NewView(blob)
	if err != nil {
		return 0
	}
	return v.Memory()
}

// ChangeBytes is the most memory, in addition to the sketch and the BLOB, that making a
// BLOB of a changed sketch takes: for pruning a tree. An exact sketch that is not nearly full
// stays exact when some cells are changed or taken away.
func (v *View) ChangeBytes() int64 {
	switch {
	case v.Overflow != ToTree || v.Form() == Exact && uint64(len(v.blob)) < v.Bytes/10*9:
		return 0
	case v.Form() == Tree:
		return fitBytes(v.tree.leaves())
	}
	return fitBytes(int(v.Memory() / cells.RunBytes(1)))
}

// CellBytes is the bytes that the cells or the squares of a sketch take, or its counters.
func (s *Sketch) CellBytes() int64 { return s.in().memory() }

// PairBytes is the most memory that combining two sketches takes, in addition to both
// and their ChangeBytes: for counters as numbers, or for pruning the squares of an exact
// sketch.
func PairBytes(a, b *Sketch) int64 {
	if b.Form() == Dense {
		a, b = b, a
	}
	if a.Form() == Dense {
		n := 16 * int64(a.shape.Size[0])
		if b.Form() == Exact {
			n += int64(a.shape.Bytes()) + a.denseScratch(b.cells.Cells())
		}
		return n
	}
	if b.Form() == Tree {
		a, b = b, a
	}
	if a.Form() == Tree && b.Form() == Exact {
		return fitBytes(b.cells.Cells())
	}
	return 0
}

// EstimateBytes is the most memory that an estimate takes in addition to the view: for
// histograms, two spectra and the roots of unity that make them; 0 for an exact sketch.
func (v *View) EstimateBytes() int64 {
	if e, ok := v.in().(estimateCost); ok {
		return e.estimateBytes()
	}
	return 0
}

// ErrorBytes is the most memory that Error takes in addition to the view: for the
// leaves of a tree.
func (v *View) ErrorBytes() int64 {
	if m, ok := v.in().(errorCost); ok {
		return m.errorBytes()
	}
	return 0
}

// denseScratch is what maximumDense takes beside the counters for a number of
// cells.
func (c *Config) denseScratch(number int) int64 {
	n := int64(0)
	if c.Totals {
		n += cells.RunBytes(number)
	}
	if c.Levels > 0 {
		n += 2 * cells.RunBytes(number) // the squares of a level, and of the one above
	}
	return n
}

// EncodeBytes is the most memory that Sketch and its BLOB take in addition to the
// Intersector's.
func (x *Intersector) EncodeBytes() int64 {
	switch {
	case x.rest != nil:
		return int64(2*x.rest.shape.Bytes() + 8*x.rest.shape.Size[0])
	case x.exact != nil:
		return x.held + int64(x.exact.shape.Bytes())
	}
	return 0
}
