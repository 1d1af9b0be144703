package cells

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
)

// Words is a sorted list of cells that grows, in one word each: the bits in which their
// keys differ, and below them the count. So there is half as much to be moved as in a
// run, in memory that is used again. A cell whose count takes more than a word has
// several.
type Words struct {
	words []uint64
	base  uint64 // the bits that all keys have
}

const (
	wordKeys = 64 - countBits // bits of a key in a word
	full     = 1<<countBits - 1
)

// Len is the number of cells; of those that take several words one for each.
func (s *Words) Len() int { return len(s.words) }

// Bytes is the memory that s takes.
func (s *Words) Bytes() int64 { return int64(cap(s.words)) * 8 }

// More is how many bytes more s takes with room for n more words.
func (s *Words) More(n int) int64 { return int64(s.room(n)-cap(s.words)) * 8 }

// room is for how many words there will be memory.
func (s *Words) room(n int) int {
	if need := len(s.words) + n; need > cap(s.words) {
		return max(need, cap(s.words)+cap(s.words)/2)
	}
	return cap(s.words)
}

func (s *Words) grow(n int) {
	if room := s.room(n); room > cap(s.words) {
		s.words = append(make([]uint64, 0, room), s.words...)
	}
}

// Fits reports whether keys, of which there is one at least, are like those of s, if there are any.
func (s *Words) Fits(keys []uint64) bool {
	first, diff := keys[0], uint64(0)
	for _, k := range keys {
		diff |= k ^ first
	}
	if len(s.words) > 0 {
		diff |= s.base ^ first // below, base has no bits
	}
	return diff>>wordKeys == 0
}

// halvesFrom is from how many keys on two halves of them are sorted at once.
const halvesFrom = 1 << 15

// Add counts up to MaxKeys keys, which fit and stay as they are, and may use a second goroutine
// where spare says so.
func (s *Words) Add(keys []uint64, spare func() bool) {
	s.base = keys[0] &^ (1<<wordKeys - 1)
	s.grow(len(keys))
	one := sorters.Get().(*sorter)
	defer sorters.Put(one)
	if len(keys) < halvesFrom || spare == nil {
		s.merge(one.list(keys))
		return
	}
	other := sorters.Get().(*sorter)
	defer sorters.Put(other)
	half := len(keys) / 2
	var first, second []uint64
	beside.Do(spare, func() { first = one.list(keys[:half]) }, func() { second = other.list(keys[half:]) })
	s.merge(first)
	s.merge(second)
}

// Joins reports whether other words can be added.
func (s *Words) Joins(o *Words) bool {
	return len(s.words) == 0 || len(o.words) == 0 || s.base == o.base
}

// Join adds other words, which stay as they are.
func (s *Words) Join(o *Words) {
	if len(o.words) == 0 {
		return
	}
	s.base = o.base
	s.grow(len(o.words))
	s.merge(o.words)
}

// Reset forgets the cells and keeps the memory.
func (s *Words) Reset() { s.words = s.words[:0] }

// Run is a run of the cells.
func (s *Words) Run() Run { return unpack(s.words, s.base) }

// list is the sorted words of keys, valid until s is used again.
func (s *sorter) list(keys []uint64) []uint64 {
	words := s.recents(keys, 1<<wordKeys-1)
	all, none := ^uint64(0), ^uint64(0) // the bits that all words have, and that none has
	for _, w := range words {
		all, none = all&w, none&^w
	}
	s.other = slices.Grow(s.other[:0], len(words))
	words = s.radix.SortBitsIn(words, s.other[:len(words)], ^(all|none)&^full)
	return oneEach(words)
}

// oneEach makes one of the words of each cell that fit one.
func oneEach(words []uint64) []uint64 {
	if len(words) == 0 {
		return words
	}
	n, last := 0, words[0]
	for _, w := range words[1:] {
		same := uint64(0)
		if w>>countBits == last>>countBits && last&full+w&full <= full {
			same = 1
		}
		words[n] = last
		n += int(1 - same)
		last = last&-same + w&(full|(same-1)) // what they count together, or the next one
	}
	words[n] = last
	return words[:n+1]
}

// merge adds sorted words, for which there is room: from the last to the first, each to where
// it would be if no cell were in both, and then those down to where they are.
func (s *Words) merge(more []uint64) {
	i, j := len(s.words)-1, len(more)-1
	all := s.words[:len(s.words)+len(more)]
	k := len(all) - 1
	for i >= 0 && j >= 0 {
		x, y := all[i], more[j]
		var left, right uint64 // 1 where that list's last word is taken
		if x>>countBits >= y>>countBits {
			left = 1
		}
		if y>>countBits >= x>>countBits {
			right = 1
		}
		if both := left & right; both&((x&full+y&full)>>countBits) != 0 {
			right = 0 // they count too much for a word
		}
		// y is a count alone where it adds to x.
		all[k] = x&-left + y&-right&(full|(left-1))
		i -= int(left)
		j -= int(right)
		k--
	}
	n := i + 1 + copy(all[i+1:], more[:j+1])
	s.words = all[:n+copy(all[n:], all[k+1:])]
}

// width is in how many of their lowest bits keys differ.
func width(keys []uint64) uint {
	diff := uint64(0)
	for _, k := range keys {
		diff |= k ^ keys[0]
	}
	return uint(bits.Len64(diff))
}
