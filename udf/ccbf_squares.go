package udf

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkb"
)

// ccbfSquaresType is a list of squares. Before DuckDB 1.5.2 the geometry is WKB.
var ccbfSquaresType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "geometry", Type: duck.Geometry}, duck.Field{Name: "count", Type: duck.UBigInt}))

// squareRow is the bytes of an element of the list in DuckDB's memory. An element is a geometry and a count, in
// vectors that grow to twice their size. The geometry is WKB of a polygon with one ring of five corners.
const squareRow = 2*(16+8) + 1 + 4 + 4 + 4 + 5*2*8

// ccbfSquares computes ccbf_squares.
func ccbfSquares(c *call) error {
	var geometry bytes.Buffer
	encoder := wkb.NewEncoder(&geometry)
	encoder.SetByteOrder(binary.LittleEndian)
	return eachListed(c, func(q *question, i int, l listing) error {
		return q.list(i, l, squareRow, func(list *duck.Result, g grid.Grid) func(j int, s *ccbf.Spot) {
			geometries, counts := list.Field(0), duck.Out[uint64](list.Field(1))
			return func(j int, s *ccbf.Spot) {
				geometry.Reset()
				_ = encoder.Encode(orb.Polygon{squareOf(g, s)}) // a buffer has no errors
				geometries.SetBytes(j, geometry.Bytes())
				counts[j] = s.Count
			}
		})
	})
}

// squareOf returns the edge of a cell or leaf, counterclockwise from its south-western corner. No coordinate is
// infinite.
func squareOf(g grid.Grid, s *ccbf.Spot) orb.Ring {
	r := g.Bound(s.Cell.Square(s.Level)).ToRing()
	for i := range r {
		for axis, v := range r[i] {
			r[i][axis] = min(max(v, -math.MaxFloat64), math.MaxFloat64)
		}
	}
	return r
}
