package udf

import (
	"encoding/binary"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// ccbfSquaresType is a list of squares. Before DuckDB 1.5.2 the geometry is WKB.
var ccbfSquaresType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "geometry", Type: duck.Geometry}, duck.Field{Name: "count", Type: duck.UBigInt}))

const (
	squareBytes = 1 + 4 + 4 + 4 + 5*2*8 // WKB of a polygon with one ring of five corners
	squareRow   = 2*(16+8) + squareBytes
)

// ccbfSquares computes ccbf_squares.
func ccbfSquares(c *call) error {
	return eachListed(c, func(q *question, i int, l listing) error {
		return q.list(i, l, squareRow, func(elements *duck.Result) func(j int, s *ccbf.Spot) {
			geometries, counts := elements.Field(0), duck.Out[uint64](elements.Field(1))
			return func(j int, s *ccbf.Spot) {
				square := squareWKB(q.view.Grid, s)
				geometries.SetBytes(j, square[:])
				counts[j] = s.Count
			}
		})
	})
}

// squareEdges returns the west, south, east and north edge of a cell or leaf.
func squareEdges(g grid.Grid, s *ccbf.Spot) (edges [4]float64) {
	side := int64(1) << s.Level
	for i, cell := range [...]int64{s.Cell.X, s.Cell.Y, s.Cell.X + side, s.Cell.Y + side} {
		edges[i] = min(max(g.Edge(cell), -math.MaxFloat64), math.MaxFloat64)
	}
	return edges
}

// squareCorners is the corners of a square, counterclockwise, and the first again. A corner is two indexes
// of the result of squareEdges, for x and y.
var squareCorners = [...][2]int{{0, 1}, {2, 1}, {2, 3}, {0, 3}, {0, 1}}

// squareWKB returns the square of a cell or leaf as WKB of a polygon.
func squareWKB(g grid.Grid, s *ccbf.Spot) (b [squareBytes]byte) {
	const polygon, rings, corners = 3, 1, uint32(len(squareCorners))
	b[0] = 1 // little-endian
	w := binary.LittleEndian.AppendUint32(b[:1], polygon)
	w = binary.LittleEndian.AppendUint32(w, rings)
	w = binary.LittleEndian.AppendUint32(w, corners)
	edges := squareEdges(g, s)
	for _, corner := range squareCorners {
		w = binary.LittleEndian.AppendUint64(w, math.Float64bits(edges[corner[0]]))
		w = binary.LittleEndian.AppendUint64(w, math.Float64bits(edges[corner[1]]))
	}
	return b
}
