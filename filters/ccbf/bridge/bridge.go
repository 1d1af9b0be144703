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
