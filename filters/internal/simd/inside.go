package simd

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Box is a rectangle of cells, whose coordinates have each bit i at bit 2i, as x has them in a Z-order key:
// so far apart, numbers compare as they do together.
type Box struct{ MinX, MinY, MaxX, MaxY uint64 }

const xBits = 0x5555_5555_5555_5555

// Outside is all ones for a key outside of the box and 0 for one inside, without a
// branch.
func (b *Box) Outside(key uint64) uint64 {
	x, y := key&xBits, key>>1&xBits
	return uint64(int64((x-b.MinX)|(b.MaxX-x)|(y-b.MinY)|(b.MaxY-y)) >> 63)
}

// SumInside is the sum of the counts of the cells inside, of 128 at most; 2^64-1 where it is more.
func (b *Box) SumInside(keys, counts []uint64) uint64 {
	if n := len(keys) &^ 3; n > 0 && use {
		if sum, all := insideKernel(&keys[0], &counts[0], n, b); all < 1<<56 { // so that it is no more than 2^63
			return saturate.Add(sum, b.sumInside(keys[n:], counts[n:]))
		}
	}
	return b.sumInside(keys, counts)
}

// sumInside is SumInside, of one cell after the other.
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
