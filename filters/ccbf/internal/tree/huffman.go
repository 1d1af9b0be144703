package tree

import (
	"cmp"
	"math/bits"
	"slices"
)

// maxLength is the longest code word in bits: a table of all words of it fits the
// first-level cache.
const maxLength = 11

// lengthsOf are the lengths of a Huffman code for symbols of these frequencies
// (Huffman 1952), at most maxLength; 0 for symbols that do not occur, and for one
// that occurs alone, which takes no bits.
func lengthsOf(dst []uint8, freq []uint32) {
	clear(dst)
	type item struct {
		weight uint64
		left   int // index of an item, below 0 for a symbol
		right  int
	}
	var symbols []int
	for s, f := range freq {
		if f > 0 {
			symbols = append(symbols, s)
		}
	}
	if len(symbols) < 2 {
		return
	}
	for shift := uint(0); ; shift++ { // rare symbols are taken for more frequent until all lengths are in range
		items := make([]item, 0, 2*len(symbols))
		for _, s := range symbols {
			items = append(items, item{uint64(freq[s]>>shift) + 1, -1 - s, 0})
		}
		slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.weight, b.weight) })
		// Both queues ascend: symbols, and the pairs made of them.
		i, j := 0, len(symbols)
		least := func() int {
			if i < len(symbols) && (j == len(items) || items[i].weight <= items[j].weight) {
				i++
				return i - 1
			}
			j++
			return j - 1
		}
		for range len(symbols) - 1 {
			a := least()
			b := least()
			items = append(items, item{items[a].weight + items[b].weight, a, b})
		}
		depth := make([]uint8, len(items))
		longest := uint8(0)
		for k := len(items) - 1; k >= 0; k-- {
			it := items[k]
			if it.left < 0 {
				dst[-1-it.left] = depth[k]
				longest = max(longest, depth[k])
				continue
			}
			depth[it.left], depth[it.right] = depth[k]+1, depth[k]+1
		}
		if longest <= maxLength {
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
	alone uint16 // the only symbol, of no bits, where words is empty
	mask  uint64
	words []uint16 // symbol << 4 | length, by the next bits
}

// newDecoder makes the decoder of a canonical code; false where the lengths are
// none of a complete code, or there are no symbols.
func newDecoder(lengths []uint8, used []uint16) (decoder, bool) {
	if len(used) == 1 {
		return decoder{alone: used[0]}, true
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
	if room != 0 || longest == 0 {
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
