package key

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// HashColumns writes the part of the hash that the cells of a column have in common, for the columns
// from x on. HashRow needs it.
func HashColumns(seed uint64, x int64, columns []uint64) {
	column := uint64(x) * c1
	for i := range columns {
		columns[i] = (bits.RotateLeft64(seed^bits.RotateLeft64(column, 31)*c2, 27)+seed)*5 + 0x52dce729
		column += c1
	}
}

// HashRow writes the HashCell of the cells of a row to h1s and h2s, which are as long as columns.
// HashColumns has written columns, once for all rows.
func HashRow(seed uint64, columns []uint64, y int64, h1s, h2s []uint64) {
	simd.HashRow(h1s, h2s, columns, bits.RotateLeft64(seed^bits.RotateLeft64(uint64(y)*c2, 33)*c1, 31))
}

// HashSquares replaces columns and rows of squares of a level, which are in h1s and h2s, by their
// HashSquare. At level 0 it is HashCell. h1s and h2s have the same length.
func HashSquares(seed uint64, level uint8, h1s, h2s []uint64) {
	h2s = h2s[:len(h1s)]
	n, tail := uint64(16), uint64(0)
	if level > 0 {
		n, tail = 18, levelTail(level)
	}
	for i, x := range h1s {
		h1, h2 := block(seed, seed, x, h2s[i])
		h1s[i], h2s[i] = h1^tail^n, h2^n
	}
	simd.FinishHashes(h1s, h2s)
}
