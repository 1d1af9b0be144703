package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Form is how a sketch stores its points. Each form has a file: exact.go, tree.go,
// counters.go.
type Form uint8

// The forms, by their numbers in a BLOB.
const (
	Exact Form = formExact // the list of its cells
	Dense Form = formDense // counters that cells share
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

// viewed is a form as it stands in a BLOB, which a View asks. Areas and boxes have
// been held against Bounds, categories by CheckCategory. What only one form has to say
// is in interfaces of their own, below.
type viewed interface {
	body
	asked
	pictured
	ranked
	told
}

// body is what is read, for a view or for a sketch of it.
type body interface {
	// reset makes the view one of a body, whose head it has. It reads lengths.
	reset(body []byte) error
	// open copies the body into a sketch that has the head, and checks it meanwhile.
	open(s *Sketch) error
	// addTo adds the body to a builder that has taken the total.
	addTo(b *Builder, total uint64) error
	memory() int64 // bytes that open takes
}

// asked is how often there are points.
type asked interface {
	count(c grid.Cell, category []byte) uint64
	counts(dst []uint64, at []grid.Cell, of Categories)
	sum(a area, of Categories) (uint64, error)
	// estimate is sum and what is known of it, but for the number of cells.
	estimate(a area, of Categories) (Estimate, error)
}

// pictured is counts as a picture.
type pictured interface {
	raster(p *pixels, clip grid.Rect, of Categories) error
	density(p *picture, of Categories) error
}

// ranked is where there are most points.
type ranked interface {
	hotspots(a area, threshold uint64, of Categories, add func(Spot) bool) error
	topK(a area, of Categories, t *topCells) error
}

// told is what there is to know of the sketch.
type told interface {
	error() Error
	unbiased() bool
	info(i *Info)
	describe() string
}

// What one form has, and others need not.
type (
	// checked holds the body against docs/FORMAT.md as far as open does not.
	checked interface{ checkBody() error }
	// askedEach is counts for a category each: of at[i] it is categories[which[i]].
	askedEach interface {
		countEach(dst []uint64, at []grid.Cell, which []uint32, categories [][]byte)
	}
	// estimateCost is the bytes that estimate takes beside the view, errorCost those
	// that error takes.
	estimateCost interface{ estimateBytes() int64 }
	errorCost    interface{ errorBytes() int64 }
	// lists has what is in it as a list.
	lists interface {
		// eachCategory calls f with the categories in the order of their bytes, 0 cells
		// where that is not known.
		eachCategory(f func(category []byte, cells, total uint64))
		// eachCategorySum calls f with the estimate of each category that may have points in an
		// area, but for the number of cells, in the order of their bytes.
		eachCategorySum(a area, of Categories, f func(category []byte, e Estimate))
		// eachCell calls f with the cells of an area, of a tree its leaves, until stop is
		// set; listed is how many these are at most, and the bytes it takes.
		eachCell(a area, of Categories, stop *bool, f func(Spot))
		listed(isBox bool, of Categories) (cells int, bytes int64)
	}
)

var (
	_ checked      = countersView{}
	_ askedEach    = countersView{}
	_ estimateCost = countersView{}
	_ errorCost    = treeView{}
	_ lists        = exactView{}
	_ lists        = treeView{}
)

// in is the form of the sketch that v is a view of.
func (v *View) in() viewed {
	v.mustBeMade()
	switch v.Form() {
	case Dense:
		return countersView{v}
	case Tree:
		return treeView{v}
	}
	return exactView{v}
}

// held is a form as a Sketch has it.
type held interface {
	kept
	changed
	// coarsen makes cells of the squares of factor x factor cells.
	coarsen(factor uint64) error
	// fold makes a sketch of it whose body takes f.limit bytes at most.
	fold(f *folding) error
}

// kept is what the sketch is, and its body.
type kept interface {
	form() Form
	limits() grid.Rect // no cell outside has a count
	additive() bool
	saturated() bool
	memory() int64
	// appendBody appends the body, with what limits are; false where it is longer than
	// limit bytes.
	appendBody(dst []byte, bounds grid.Rect, limit uint64) ([]byte, bool)
}

// changed is the points of a cell.
type changed interface {
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

// in is the form that s has.
func (s *Sketch) in() held {
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
func (s *Sketch) Form() Form { return s.in().form() }

// Form is the form of the BLOB.
func (h *Head) Form() Form { return Form(h.form) }
