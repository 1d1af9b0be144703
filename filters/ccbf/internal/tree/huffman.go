package tree

import (
	"math/bits"
	"slices"
)

// maxLength is the longest code word in bits: a table of all words of it fits the
// first-level cache.
const maxLength = 11

// lengthsOf are the lengths of a Huffman code for symbols of these frequencies
// (Huffman 1952), at most maxLength; 0 for symbols that do not occur, and for one
// that occurs alone, which takes no bits.
func lengthsOf(dst *[symbols]uint8, freq *[symbols]uint32) {
	*dst = [symbols]uint8{}
	// By frequency, equal ones in order: frequencies take 32 bits, symbols 8.
	var sorted [symbols]uint64
	n := 0
	for s, f := range freq {
		if f > 0 {
			sorted[n] = uint64(f)<<8 | uint64(s)
			n++
		}
	}
	if n < 2 {
		return
	}
	slices.Sort(sorted[:n])
	// Symbols first, then the pairs made of them: both ascend.
	var weights [2 * symbols]uint64
	var parents [2 * symbols]uint16
	var depths [2 * symbols]uint8
	for shift := uint(0); ; shift++ { // rare symbols are taken for more frequent until all lengths are in range
		for k, s := range sorted[:n] {
			weights[k] = s>>8>>shift + 1
		}
		i, j, end := 0, n, n
		least := func() int {
			if i < n && (j == end || weights[i] <= weights[j]) {
				i++
				return i - 1
			}
			j++
			return j - 1
		}
		for end < 2*n-1 {
			a := least()
			b := least()
			weights[end] = weights[a] + weights[b]
			parents[a], parents[b] = uint16(end), uint16(end)
			end++
		}
		longest := uint8(0)
		depths[end-1] = 0
		for k := end - 2; k >= 0; k-- {
			depths[k] = depths[parents[k]] + 1
			longest = max(longest, depths[k])
		}
		if longest <= maxLength {
			for k, s := range sorted[:n] {
				dst[s&(symbols-1)] = depths[k]
			}
			return
		}
	}
}

// wordsOf are the words of the canonical code with these lengths, least
// significant bit first.
func wordsOf(dst []uint16, lengths []uint8) {
	var count, next [maxLength + 2]uint16
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	for n := 1; n <= maxLength; n++ {
		next[n+1] = (next[n] + count[n]) << 1
	}
	for s, n := range lengths {
		if n > 0 {
			dst[s] = bits.Reverse16(next[n]) >> (16 - n)
			next[n]++
		}
	}
}

// decoder finds the symbol that begins with the next bits.
type decoder struct {
	mask  uint64
	words []uint16 // symbol << 4 | length, by the next bits
}

// noSymbol is what a table without symbols reads, which no table has.
const noSymbol = 1<<12 - 1

// newDecoder makes the decoder of a canonical code; false where the lengths are
// none of a complete code. A symbol that is alone takes no bits.
func newDecoder(lengths []uint8, used []uint16) (decoder, bool) {
	switch len(used) {
	case 0:
		return decoder{words: []uint16{noSymbol << 4}}, true
	case 1:
		return decoder{words: []uint16{used[0] << 4}}, true
	}
	longest, room := uint8(0), uint(1)<<maxLength
	for _, s := range used {
		n := lengths[s]
		if n == 0 || n > maxLength || room < 1<<(maxLength-n) {
			return decoder{}, false
		}
		room -= 1 << (maxLength - n)
		longest = max(longest, n)
	}
	if room != 0 {
		return decoder{}, false
	}
	var words [symbols]uint16
	wordsOf(words[:len(lengths)], lengths)
	d := decoder{mask: 1<<longest - 1, words: make([]uint16, 1<<longest)}
	for _, s := range used {
		n := lengths[s]
		for w := words[s]; w < 1<<longest; w += 1 << n {
			d.words[w] = s<<4 | uint16(n)
		}
	}
	return d, true
}
