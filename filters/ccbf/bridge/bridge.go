// Package bridge is what databases and pipelines need of sketches of package ccbf, beside
// what every user does. It builds and encodes sketches by keys of cells, many small ones one after
// the other, and intersects any number. It reads heads alone, limits the work of a chunk, and says
// how much memory a question takes. It lays cells out for very many questions, draws
// pictures of many sketches, and says whether an area can be meant.
//
// It is not stable: use package ccbf unless you write such a bridge.
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
