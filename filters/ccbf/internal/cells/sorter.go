package cells

import (
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
)

// sorter is the memory that makes a run of a buffer, lent to one builder after
// the other.
type sorter struct {
	radix radix.Scratch
	words []uint64
	other []uint64
	// recent is a cache of the last keys seen: points come in crowds, and each
	// repetition that is caught here need not be sorted.
	recent [1 << recentBits]uint64
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// countBits is how many bits of a word count; the others are the key.
const countBits = 19

// MaxKeys is up to how many keys RunOf takes: they are counted in a word's lower
// bits.
const MaxKeys = 1 << (countBits - 1)

// packKeys is from how many keys on it pays to put keys and counts into one word.
const packKeys = 1 << 12

// RunOf makes a run of up to maxKeys keys with an occurrence each, or weights[i] of them. It
// may leave anything in their memory.
func RunOf(keys, weights []uint64) Run {
	s := sorters.Get().(*sorter)
	defer sorters.Put(s)
	return s.run(keys, weights)
}

// run is RunOf.
func (s *sorter) run(keys, weights []uint64) Run {
	if weights != nil {
		if r, ok := s.packedPairs(keys, weights); ok {
			return r
		}
		s.radix.SortPairs(keys, weights)
		return fromSorted(keys, weights)
	}
	if len(keys) >= packKeys {
		if width := width(keys); width <= wordKeys {
			low := uint64(1)<<width - 1
			words := s.recents(keys)
			s.radix.SortBits(words, low<<countBits)
			return unpack([][]uint64{words}, keys[0]&^low)
		}
	}
	s.radix.Sort(keys)
	return fromSorted(keys, nil)
}

// recents is keys, which differ in the bits that a word has of them, as words: key and count
// share one, so that half as much is sorted.
func (s *sorter) recents(keys []uint64) []uint64 {
	if cap(s.words) < len(keys)+1 {
		s.words = make([]uint64, len(keys)+1)
	}
	clear(s.recent[:])
	words := s.words[:len(keys)+1]
	n, _ := countRecent(s.recent[:], 64-recentBits, keys, words)
	for _, w := range s.recent {
		if w != 0 {
			words[n] = w
			n++
		}
	}
	return words[:n]
}

// packedPairs is run for keys with weights that fit beside them, in the memory of both;
// false where they do not, or where there are few.
func (s *sorter) packedPairs(keys, weights []uint64) (Run, bool) {
	if len(keys) < packKeys {
		return Run{}, false
	}
	weights = weights[:len(keys)]
	all := uint64(0)
	for _, n := range weights {
		all |= n
	}
	width := width(keys)
	if width > wordKeys || all >= 1<<countBits {
		return Run{}, false
	}
	low := uint64(1)<<width - 1
	base := keys[0] &^ low
	for i, k := range keys {
		keys[i] = k&low<<countBits | weights[i]
	}
	return unpack([][]uint64{s.radix.SortBitsIn(keys, weights, low<<countBits)}, base), true
}

// unpack makes a run of sorted words, in pieces, whose keys all have the bits of base.
func unpack(pieces [][]uint64, base uint64) Run {
	n := distinct(pieces)
	r := Run{make([]uint64, n), make([]uint64, n)}
	r.unpack(pieces, base)
	return r
}

// unpackBeside is unpack, which may use a second goroutine where spare says so.
func unpackBeside(l wordList, base uint64, spare func() bool) Run {
	cut := len(l.pieces) / 2
	for cut > 0 && cut < len(l.pieces) && l.pieces[cut][0]>>countBits == l.pieces[cut-1][len(l.pieces[cut-1])-1]>>countBits {
		cut++ // a cell has words in both
	}
	if l.n < manyCells || spare == nil || cut == len(l.pieces) {
		return unpack(l.pieces, base)
	}
	first, second := l.pieces[:cut], l.pieces[cut:]
	var n, m int
	beside.Do(spare, func() { n = distinct(first) }, func() { m = distinct(second) })
	r := Run{make([]uint64, n+m), make([]uint64, n+m)}
	one, other := r.upTo(n), r.from(n)
	beside.Do(spare, func() { one.unpack(first, base) }, func() { other.unpack(second, base) })
	return r
}

// distinct is how many cells sorted words have.
func distinct(pieces [][]uint64) int {
	n, last := 0, ^uint64(0)
	for _, words := range pieces {
		for _, w := range words {
			if w>>countBits != last {
				last = w >> countBits
				n++
			}
		}
	}
	return n
}

// unpack makes r, which is as long and counts nothing yet, the cells of sorted words.
func (r Run) unpack(pieces [][]uint64, base uint64) {
	n, last := -1, ^uint64(0)
	for _, words := range pieces {
		for _, w := range words {
			if w>>countBits != last {
				last = w >> countBits
				n++
				r.Keys[n] = base | last
			}
			r.Counts[n] += w & (1<<countBits - 1)
		}
	}
}
