package store

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// A word is a cell: the lower bits of its key above the bits of its count. All words
// of a store share the upper bits of their keys, the base.
//
// Most stores take cells.CountBits bits for counts. Where keys differ in more bits than are
// left, counts get fewer: the bits of a store's counts are one of countBits.
var countBits = [...]uint{cells.CountBits, 12, 64 - MaxWidth}

// MaxWidth is in how many of their lowest bits the keys of a store may differ.
const MaxWidth = 60

// countBitsFor is how many bits counts get where keys differ in these bits.
func countBitsFor(differ uint64) uint {
	width := uint(bits.Len64(differ))
	for _, n := range countBits {
		if width <= 64-n {
			return n
		}
	}
	panic("store: keys differ in more than 60 bits")
}

// fold writes sorted words to to, which has room for all and may be their memory, with those of one
// cell added up, and returns how many it wrote. What a sum has beyond a word, which is full then,
// goes to carry.
func fold(to, words []uint64, shift uint, carry func(word uint64)) int {
	if len(words) == 0 {
		return 0
	}
	to = to[:len(words)]
	full := uint64(1)<<shift - 1
	n, last := 0, words[0]
	for _, w := range words[1:] {
		differ := (w ^ last) >> (shift & 63)
		other := uint64(int64(differ|-differ) >> 63) // all ones where w is of the next cell
		to[n] = last
		n -= int(other)
		if last&full+w&full > full && other == 0 {
			carry(w)
			last -= full
		}
		last = last&^other + w&(full|other) // without a branch, which would be mispredicted
	}
	to[n] = last
	return n + 1
}

// mergeWords writes the sum of two sorted lists of words to to, until one of the three
// ends. It returns how many words it wrote, and how many of each list it read.
func mergeWords(to, a, b []uint64, shift uint, carry func(word uint64)) (n, i, j int) {
	full := uint64(1)<<shift - 1
	for {
		steps := min(len(to)-n, len(a)-i, len(b)-j)
		if steps == 0 {
			return n, i, j
		}
		for end := n + steps; n < end; n++ {
			x, y := a[i], b[j]
			var left, right uint64 // 1 where that word is next: both, where they are of one cell
			if x <= y|full {
				left = 1
			}
			if y <= x|full {
				right = 1
			}
			both := left & right
			w := min(x, y) + max(x, y)&full&-both
			if both&((x&full+y&full)>>(shift&63)) != 0 {
				carry(x)
				w -= full
			}
			to[n] = w
			i += int(left)
			j += int(right)
		}
	}
}
