package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Keys writes the Z-order keys of the points (xs[i], ys[i]) to dst, for AddKeys and Small.AppendBlob. All
// three slices are equally long. Keys stops at the first point outside region (0, 0) or without a cell,
// and returns its index. If there is none, it returns len(dst).
func Keys(c *ccbf.Config, dst []uint64, xs, ys []float64) int { return cells.Keys(dst, xs, ys, c.Grid) }

// AddKeys counts one point for each key from Keys.
func AddKeys(b *ccbf.Builder, keys []uint64) error { return hidden.AddKeys(b, keys) }

// AppendBlob appends the BLOB of a builder's sketch. It writes an exact sketch straight from the cells,
// without making a Sketch.
func AppendBlob(b *ccbf.Builder, dst []byte) ([]byte, error) { return hidden.AppendBlob(b, dst) }

// Class returns the class of the categories that a builder has so far.
func Class(b *ccbf.Builder) key.Class { return hidden.Class(b) }

// Differ returns an error that wraps sketch.ErrDiffer and names the first parameter in which two
// configurations differ. It ignores Exact, which says how a sketch is built. Sketches can combine
// even if it returns an error.
func Differ(a, b *ccbf.Config) error { return hidden.Differ(a, b) }

// DenseBytes returns the length of a body with counters of this configuration.
func DenseBytes(c *ccbf.Config) uint64 { return hidden.DenseBytes(c) }

// MaxSmall is the number of points up to which Small encodes without a Builder.
const MaxSmall = hooks.MaxSmall

// Small encodes sketches with few points, one sketch after the other, and reuses its memory. Call Reset
// first.
type Small struct{ in hooks.Small[ccbf.Config] }

// Reset sets the configuration for the next sketches.
func (m *Small) Reset(c *ccbf.Config) {
	if m.in == nil {
		m.in = hidden.NewSmall()
	}
	m.in.Reset(c)
}

// AppendBlob appends the BLOB of a sketch with the points that keys stand for. The keys come from Keys,
// on the grid of Reset. The bytes equal those of a Builder. Above MaxSmall points, AppendBlob uses a
// Builder.
func (m *Small) AppendBlob(dst []byte, keys []uint64) []byte { return m.in.AppendBlob(dst, keys) }

// Intersector intersects any number of sketches. The result does not depend on their order. Exact
// sketches are intersected cell by cell. Counters are kept as one value per position, because writing
// values as digits would round them up each time. At the end, the cells are intersected with the values.
//
// Trees (nested squares with counts) give the same bytes in any order if each tree was built at once, and
// each intermediate result fits. Otherwise the result can depend on the order: united trees have leaves
// within leaves, and pruning merges squares. The result is never below the truth.
type Intersector struct {
	in hooks.Intersector[ccbf.View, ccbf.Sketch]
}

// NewIntersector returns an empty Intersector. A nil budget has no limit.
func NewIntersector(budget ccbf.Budget) *Intersector {
	return &Intersector{hidden.NewIntersector(budget)}
}

// AddView intersects with a sketch, after verifying its checksum.
func (x *Intersector) AddView(v *ccbf.View) error { return x.in.AddView(v) }

// Merge intersects with the sketches of another Intersector, which it does not change.
func (x *Intersector) Merge(from *Intersector) error { return x.in.Merge(from.in) }

// EncodeBytes returns the most memory that Sketch and its BLOB take in addition to the
// Intersector's.
func (x *Intersector) EncodeBytes() int64 { return x.in.EncodeBytes() }

// Sketch returns the intersection. A single sketch with counters keeps its values, but its total
// becomes unknown. Without any sketch it returns nil and an error that wraps sketch.ErrInvalid.
func (x *Intersector) Sketch() (*ccbf.Sketch, error) { return x.in.Sketch() }
