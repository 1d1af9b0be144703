package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Memory that reading and writing sketches takes, for callers that reserve it before it is
// allocated.

// Memory returns how many bytes View.Sketch allocates.
func Memory(v *ccbf.View) int64 { return hidden.Reader(v).Memory() }

// ChangeBytes returns the most memory that it takes to make the BLOB of a changed sketch, in addition to
// the sketch and the BLOB. Pruning a tree (nested squares with counts) needs it. An exact sketch that is
// not nearly full stays exact when some cells change or go.
func ChangeBytes(v *ccbf.View) int64 {
	if v.Overflow != ccbf.ToTree || v.Form() == ccbf.Exact && uint64(len(hidden.Blob(v))) < v.Bytes/10*9 {
		return 0
	}
	if r, ok := hidden.Reader(v).(*tree.Reader); ok {
		return tree.FitBytes(r.Number())
	}
	return tree.FitBytes(int(Memory(v) / cells.Bytes(1)))
}

// CellBytes returns the memory of the cells or squares of a sketch, or of its counters.
func CellBytes(s *ccbf.Sketch) int64 { return hidden.CellBytes(s) }

// PairBytes returns the most memory that combining two sketches takes, in addition to both sketches and
// their ChangeBytes. It is needed for counters as numbers, or for pruning the squares of an exact sketch.
func PairBytes(a, b *ccbf.Sketch) int64 { return hidden.PairBytes(a, b) }

// Listed returns the largest number of cells that View.Cells can list, for any box or any polygon.
// It also returns the memory that this takes in addition to the View. Both are 0 for counters.
func Listed(v *ccbf.View, a ccbf.Area, of ccbf.Categories) (cells int, bytes int64) {
	return hidden.Listed(v, a, of)
}

// EstimateBytes returns the most memory that an estimate takes in addition to the view; 0 for an
// exact sketch. Counters need histograms, two spectra, and the roots of unity of the transforms.
func EstimateBytes(v *ccbf.View) int64 {
	if e, ok := hidden.Reader(v).(form.EstimateCoster); ok {
		return e.EstimateBytes()
	}
	return 0
}

// ErrorBytes returns the most memory that View.Error takes in addition to the view: for the leaves
// of a tree.
func ErrorBytes(v *ccbf.View) int64 {
	if e, ok := hidden.Reader(v).(form.ErrorCoster); ok {
		return e.ErrorBytes()
	}
	return 0
}

// CategoryBytes returns the most memory that View.ListCategories and View.ByCategory take.
func CategoryBytes(v *ccbf.View) int64 {
	if l, ok := hidden.Reader(v).(form.Lister); ok {
		return int64(l.NumberOfSections()) * categoryBytes
	}
	return 0
}

// categoryBytes is the memory of a ccbf.Category in a list that grows.
const categoryBytes = 2 * 72

// CountEach looks up cells[i] in the category categories[which[i]] for all i, and writes the counts
// to dst.
func CountEach(v *ccbf.View, dst []uint64, cells []grid.Cell, which []uint32, categories [][]byte) {
	form.CountEach(hidden.Reader(v), dst, cells, which, categories)
}

// IsOf reports whether v reads exactly the memory of blob, not merely equal bytes elsewhere.
func IsOf(v *ccbf.View, blob []byte) bool {
	of := hidden.Blob(v)
	return len(of) != 0 && len(blob) == len(of) && &blob[0] == &of[0]
}
