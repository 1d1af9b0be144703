// Package bridge has functions of package ccbf that databases and pipelines need, but few other
// users. It builds and encodes sketches by keys of cells, many small ones one after the other, and
// intersects any number. It reads heads alone, limits the work of a chunk of rows, and states the
// memory of queries. It builds hash tables for very many lookups, and draws pictures of many
// sketches.
//
// It is not stable: use package ccbf unless you write such a bridge.
package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// hidden holds the functions that package ccbf does not export.
var hidden = hooks.Table.(hooks.Functions[ccbf.View, ccbf.Head, ccbf.Config, ccbf.Sketch, ccbf.Builder])

// ReadHead makes h the head of a BLOB. It reads some hundred bytes of any BLOB. Errors wrap
// sketch.ErrInvalid.
func ReadHead(h *ccbf.Head, blob []byte) error { return hidden.ReadHead(h, blob) }

// LimitAreas bounds all later queries of v together: they may look up ccbf.AreaLimit cells in counters,
// in all sketches that v is reset to. It is for callers that cannot be interrupted between queries.
func LimitAreas(v *ccbf.View) { hidden.LimitAreas(v) }

// KeepCells keeps the cells for which has returns true. The mask may come from elsewhere, for
// example a Bloom filter of cells. Counts of these cells are never below the truth.
//
// An exact sketch stays exact. A tree (nested squares with counts) keeps each whole square that has
// such a cell. Counters keep the counts of such cells. has is called for all cells of the squares
// or within the bounds, at most ccbf.AreaLimit. For counters with categories, the error wraps
// ccbf.ErrNotListed.
func KeepCells(s *ccbf.Sketch, has func(c grid.Cell) bool) error {
	return hidden.KeepCells(s, has)
}

// Keys writes the Z-order keys of the points (xs[i], ys[i]) to dst, for AddKeys and SmallEncoder. All
// three slices are equally long. Keys stops at the first point outside region (0, 0) or without a cell,
// and returns its index. If there is none, it returns len(dst).
func Keys(c *ccbf.Config, dst []uint64, xs, ys []float64) int { return cells.Keys(dst, xs, ys, c.Grid) }

// AddKeys counts one point for each key from Keys.
func AddKeys(b *ccbf.Builder, keys []uint64) error { return hidden.AddKeys(b, keys) }

// AddKey is Builder.Add for a key from Keys.
func AddKey(b *ccbf.Builder, z uint64, category []byte, class key.Class, n uint64) error {
	return b.Add(cells.CellOf(0, 0, z), category, class, n)
}

// AppendBlob appends the BLOB of a builder's sketch. It writes an exact sketch straight from the cells,
// without making a Sketch.
func AppendBlob(b *ccbf.Builder, dst []byte) ([]byte, error) { return hidden.AppendBlob(b, dst) }

// Free gives the memory of a builder's cells to other builders. The builder must not be used again.
func Free(b *ccbf.Builder) { hidden.Free(b) }

// Differ returns an error that wraps sketch.ErrDiffer and names the first parameter in which two
// configurations differ. Sketches can combine even if it returns an error.
func Differ(a, b *ccbf.Config) error { return hidden.Differ(a, b) }

// DenseBytes returns the length of a body with counters of this configuration.
func DenseBytes(c *ccbf.Config) uint64 { return hidden.DenseBytes(c) }

// SmallEncoder returns a function that appends the exact BLOB of a sketch with the points that keys stand for. It
// encodes sketches with few points, one after the other, and reuses its memory. The keys come from Keys. The
// bytes equal those of a Builder. It returns false if there are no keys or the cells do not fit in Bytes: then use
// a Builder. The sketch must be exact, without categories, and not suppressed.
func SmallEncoder(c *ccbf.Config) func(dst []byte, keys []uint64) ([]byte, bool) {
	return hidden.SmallEncoder(c)
}

// Intersector intersects any number of sketches. The result does not depend on their order. Exact
// sketches are intersected cell by cell. Counters are kept as one value per position, because writing
// values as digits would round them up each time. At the end, the cells are intersected with the values.
//
// Trees (nested squares with counts) give the same bytes in any order if each tree was built at once, and
// each intermediate result fits. Otherwise the result can depend on the order: united trees have leaves
// within leaves, and pruning merges squares. The result is never below the truth.
type Intersector = hooks.Intersector[ccbf.View, ccbf.Sketch]

// NewIntersector returns an empty Intersector. A nil budget has no limit.
func NewIntersector(budget ccbf.Budget) Intersector { return hidden.NewIntersector(budget) }

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
	squares, _ := Listed(v, ccbf.Categories{})
	return tree.FitBytes(squares)
}

// PairBytes returns the most memory that combining two sketches takes, in addition to both sketches and
// their ChangeBytes. It is needed for counters as numbers, or for pruning the squares of an exact sketch.
func PairBytes(a, b *ccbf.Sketch) int64 { return hidden.PairBytes(a, b) }

// Listed returns the largest number of cells that View.Cells can list, for any area. It also returns the
// memory that this takes in addition to the View. Both are 0 for counters.
func Listed(v *ccbf.View, of ccbf.Categories) (cells int, bytes int64) {
	if l := hidden.Reader(v).Listing(); l != nil {
		return l.Listed(of)
	}
	return 0, 0
}

// CategoryBytes returns the most memory that View.ListCategories and View.ByCategory take.
func CategoryBytes(v *ccbf.View) int64 {
	if l := hidden.Reader(v).Listing(); l != nil {
		return int64(len(l.Sections)) * categoryBytes
	}
	return 0
}

// categoryBytes is the memory of a ccbf.Category in a list that grows.
const categoryBytes = 2 * 72
