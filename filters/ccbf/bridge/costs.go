package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// What sketches take while they are read and written, for those who count it
// before it is allocated.

// Memory is the number of bytes that View.Sketch takes.
func Memory(v *ccbf.View) int64 { return hooks.View(v).Reader().Memory() }

// ChangeBytes is the most memory, in addition to the sketch and the BLOB, that making a
// BLOB of a changed sketch takes: for pruning a tree. An exact sketch that is not nearly full
// stays exact when some cells are changed or taken away.
func ChangeBytes(v *ccbf.View) int64 {
	if v.Overflow != ccbf.ToTree || v.Form() == ccbf.Exact && uint64(len(hooks.View(v).Blob())) < v.Bytes/10*9 {
		return 0
	}
	if r, ok := hooks.View(v).Reader().(*tree.Reader); ok {
		return tree.FitBytes(r.Leaves())
	}
	return tree.FitBytes(int(Memory(v) / cells.RunBytes(1)))
}

// CellBytes is the bytes that the cells or the squares of a sketch take, or its counters.
func CellBytes(s *ccbf.Sketch) int64 { return hooks.Sketch(s).CellBytes() }

// PairBytes is the most memory that combining two sketches takes, in addition to both
// and their ChangeBytes: for counters as numbers, or for pruning the squares of an exact
// sketch.
func PairBytes(a, b *ccbf.Sketch) int64 { return hooks.Sketch(a).PairBytes(b) }

// Listed is the most cells that View.Cells returns for any area of one kind, and the memory that
// this takes in addition to the View; 0 for counters.
func Listed(v *ccbf.View, a ccbf.Area, of ccbf.Categories) (cells int, bytes int64) {
	return hooks.View(v).Listed(&a, of)
}

// EstimateBytes is the most memory that an estimate takes in addition to the view: for
// histograms, two spectra and the roots of unity that make them; 0 for an exact sketch.
func EstimateBytes(v *ccbf.View) int64 {
	if e, ok := hooks.View(v).Reader().(form.EstimateCoster); ok {
		return e.EstimateBytes()
	}
	return 0
}

// ErrorBytes is the most memory that View.Error takes in addition to the view: for the
// leaves of a tree.
func ErrorBytes(v *ccbf.View) int64 {
	if e, ok := hooks.View(v).Reader().(form.ErrorCoster); ok {
		return e.ErrorBytes()
	}
	return 0
}

// CategoryBytes is the bytes that View.ListCategories takes, and View.ByCategory at most.
func CategoryBytes(v *ccbf.View) int64 {
	if l, ok := hooks.View(v).Reader().(form.Lister); ok {
		return int64(l.Sections()) * categoryBytes
	}
	return 0
}

// categoryBytes is those of a ccbf.Category, in a list that grows.
const categoryBytes = 2 * 72

// CountEach is View.Counts with a category for each cell: that of cells[i] is
// categories[which[i]].
func CountEach(v *ccbf.View, dst []uint64, cells []grid.Cell, which []uint32, categories [][]byte) {
	form.CountEach(hooks.View(v).Reader(), dst, cells, which, categories)
}

// IsOf reports whether v is a view of this memory, not merely of the same contents.
func IsOf(v *ccbf.View, blob []byte) bool {
	of := hooks.View(v).Blob()
	return len(of) != 0 && len(blob) == len(of) && &blob[0] == &of[0]
}
