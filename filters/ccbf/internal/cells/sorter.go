package cells

import (
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
)

// sorter is the memory that makes a run of a buffer, lent to one builder after
// the other.
type sorter struct {
	radix radix.Scratch
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// countBits is how many bits of a word count; the others are the key.
const countBits = 19

// MaxKeys is up to how many keys RunOf takes: they are counted in a word's lower
// bits.
const MaxKeys = 1 << (countBits - 1)

// packKeys is from how many keys on it pays to put keys and counts into one word.
const packKeys = 1 << 12

// RunOf makes a run of keys with an occurrence each, or weights[i] of them. It may leave
// anything in their memory.
func RunOf(keys, weights []uint64) Run {
	s := sorters.Get().(*sorter)
	defer sorters.Put(s)
	return s.run(keys, weights)
}

// run is RunOf.
func (s *sorter) run(keys, weights []uint64) Run {
	if weights == nil {
		s.radix.Sort(keys)
		return fromSorted(keys, nil)
	}
	if r, ok := s.packedPairs(keys, weights); ok {
		return r
	}
	s.radix.SortPairs(keys, weights)
	return fromSorted(keys, weights)
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
	words := s.radix.SortBitsIn(keys, weights, low<<countBits)
	n, last := 0, ^uint64(0)
	for _, w := range words {
		if w>>countBits != last {
			last = w >> countBits
			n++
		}
	}
	r := NewRun(n)
	n, last = -1, ^uint64(0)
	for _, w := range words {
		if w>>countBits != last {
			last = w >> countBits
			n++
			r.Keys[n] = base | last
		}
		r.Counts[n] += w & full
	}
	return r, true
}
