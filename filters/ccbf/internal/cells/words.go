package cells

import (
	"math/bits"
	"slices"
)

// Words is cells in one word each: the bits in which their keys differ, and below them the
// count. So there is half as much to be moved as in runs, in memory that is used again. They
// are in sorted lists, each less than half as long as the one before, so that a cell is moved
// as often as the number of lists that were added can be halved. A cell whose count takes
// more than a word has several.
type Words struct {
	lists  []wordList
	free   [][]uint64 // blocks
	blocks int        // of the lists, and the free ones
	n      int        // words
	base   uint64     // the bits that all keys have
}

const (
	wordKeys = 64 - countBits // bits of a key in a word
	full     = 1<<countBits - 1
)

// Len is the number of words: of a cell one for each list that has it, mostly.
func (s *Words) Len() int { return s.n }

// Bytes is the memory that s takes.
func (s *Words) Bytes() int64 { return int64(s.blocks) * wordBlock * 8 }

// More is how many bytes more s takes at most with n more words.
func (s *Words) More(n int) int64 {
	// Halves of what is merged end within a block each, and others are cut in two.
	return int64(n/wordBlock+8) * wordBlock * 8
}

// Fits reports whether keys, of which there is one at least, are like those of s, if there are any.
func (s *Words) Fits(keys []uint64) bool {
	return width(keys) <= wordKeys && (s.n == 0 || (s.base^keys[0])>>wordKeys == 0)
}

// Add counts up to MaxKeys keys, which fit and stay as they are.
func (s *Words) Add(keys []uint64) {
	s.base = keys[0] &^ (1<<wordKeys - 1)
	t := sorters.Get().(*sorter)
	defer sorters.Put(t)
	list := t.list(keys)
	s.push(wordList{[][]uint64{list}, len(list)}, nil)
}

// Joins reports whether other words can be added.
func (s *Words) Joins(o *Words) bool { return s.n == 0 || o.n == 0 || s.base == o.base }

// Join adds other words, which stay as they are, and may use a second goroutine where
// spare says so.
func (s *Words) Join(o *Words, spare func() bool) {
	if o.n > 0 {
		s.base = o.base
	}
	for i := len(o.lists) - 1; i >= 0; i-- { // the shortest first
		s.push(o.lists[i], spare)
	}
}

// Reset forgets the cells and keeps the memory.
func (s *Words) Reset() {
	for _, l := range s.lists {
		for _, p := range l.pieces {
			if cap(p) == wordBlock {
				s.free = append(s.free, p)
			}
		}
	}
	s.lists, s.n, s.blocks = s.lists[:0], 0, len(s.free)
}

// Run is a run of the cells, and may use a second goroutine where spare says so. It leaves
// all of them in one list.
func (s *Words) Run(spare func() bool) Run {
	s.One(spare)
	if s.n == 0 {
		return Run{}
	}
	return unpackBeside(s.lists[0], s.base, spare)
}

// push adds a list that is not s's own.
func (s *Words) push(l wordList, spare func() bool) {
	var last wordList
	if n := len(s.lists); n > 0 && s.lists[n-1].n < 2*l.n {
		last = s.lists[n-1]
		s.lists = s.lists[:n-1]
	}
	s.add(last, l, true, false, spare)
	s.shorten(spare)
}

// shorten merges the last lists until each is less than half as long as the one before.
func (s *Words) shorten(spare func() bool) {
	for n := len(s.lists); n > 1 && s.lists[n-2].n < 2*s.lists[n-1].n; n = len(s.lists) {
		s.mergeLast(spare)
	}
}

// mergeLast makes one of the last two lists.
func (s *Words) mergeLast(spare func() bool) {
	n := len(s.lists)
	a, b := s.lists[n-2], s.lists[n-1]
	s.lists = s.lists[:n-2]
	s.add(a, b, true, true, spare)
}

// add adds the sum of two lists, of which those of s are no more.
func (s *Words) add(a, b wordList, ownA, ownB bool, spare func() bool) {
	l := s.merge(a, b, ownA, ownB, spare)
	s.lists = append(s.lists, l)
	s.count()
}

// count notes how many words and blocks there are.
func (s *Words) count() {
	s.n, s.blocks = 0, len(s.free)
	for i := range s.lists {
		s.n += s.lists[i].n
		s.blocks += len(s.lists[i].pieces)
	}
}

// list is the sorted words of keys, valid until s is used again.
func (s *sorter) list(keys []uint64) []uint64 {
	words := s.recents(keys)
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

// width is in how many of their lowest bits keys differ.
func width(keys []uint64) uint {
	diff := uint64(0)
	for _, k := range keys {
		diff |= k ^ keys[0]
	}
	return uint(bits.Len64(diff))
}
