package key

import "math/bits"

// HashRow writes the HashCell of the cells of a row, from x on, to h1s and h2s, which are
// equally long.
func HashRow(seed uint64, x, y int64, h1s, h2s []uint64) {
	h2s = h2s[:len(h1s)]
	row := bits.RotateLeft64(seed^bits.RotateLeft64(uint64(y)*c2, 33)*c1, 31)
	column := uint64(x) * c1
	for i := range h1s {
		h1 := (bits.RotateLeft64(seed^bits.RotateLeft64(column, 31)*c2, 27)+seed)*5 + 0x52dce729
		h2 := (row+h1)*5 + 0x38495ab5
		h1s[i], h2s[i] = finish(h1, h2, 16)
		column += c1
	}
}
