// Package radix sorts 64-bit keys, with or without a number beside each, by
// their bits that differ: keys of a small area share most of theirs.
package radix

import (
	"math/bits"
	"slices"
)

// digit is how many bits one pass sorts by: a histogram of 2^11 counters stays
// in the first-level cache.
const digit = 11

// few is the length below which comparing is faster than counting.
const few = 256

// Scratch is the memory that sorting needs beside its input. The zero value is
// ready; it grows as needed and can be used again and again.
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

// Sort sorts keys in ascending order. O(len(keys)) per 11 bits in which they
// differ. At most 2^32-1 keys.
func (s *Scratch) Sort(keys []uint64) {
	if len(keys) < 2 {
		return
	}
	if len(keys) < few {
		slices.Sort(keys)
		return
	}
	diff, sorted := varying(keys)
	if sorted {
		return
	}
	if cap(s.keys) < len(keys) {
		s.keys = make([]uint64, len(keys))
	}
	from, to := keys, s.keys[:len(keys)]
	for diff != 0 {
		shift := uint(bits.TrailingZeros64(diff))
		diff &^= (1<<digit - 1) << shift
		s.count(from, shift)
		for _, k := range from {
			c := &s.counts[k>>shift&(1<<digit-1)]
			to[*c] = k
			*c++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}

// SortPairs sorts keys in ascending order and moves values along; pairs of
// equal keys keep their order.
func (s *Scratch) SortPairs(keys, values []uint64) {
	if len(keys) < 2 {
		return
	}
	diff, sorted := varying(keys)
	if sorted {
		return
	}
	if cap(s.keys) < len(keys) {
		s.keys = make([]uint64, len(keys))
	}
	if cap(s.values) < len(keys) {
		s.values = make([]uint64, len(keys))
	}
	fromK, toK := keys, s.keys[:len(keys)]
	fromV, toV := values[:len(keys)], s.values[:len(keys)]
	for diff != 0 {
		shift := uint(bits.TrailingZeros64(diff))
		diff &^= (1<<digit - 1) << shift
		s.count(fromK, shift)
		for i, k := range fromK {
			c := &s.counts[k>>shift&(1<<digit-1)]
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

// count leaves in s.counts where each digit's first key goes.
func (s *Scratch) count(keys []uint64, shift uint) {
	clear(s.counts[:])
	for _, k := range keys {
		s.counts[k>>shift&(1<<digit-1)]++
	}
	sum := uint32(0)
	for i, c := range s.counts {
		s.counts[i] = sum
		sum += c
	}
}
