package grid

import "github.com/ccbfsql/ccbfsql/filters/internal/simd"

// Interleave returns the Z-order number of (x, y): bit i of x becomes bit 2i,
// bit i of y bit 2i+1. Cells that are close on the plane are mostly close in
// this order.
func Interleave(x, y uint32) uint64 { return simd.Interleave(x, y) }

// Deinterleave undoes Interleave.
func Deinterleave(z uint64) (x, y uint32) { return gather(z), gather(z >> 1) }

// gather moves bit 2i to bit i and drops the odd bits.
func gather(x uint64) uint32 {
	x &= 0x5555555555555555
	x = (x | x>>1) & 0x3333333333333333
	x = (x | x>>2) & 0x0f0f0f0f0f0f0f0f
	x = (x | x>>4) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return uint32(x | x>>16)
}
