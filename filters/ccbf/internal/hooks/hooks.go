// Package hooks lets package bridge use what package ccbf does not export. Its variables are set by
// package ccbf, which neither imports bridge nor can be imported here. So values of ccbf's types are
// passed as any, always pointers, and bridge has functions with types for them.
package hooks

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

var (
	// View returns the hidden methods of a *ccbf.View.
	View func(v any) ViewMethods
	// Head returns the hidden methods of a *ccbf.Head.
	Head func(h any) HeadMethods
	// Config returns the hidden methods of a *ccbf.Config.
	Config func(c any) ConfigMethods
	// Sketch returns the hidden methods of a *ccbf.Sketch.
	Sketch func(s any) SketchMethods
	// Builder returns the hidden methods of a *ccbf.Builder.
	Builder func(b any) BuilderMethods
	// NewSmall returns an encoder of small sketches.
	NewSmall func() Small
	// NewIntersector returns an intersection of nothing.
	NewIntersector func(budget interface{ Grow(delta int64) error }) Intersector
)

// ViewMethods are described in package bridge, but for two.
type ViewMethods interface {
	// Reader returns the reader of the sketch's form.
	Reader() form.Reader
	// Blob returns the memory that the view reads.
	Blob() []byte
	LimitAreas()
	// Listed takes a *ccbf.Area.
	Listed(area any, of cells.Categories) (cells int, bytes int64)
}

// HeadMethods are described in package bridge.
type HeadMethods interface {
	Reset(blob []byte) error
	// Meets takes a *ccbf.Polygon.
	Meets(polygon any) (bool, error)
}

// ConfigMethods are described in package bridge.
type ConfigMethods interface {
	// Differ takes a *ccbf.Config.
	Differ(from any) error
	DenseBytes() uint64
}

// SketchMethods are described in package bridge.
type SketchMethods interface {
	CellBytes() int64
	// PairBytes takes a *ccbf.Sketch.
	PairBytes(with any) int64
	KeepCells(has func(c grid.Cell) bool) error
}

// BuilderMethods are described in package bridge.
type BuilderMethods interface {
	AddKeys(keys []uint64) error
	AppendBlob(dst []byte) ([]byte, error)
	Class() key.Class
}

// MaxSmall is up to how many points a Small encodes itself.
const MaxSmall = 1 << 9

// Small is bridge.Small.
type Small interface {
	// Reset takes a *ccbf.Config.
	Reset(config any)
	AppendBlob(dst []byte, keys []uint64) []byte
}

// Intersector is bridge.Intersector.
type Intersector interface {
	// AddView takes a *ccbf.View.
	AddView(v any) error
	Merge(from Intersector) error
	EncodeBytes() int64
	// Sketch returns a *ccbf.Sketch.
	Sketch() (any, error)
}
