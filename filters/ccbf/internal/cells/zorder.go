package cells

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Bias moves the region (0, 0) around the origin, and the origin off all corners
// of the Z-order curve: with 2^31 the cells -1 and 0 would differ in every bit,
// and every sketch around Greenwich or the equator would be torn apart.
const Bias = 0x5555_5555

// The region (0, 0) reaches from lowest to highest in both coordinates.
const (
	Lowest  = -Bias
	Highest = 1<<32 - 1 - Bias
)

// The bits of a key that are x's and y's.
const (
	xBits = 0x5555_5555_5555_5555
	yBits = xBits << 1
)

// Key splits a cell into its region and its place on the Z-order curve there.
func Key(c grid.Cell) (sx, sy int32, z uint64) {
	x, y := c.X+Bias, c.Y+Bias
	return int32(x >> 32), int32(y >> 32), grid.Interleave(uint32(x), uint32(y))
}

// CellOf is the inverse of Key.
func CellOf(sx, sy int32, z uint64) grid.Cell {
	x, y := grid.Deinterleave(z)
	return grid.Cell{X: int64(sx)<<32 + int64(x) - Bias, Y: int64(sy)<<32 + int64(y) - Bias}
}

// Keys computes the Z-order keys of points into dst, as long as xs and ys. It
// stops at the first point outside the region (0, 0), or without a cell, and
// returns its index; len(dst) if there is none.
func Keys(dst []uint64, xs, ys []float64, g grid.Grid) int {
	xs, ys = xs[:len(dst)], ys[:len(dst)]
	done := 0
	p, q := g.Fraction()
	inv := q / p
	if n := len(dst) &^ 3; haveLanes && n > 0 {
		done = keysLanes(&dst[0], &xs[0], &ys[0], n, inv, p, q)
	}
	for i := done; i < len(dst); i++ {
		// As grid.Grid.Cells, where a region ends long before float64 does.
		x, y := math.RoundToEven(xs[i]*inv), math.RoundToEven(ys[i]*inv)
		if xs[i] < x*p/q {
			x--
		}
		if ys[i] < y*p/q {
			y--
		}
		if !(x >= Lowest && x <= Highest && y >= Lowest && y <= Highest) {
			return i
		}
		// grid.Interleave, in place and by table, which is less work.
		dst[i] = apart(uint32(int64(x)+Bias)) | apart(uint32(int64(y)+Bias))<<1
	}
	return len(dst)
}

// spreadBits is how many bits of a coordinate are spread at a time: three times, where bytes
// took four, from a table that leaves room in the first-level cache.
const spreadBits = 11

// spreads has numbers of so many bits, bit i moved to bit 2i.
var spreads = func() (s [1 << spreadBits]uint32) {
	for i := range s {
		s[i] = uint32(grid.Interleave(uint32(i), 0))
	}
	return s
}()

func apart(v uint32) uint64 {
	const low = 1<<spreadBits - 1
	return uint64(spreads[v&low]) | uint64(spreads[v>>spreadBits&low])<<(2*spreadBits) | uint64(spreads[v>>(2*spreadBits)])<<(4*spreadBits)
}

// Square is the square of a level that holds a cell.
func Square(c grid.Cell, level uint8) grid.Cell { return grid.Cell{X: c.X >> level, Y: c.Y >> level} }
