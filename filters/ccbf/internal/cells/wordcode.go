package cells

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// CountBits is how many lower bits of a word are the count of a cell; the others are the
// lower bits of its key.
const CountBits = countBits

const (
	wordKeys = 64 - countBits // bits of a key in a word
	full     = 1<<countBits - 1
)

// width is in how many of their lowest bits keys differ.
func width(keys []uint64) uint {
	diff := uint64(0)
	for _, k := range keys {
		diff |= k ^ keys[0]
	}
	return uint(bits.Len64(diff))
}

// PackWords returns the code of sorted words, whose lower bits are counts, in blocks as
// in a body: for each its length and first key, both as uvarint, and its code.
func PackWords(words []uint64, shift uint) []byte {
	var keys, counts [BlockCells]uint64
	code, block := make([]byte, 0, 2*len(words)), []byte(nil)
	for len(words) > 0 {
		n := min(BlockCells, len(words))
		for i, word := range words[:n] {
			keys[i], counts[i] = word>>(shift&63), word&(1<<(shift&63)-1)
		}
		words = words[n:]
		block = binary.AppendUvarint(block[:0], keys[0])
		block = appendBlock(block, keys[:n], counts[:n])
		code = binary.AppendUvarint(code, uint64(len(block)))
		code = append(code, block...)
	}
	return append(make([]byte, 0, len(code)), code...)
}

// UnpackWords fills words with those that PackWords made the code of, and returns them.
func UnpackWords(words []uint64, code []byte, shift uint) []uint64 {
	var keys, counts [BlockCells]uint64
	for at, pos := 0, 0; at < len(words); {
		n := min(BlockCells, len(words)-at)
		size, m := binary.Uvarint(code[pos:])
		pos += m
		end := pos + int(size)
		first, m := binary.Uvarint(code[pos:])
		r := bitio.NewReaderIn(code, pos+m, end)
		pos = end
		gapOrder, countOrder, _ := readOrders(&r)
		counts[0] = r.ReadClass(countOrder)
		r.ReadPairs(keys[1:n], counts[1:n], gapOrder, countOrder)
		key := first
		for i := range n {
			if i > 0 {
				key += keys[i] + 1
			}
			words[at+i] = key<<(shift&63) | (counts[i] + 1)
		}
		at += n
	}
	return words
}
