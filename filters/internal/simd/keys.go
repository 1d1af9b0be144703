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
		dst[i] = Interleave(uint32(int64(x)+Bias), uint32(int64(y)+Bias))
	}
	return len(dst)
}

// Interleave returns the Z-order number of (x, y): bit i of x becomes bit 2i, bit i of y bit 2i+1.
func Interleave(x, y uint32) uint64 { return spread(x) | spread(y)<<1 }

// spread moves each bit i to bit 2i. Each step halves the distance that bits still have to move.
func spread(v uint32) uint64 {
	x := uint64(v)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	x = (x | x<<2) & 0x3333333333333333
	return (x | x<<1) & 0x5555555555555555
}
