package simd

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Box is a rectangle of cells. In each field, bit i of a coordinate is at bit 2i, where x has it in a
// Z-order key. Such numbers compare like the coordinates.
type Box struct{ MinX, MinY, MaxX, MaxY uint64 }

const xBits = 0x5555_5555_5555_5555

// Outside returns all ones for a key outside the box, and 0 for one inside, without a branch.
func (b *Box) Outside(key uint64) uint64 {
	x, y := key&xBits, key>>1&xBits
	return uint64(int64((x-b.MinX)|(b.MaxX-x)|(y-b.MinY)|(b.MaxY-y)) >> 63)
}

// SumInside returns the sum of the counts of the cells inside, at most 2^64-1. There are at most
// 128 cells.
func (b *Box) SumInside(keys, counts []uint64) uint64 {
	if n := len(keys) &^ 3; n > 0 && use {
		// All counts are below 2^56, so the sum of 128 is at most 2^63.
		if sum, all := insideKernel(&keys[0], &counts[0], n, b); all < 1<<56 {
			return saturate.Add(sum, b.sumInside(keys[n:], counts[n:]))
		}
	}
	return b.sumInside(keys, counts)
}

// sumInside is SumInside without a kernel.
func (b *Box) sumInside(keys, counts []uint64) uint64 {
	var sum, carries uint64
	counts = counts[:len(keys)]
	for i, k := range keys {
		var carry uint64
		sum, carry = bits.Add64(sum, counts[i]&^b.Outside(k), 0)
		carries |= carry
	}
	return sum | -carries
}
