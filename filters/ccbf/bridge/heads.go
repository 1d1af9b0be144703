package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// ReadHead makes h the head of a BLOB. It reads some hundred bytes, however many
// there are. The error wraps sketch.ErrInvalid.
func ReadHead(h *ccbf.Head, blob []byte) error { return hooks.Head(h).Reset(blob) }

// Meets reports whether a polygon has cells within the bounds of a sketch: if not, all sums
// over it are 0. O(1).
func Meets(h *ccbf.Head, p *ccbf.Polygon) (bool, error) { return hooks.Head(h).Meets(p) }

// LimitAreas limits all later questions together, whatever sketches v is reset to, to lookups
// of ccbf.AreaLimit cells of dense sketches: for a caller that cannot be interrupted between them.
func LimitAreas(v *ccbf.View) { hooks.View(v).LimitAreas() }

// KeepCells keeps the cells for which has is true: a mask from elsewhere, for example a
// Bloom filter of keys from AppendCellKey. Where has is true, counts are never below
// the truth.
//
// An exact sketch stays exact. A tree keeps the whole squares that have such a cell, and
// counters keep what such cells read: has is asked of all cells of these squares, or within
// the bounds, at most ccbf.AreaLimit. Counters of categories cannot list theirs: the error wraps
// ccbf.ErrNotListed.
func KeepCells(s *ccbf.Sketch, has func(c grid.Cell) bool) error {
	return hooks.Sketch(s).KeepCells(has)
}
