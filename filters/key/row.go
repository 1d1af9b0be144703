package key

import "math/bits"

// HashColumns writes what the hashes of a column's cells have in common, of the columns from
// x on: see HashRow.
func HashColumns(seed uint64, x int64, columns []uint64) {
	column := uint64(x) * c1
	for i := range columns {
		columns[i] = (bits.RotateLeft64(seed^bits.RotateLeft64(column, 31)*c2, 27)+seed)*5 + 0x52dce729
		column += c1
	}
}

// HashRow writes the HashCell of the cells of a row to h1s and h2s, which are as long as
// columns: what HashColumns says of these columns, for all rows.
func HashRow(seed uint64, columns []uint64, y int64, h1s, h2s []uint64) {
	h1s, h2s = h1s[:len(columns)], h2s[:len(columns)]
	row := bits.RotateLeft64(seed^bits.RotateLeft64(uint64(y)*c2, 33)*c1, 31)
	done := 0
	if lanes && len(columns) >= 8 {
		done = len(columns) &^ 7
		rowLanes(&h1s[0], &h2s[0], &columns[0], done, row)
	}
	for i := done; i < len(columns); i++ {
		h1s[i], h2s[i] = finish(columns[i], (row+columns[i])*5+0x38495ab5, 16)
	}
}

// HashSquares makes of the columns and rows of squares of a level, which are in h1s and h2s, as many
// of either, their HashSquare; at level 0 that of cells, HashCell.
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
	finishAll(h1s, h2s)
}

// finishAll makes hashes of states, which have the lengths of the keys in them.
func finishAll(h1s, h2s []uint64) {
	h2s = h2s[:len(h1s)]
	done := 0
	if lanes && len(h1s) >= 8 {
		done = len(h1s) &^ 7
		finishLanes(&h1s[0], &h2s[0], done)
	}
	for i := done; i < len(h1s); i++ {
		h1s[i], h2s[i] = finish(h1s[i], h2s[i], 0)
	}
}
