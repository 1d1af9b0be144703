package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
)

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
