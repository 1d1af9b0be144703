package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Keys computes the Z-order keys of points into dst, as long as xs and ys, for AddKeys and
// Small.AppendBlob. It stops at the first point outside the region (0, 0), or without a cell, and
// returns its index; len(dst) if there is none.
func Keys(c *ccbf.Config, dst []uint64, xs, ys []float64) int { return cells.Keys(dst, xs, ys, c.Grid) }

// AddKeys counts a point in a builder for each of the keys from Keys.
func AddKeys(b *ccbf.Builder, keys []uint64) error { return hooks.Builder(b).AddKeys(keys) }

// AppendBlob appends the BLOB of a builder's sketch. An exact one is written straight from the
// cells, without a Sketch.
func AppendBlob(b *ccbf.Builder, dst []byte) ([]byte, error) { return hooks.Builder(b).AppendBlob(dst) }

// Class is the class of the categories that a builder has so far.
func Class(b *ccbf.Builder) key.Class { return hooks.Builder(b).Class() }

// Differ returns an error that wraps sketch.ErrDiffer and names the first parameter in
// which two configurations differ. Exact may differ: it says how a sketch is built. Sketches with
// more differences can combine.
func Differ(a, b *ccbf.Config) error { return hooks.Config(a).Differ(b) }

// DenseBytes is the length of the body in the dense form.
func DenseBytes(c *ccbf.Config) uint64 { return hooks.Config(c).DenseBytes() }

// MaxSmall is up to how many points Small encodes itself.
const MaxSmall = hooks.MaxSmall

// Small encodes sketches of few points one after the other, in memory of its own. The
// zero value is ready for Reset.
type Small struct{ in hooks.Small }

// Reset makes m one for a configuration.
func (m *Small) Reset(c *ccbf.Config) {
	if m.in == nil {
		m.in = hooks.NewSmall()
	}
	m.in.Reset(c)
}

// AppendBlob appends the sketch of keys from Keys, of the configuration that Reset was called
// with: the bytes are those of a Builder, which it leaves more than MaxSmall points to.
func (m *Small) AppendBlob(dst []byte, keys []uint64) []byte { return m.in.AppendBlob(dst, keys) }
