package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// ReadHead makes h the head of a BLOB. It reads some hundred bytes of any BLOB. Errors wrap
// sketch.ErrInvalid.
func ReadHead(h *ccbf.Head, blob []byte) error { return hidden.ReadHead(h, blob) }

// Meets reports whether polygon p may have cells within the bounds of a sketch. If it returns false, all
// sums over p are 0. O(1).
func Meets(h *ccbf.Head, p *ccbf.Polygon) (bool, error) { return hidden.Meets(h, p.Area()) }

// LimitAreas bounds all later queries of v together: they may look up ccbf.AreaLimit cells in counters,
// in all sketches that v is reset to. It is for callers that cannot be interrupted between queries.
func LimitAreas(v *ccbf.View) { hidden.LimitAreas(v) }

// KeepCells keeps the cells for which has returns true. The mask may come from elsewhere, for
// example a Bloom filter of keys from AppendCellKey. Counts of these cells are never below the
// truth.
//
// An exact sketch stays exact. A tree (nested squares with counts) keeps each whole square that has
// such a cell. Counters keep the counts of such cells. has is called for all cells of the squares
// or within the bounds, at most ccbf.AreaLimit. For counters with categories, the error wraps
// ccbf.ErrNotListed.
func KeepCells(s *ccbf.Sketch, has func(c grid.Cell) bool) error {
	return hidden.KeepCells(s, has)
}
