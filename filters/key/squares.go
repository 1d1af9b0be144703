package key

import "github.com/ccbfsql/ccbfsql/filters/internal/simd"

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
