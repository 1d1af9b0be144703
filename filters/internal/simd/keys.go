package simd

import "math"

// Bias is added to an index before its bits are interleaved (package cells).
const Bias = 0x5555_5555

// lowest and highest bound the indexes of the region (0, 0).
const lowest, highest = -Bias, 1<<32 - 1 - Bias

// CellKeys writes the Z-order keys of points to dst, as long as xs and ys, on the grid of cells of
// p/q. It stops at the first point outside the region (0, 0) or without a cell, and returns its
// index; len(dst) if there is none.
func CellKeys(dst []uint64, xs, ys []float64, p, q float64) int {
	xs, ys = xs[:len(dst)], ys[:len(dst)]
	done, inv := 0, q/p
	if n := len(dst) &^ 3; use && n > 0 {
		done = keysKernel(&dst[0], &xs[0], &ys[0], n, inv, p, q)
	}
	for i := done; i < len(dst); i++ {
		// This gives the same cells as grid.Grid.Cells, because a region ends long before float64 has
		// gaps between whole numbers.
		x, y := math.RoundToEven(xs[i]*inv), math.RoundToEven(ys[i]*inv)
		if xs[i] < x*p/q {
			x--
		}
		if ys[i] < y*p/q {
			y--
		}
		if !(x >= lowest && x <= highest && y >= lowest && y <= highest) {
			return i
		}
		dst[i] = apart(uint32(int64(x)+Bias)) | apart(uint32(int64(y)+Bias))<<1
	}
	return len(dst)
}

// spreadBits is the number of bits of a coordinate that one table lookup spreads. Three lookups
// suffice, and the table leaves room in the first-level cache.
const spreadBits = 11

// spreads has each number of spreadBits bits with bit i moved to bit 2i.
var spreads = func() (s [1 << spreadBits]uint32) {
	for i := range s {
		for bit := range spreadBits {
			s[i] |= uint32(i) >> bit & 1 << (2 * bit)
		}
	}
	return s
}()

// apart moves each bit i to bit 2i.
func apart(v uint32) uint64 {
	const low = 1<<spreadBits - 1
	return uint64(spreads[v&low]) | uint64(spreads[v>>spreadBits&low])<<(2*spreadBits) | uint64(spreads[v>>(2*spreadBits)])<<(4*spreadBits)
}
