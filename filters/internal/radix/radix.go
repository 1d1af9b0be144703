// Package radix sorts 64-bit keys, with or without a number beside each. It sorts only by the bits
// in which keys differ: keys of a small area share most of theirs.
package radix

import (
	"math/bits"
	"slices"
)

// digit is the most bits that one pass sorts by. A histogram of 2^11 counters fits the first-level
// cache.
const digit = 11

// few is the length below which comparing is faster than counting.
const few = 256

// Scratch is memory for sorting. The zero value is ready. It grows as needed and can be reused.
type Scratch struct {
	keys, values []uint64
	counts       [1 << digit]uint32
}

// varying returns the bits in which keys differ, and whether they are sorted.
func varying(keys []uint64) (diff uint64, sorted bool) {
	first, prev := keys[0], keys[0]
	sorted = true
	for _, k := range keys {
		diff |= k ^ first
		if k < prev {
			sorted = false
		}
		prev = k
	}
	return diff, sorted
}

// Sort sorts keys in ascending order, at least by their bits above the low lowest ones. It returns the
// sorted keys, in the memory of keys or of s. O(len(keys)) for each 11 bits in which they differ. At most
// 2^32-1 keys.
func (s *Scratch) Sort(keys []uint64, low uint) []uint64 {
	if len(keys) < few {
		slices.Sort(keys)
		return keys
	}
	diff, sorted := varying(keys)
	if sorted {
		return keys
	}
	s.keys = room(s.keys, len(keys))
	from, to := keys, s.keys[:len(keys)]
	for diff = diff >> low << low; diff != 0; from, to = to, from {
		shift, mask := s.pass(from, &diff)
		for _, k := range from {
			c := &s.counts[k>>(shift&63)&mask&(1<<digit-1)]
			to[*c] = k
			*c++
		}
	}
	return from
}

// SortPairs sorts keys in ascending order and moves values along. It is stable.
func (s *Scratch) SortPairs(keys, values []uint64) {
	if len(keys) < 2 {
		return
	}
	diff, sorted := varying(keys)
	if sorted {
		return
	}
	s.keys, s.values = room(s.keys, len(keys)), room(s.values, len(keys))
	fromK, toK := keys, s.keys[:len(keys)]
	fromV, toV := values[:len(keys)], s.values[:len(keys)]
	for diff != 0 {
		shift, mask := s.pass(fromK, &diff)
		for i, k := range fromK {
			c := &s.counts[k>>(shift&63)&mask&(1<<digit-1)]
			toK[*c] = k
			toV[*c] = fromV[i]
			*c++
		}
		fromK, toK = toK, fromK
		fromV, toV = toV, fromV
	}
	if &fromK[0] != &keys[0] {
		copy(keys, fromK)
		copy(values, fromV)
	}
}

// room returns b, or a new slice if b has no room for n values.
func room(b []uint64, n int) []uint64 {
	if cap(b) < n {
		return make([]uint64, n)
	}
	return b
}

// pass prepares the next pass, which sorts by some of the bits in diff, and takes these from diff. It returns
// the shift and the mask of its digit, and writes to s.counts at which index the first key of each digit goes.
// A long stretch of bits is spread evenly over several passes.
func (s *Scratch) pass(keys []uint64, diff *uint64) (shift uint, mask uint64) {
	shift = uint(bits.TrailingZeros64(*diff))
	stretch := uint(bits.Len64(*diff)) - shift
	passes := (stretch + digit - 1) / digit
	mask = 1<<((stretch+passes-1)/passes) - 1
	*diff &^= mask << shift
	counts := s.counts[:mask+1]
	clear(counts)
	for _, k := range keys {
		s.counts[k>>(shift&63)&mask&(1<<digit-1)]++
	}
	sum := uint32(0)
	for i, c := range counts {
		counts[i] = sum
		sum += c
	}
	return shift, mask
}
