package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Keys writes the Z-order keys of points to dst, as long as xs and ys, for AddKeys and
// Small.AppendBlob. It stops at the first point outside the region (0, 0) or without a cell, and
// returns its index; len(dst) if there is none.
func Keys(c *ccbf.Config, dst []uint64, xs, ys []float64) int { return cells.Keys(dst, xs, ys, c.Grid) }

// AddKeys counts one point for each key from Keys.
func AddKeys(b *ccbf.Builder, keys []uint64) error { return hidden.AddKeys(b, keys) }

// AppendBlob appends the BLOB of a builder's sketch. It writes an exact one straight from the
// cells, without a Sketch.
func AppendBlob(b *ccbf.Builder, dst []byte) ([]byte, error) { return hidden.AppendBlob(b, dst) }

// Class returns the class of the categories that a builder has so far.
func Class(b *ccbf.Builder) key.Class { return hidden.Class(b) }

// Differ returns an error that wraps sketch.ErrDiffer and names the first parameter in which two
// configurations differ. It ignores Exact, which says how a sketch is built. Sketches can combine
// even if it returns an error.
func Differ(a, b *ccbf.Config) error { return hidden.Differ(a, b) }

// DenseBytes returns the length of the body with counters.
func DenseBytes(c *ccbf.Config) uint64 { return hidden.DenseBytes(c) }

// MaxSmall is the number of points up to which Small encodes without a Builder.
const MaxSmall = hooks.MaxSmall

// Small encodes sketches with few points, one sketch after the other, and reuses its memory. Call Reset
// first.
type Small struct{ in hooks.Small[ccbf.Config] }

// Reset sets the configuration.
func (m *Small) Reset(c *ccbf.Config) {
	if m.in == nil {
		m.in = hidden.NewSmall()
	}
	m.in.Reset(c)
}

// AppendBlob appends the sketch of keys from Keys, on the grid of the configuration of Reset. The
// bytes equal a Builder's. For more than MaxSmall points it uses one.
func (m *Small) AppendBlob(dst []byte, keys []uint64) []byte { return m.in.AppendBlob(dst, keys) }
