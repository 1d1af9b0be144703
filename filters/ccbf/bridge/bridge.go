// Package bridge is what databases and pipelines need of sketches of package ccbf, beside
// what every user does: the memory of a question before it is asked, cells laid out for very
// many questions, pictures of many sketches, categories by a condition, whether an area can
// be meant, and cells as keys of other filters.
package bridge

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// AppendCellKey appends a cell as a key for filters of cells: its resolution and
// coordinates, 24 bytes, so that cells of different resolutions are different keys.
func AppendCellKey(dst []byte, g grid.Grid, c grid.Cell) []byte {
	dst = key.AppendUint64(dst, math.Float64bits(g.Res()))
	return key.AppendCell(dst, c.X, c.Y, 0, nil)
}
