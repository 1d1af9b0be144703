package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Form is how a sketch stores its points. Each form has an internal package that reads it. In memory, exact
// sketches and trees have squares (squares.go), and the others counters (counters.go).
type Form uint8

// The forms, by their numbers in a BLOB.
const (
	Exact Form = 1 // a sorted list of cells
	Dense Form = 2 // a layered counting Bloom filter; 'dense' in SQL
	Tree  Form = 3 // nested squares of cells, with the number of points in each
)

var formNames = [...]string{"none", Exact: "exact", Dense: "dense", Tree: "tree"}

// String returns the form's name in SQL.
func (f Form) String() string { return sketch.NameOf(formNames[:], "form", f) }

// sums reports whether counts of a form are sums of points. Those of an intersection or a mask are not: their
// total is unknown.
func sums(f Form, m Mode, totalKnown bool) bool {
	return totalKnown && (f != Dense || m == Standard)
}

// reader returns the reader of the sketch's form. It sets the pointer to the head each time,
// because views are copied.
func (v *View) reader() form.Reader {
	v.mustBeMade()
	switch v.Form() {
	case Dense:
		v.counters.Head = &v.head
		return &v.counters
	case Tree:
		v.tree.Head = &v.head
		return &v.tree
	}
	v.exact.Head = &v.head
	return &v.exact
}

// sketchForm has the operations of a Sketch that depend on its form.
type sketchForm interface {
	limits() grid.Rect // no cell outside has a count.
	count(c grid.Cell, category []byte) uint64
	add(c grid.Cell, category []byte, n uint64) error
	// remove removes n points, which the cell has.
	remove(c grid.Cell, category []byte, n uint64) error
	// fold shrinks the sketch so that its body takes at most f.limit bytes.
	fold(f *reduction) error
	// keep keeps the cells for which has returns true.
	keep(has func(c grid.Cell) bool) error
	// appendBody appends the body; bounds are the result of limits. It returns false if the body is
	// longer than limit bytes.
	appendBody(dst []byte, bounds grid.Rect, limit uint64) ([]byte, bool)
}

// body returns the operations of the form of s.
func (s *Sketch) body() sketchForm {
	if s.Form() == Dense {
		return countersSketch{s}
	}
	return squaresSketch{s}
}

// Form returns the form of the sketch in memory. Its BLOB may have another.
func (s *Sketch) Form() Form {
	s.mustBeMade()
	switch {
	case s.dense != nil:
		return Dense
	case s.pruned:
		return Tree
	}
	return Exact
}

// Form returns the form of the BLOB.
func (h *Head) Form() Form { return h.form }
