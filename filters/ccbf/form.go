package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Form is how a sketch stores its points. Each form has a file here, exact.go, tree.go and
// counters.go, and a package that answers questions.
type Form uint8

// The forms, by their numbers in a BLOB.
const (
	Exact Form = formExact // the list of its cells
	Dense Form = formDense // counters that cells share; 'dense' in SQL
	Tree  Form = formTree  // how many points lie in squares of cells
)

// String is the form's name in SQL.
func (f Form) String() string {
	switch f {
	case Exact:
		return "exact"
	case Tree:
		return "tree"
	}
	return "dense"
}

// reader is the form of the sketch that v is a view of. It reads the head where v is
// now: views are copied.
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

// sketchForm is a form as a Sketch has it.
type sketchForm interface {
	formState
	editableForm
	// coarsen makes cells of the squares of factor x factor cells.
	coarsen(factor uint64) error
	// fold makes a sketch of it whose body takes f.limit bytes at most.
	fold(f *reduction) error
}

// formState is what the sketch is, and its body.
type formState interface {
	form() Form
	limits() grid.Rect // no cell outside has a count
	additive() bool
	saturated() bool
	memory() int64
	// appendBody appends the body, with what limits are; false where it is longer than
	// limit bytes.
	appendBody(dst []byte, bounds grid.Rect, limit uint64) ([]byte, bool)
}

// editableForm is the points of a cell.
type editableForm interface {
	count(c grid.Cell, category []byte) uint64
	add(c grid.Cell, category []byte, n uint64) error
	// removable is how many points of a cell can be taken out, and remove takes
	// out no more.
	removable(c grid.Cell, category []byte) uint64
	remove(c grid.Cell, category []byte, n uint64) error
	// all is how many points a cell has, for those who move them; ErrNeedsWeight
	// where that is not known.
	all(c grid.Cell, category []byte) (uint64, error)
}

// body is the form that s has.
func (s *Sketch) body() sketchForm {
	s.mustBeMade()
	switch {
	case s.dense != nil:
		return countersSketch{s}
	case s.tree != nil:
		return treeSketch{s}
	}
	return exactSketch{s}
}

// Form is the form that the sketch has. Its BLOB may have another.
func (s *Sketch) Form() Form { return s.body().form() }

// Form is the form of the BLOB.
func (h *Head) Form() Form { return Form(h.form) }
