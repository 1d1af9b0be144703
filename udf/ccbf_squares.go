package udf

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
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
func ccbfSquares(rows *duck.Rows, out *duck.Result) error {
	return eachListed(rows, out, func(i int, l listedSketch) error {
		if l.threshold == 0 {
			return fmt.Errorf("%w: threshold is 0, must be at least 1", ccbf.ErrSpots)
		}
		n, bytes := bridge.Listed(l.view, l.of)
		if err := out.Charge(bytes + squareRow*int64(n)); err != nil {
			return err
		}
		cells, err := l.view.Cells(l.area, l.of)
		if err != nil {
			return err
		}
		list := out.List(i, n)
		geometries, counts := list.Field(0), duck.Out[uint64](list.Field(1))
		at := 0
		for s := range cells {
			if at == n {
				break // damaged bytes can have more cells than they announce
			}
			if s.Count < l.threshold {
				continue
			}
			square := squareWKB(l.view.Grid, &s)
			geometries.SetBytes(at, square[:])
			counts[at] = s.Count
			at++
		}
		out.Shorten(i, at)
		out.Discharge(bytes)
		return nil
	})
}

// squareWKB returns the square of a cell or leaf as WKB of a polygon, counterclockwise.
func squareWKB(g grid.Grid, s *ccbf.Spot) (b [squareBytes]byte) {
	const polygon, rings, corners = 3, 1, 5
	b[0] = 1 // little-endian
	w := binary.LittleEndian.AppendUint32(b[:1], polygon)
	w = binary.LittleEndian.AppendUint32(w, rings)
	w = binary.LittleEndian.AppendUint32(w, corners)
	side := int64(1) << s.Level
	edge := func(cell int64) uint64 {
		return math.Float64bits(min(max(g.Edge(cell), -math.MaxFloat64), math.MaxFloat64))
	}
	xs, ys := [2]uint64{edge(s.Cell.X), edge(s.Cell.X + side)}, [2]uint64{edge(s.Cell.Y), edge(s.Cell.Y + side)}
	for _, corner := range [corners][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}} {
		w = binary.LittleEndian.AppendUint64(w, xs[corner[0]])
		w = binary.LittleEndian.AppendUint64(w, ys[corner[1]])
	}
	return b
}
