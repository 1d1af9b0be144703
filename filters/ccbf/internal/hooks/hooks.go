// Package hooks lets package bridge call what package ccbf does not export. Package ccbf sets Table
// when it is initialized. Its types are type parameters here, because ccbf imports this package.
package hooks

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Table is a Functions of package ccbf's types.
var Table any

// Functions holds functions that package ccbf does not export, so that package bridge can call them. Package
// bridge documents them under the same names.
type Functions[View, Head, Config, Sketch, Builder any] struct {
	// Reader returns the reader of the view's form.
	Reader func(*View) form.Reader
	// Blob returns the memory that the view reads.
	Blob       func(*View) []byte
	LimitAreas func(*View)

	Raster func(v *View, dst []uint64, b orb.Bound, width, height int, of cells.Categories, both func(first, second func() error) error) error

	ReadHead func(*Head, []byte) error

	Differ     func(a, b *Config) error
	DenseBytes func(*Config) uint64

	PairBytes func(a, b *Sketch) int64
	KeepCells func(s *Sketch, has func(c grid.Cell) bool) error

	AddKeys    func(*Builder, []uint64) error
	AppendBlob func(*Builder, []byte) ([]byte, error)
	Free       func(*Builder)

	SmallEncoder   func(*Config) func(dst []byte, keys []uint64) ([]byte, bool)
	NewIntersector func(budget interface{ Grow(delta int64) error }) Intersector[View, Sketch]
}

// Intersector is bridge.Intersector.
type Intersector[View, Sketch any] interface {
	// AddView intersects with a sketch, after verifying its checksum.
	AddView(v *View) error
	// Merge intersects with the sketches of another Intersector, which it does not change.
	Merge(from Intersector[View, Sketch]) error
	// EncodeBytes returns the most memory that Sketch and its BLOB take in addition to the Intersector's.
	EncodeBytes() int64
	// Sketch returns the intersection. A single sketch with counters keeps its values, but its total becomes
	// unknown. Without any sketch it returns nil and an error that wraps sketch.ErrInvalid.
	Sketch() (*Sketch, error)
}
