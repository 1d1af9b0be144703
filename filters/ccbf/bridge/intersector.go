package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
)

// Intersector intersects any number of sketches. The result does not depend on
// their order: exact ones are intersected cell by cell, dense ones stay as
// values, one per counter, and both meet at the end. Digits in between would
// round values up each time, and so would an early end of exactness.
//
// For trees, the result is the same in any order if each was built at once and the result
// of each step fits: a square that is a leaf of one and lies in leaves of all others has
// the least of their counts. If trees were united, so that leaves lie in leaves, or a
// step has to be pruned, it can depend on the order. It is never below the truth.
type Intersector struct{ in hooks.Intersector }

// NewIntersector returns an Intersector of nothing. A nil budget refuses nothing.
func NewIntersector(budget ccbf.Budget) *Intersector {
	return &Intersector{hooks.NewIntersector(budget)}
}

// AddView intersects with a sketch, after verifying its checksum.
func (x *Intersector) AddView(v *ccbf.View) error { return x.in.AddView(v) }

// Merge intersects with what another Intersector has, which is left unchanged.
func (x *Intersector) Merge(from *Intersector) error { return x.in.Merge(from.in) }

// EncodeBytes is the most memory that Sketch and its BLOB take in addition to the
// Intersector's.
func (x *Intersector) EncodeBytes() int64 { return x.in.EncodeBytes() }

// Sketch makes the sketch of the intersection; nil and an error that wraps
// sketch.ErrInvalid where nothing was added. For a single dense sketch, it has
// that sketch's values, with total unknown.
func (x *Intersector) Sketch() (*ccbf.Sketch, error) {
	s, err := x.in.Sketch()
	return s.(*ccbf.Sketch), err
}
