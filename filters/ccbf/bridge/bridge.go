// Package bridge has functions of package ccbf that databases and pipelines need, but few other
// users. It builds and encodes sketches by keys of cells, many small ones one after the other, and
// intersects any number. It reads heads alone, limits the work of a chunk of rows, and states the
// memory of queries. It builds hash tables for very many lookups, and draws pictures of many
// sketches. It reports areas that were probably given with swapped coordinates or in other units.
//
// It is not stable: use package ccbf unless you write such a bridge.
package bridge

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// hidden holds the functions that package ccbf does not export.
var hidden = hooks.Table.(hooks.Functions[ccbf.View, ccbf.Head, ccbf.Config, ccbf.Sketch, ccbf.Builder, ccbf.Area])

// AppendCellKey appends a cell as a key for filters of cells: its resolution and coordinates, 24
// bytes. So cells of different resolutions are different keys.
func AppendCellKey(dst []byte, g grid.Grid, c grid.Cell) []byte {
	dst = key.AppendUint64(dst, math.Float64bits(g.Res()))
	return key.AppendCell(dst, c.X, c.Y, 0, nil)
}

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

// CategoriesWhere returns the keys of a sketch's categories for which is returns true, in order.
// key.CutField reads the fields of STRUCTs. Errors come from View.ListCategories.
func CategoriesWhere(v *ccbf.View, is func(category []byte) bool) ([][]byte, error) {
	list, err := v.ListCategories()
	if err != nil {
		return nil, err
	}
	var keys [][]byte
	for _, c := range list {
		if is(c.Key) {
			keys = append(keys, c.Key)
		}
	}
	return keys, nil
}
