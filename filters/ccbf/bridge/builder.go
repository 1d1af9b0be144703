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
