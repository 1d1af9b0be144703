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

// pass returns the shift and the width of the next pass, which sorts by some of the bits in diff. rest is
// diff without these bits. A long stretch of bits is spread evenly over several passes.
func pass(diff uint64) (shift, width uint, rest uint64) {
	shift = uint(bits.TrailingZeros64(diff))
	stretch := uint(bits.Len64(diff)) - shift
	passes := (stretch + digit - 1) / digit
	width = (stretch + passes - 1) / passes
	return shift, width, diff >> shift >> width << width << shift
}

// Sort sorts keys in ascending order. O(len(keys)) for each 11 bits in which they differ. At most
// 2^32-1 keys.
func (s *Scratch) Sort(keys []uint64) {
	if len(keys) < few {
		slices.Sort(keys)
		return
	}
	diff, sorted := varying(keys)
	if sorted {
		return
	}
	s.keys = room(s.keys, len(keys))
	if in := s.SortBitsIn(keys, s.keys[:len(keys)], diff); &in[0] != &keys[0] {
		copy(keys, in)
	}
}

// SortBitsIn sorts keys that differ only in the bits of mask. If mask is one stretch of bits, it sorts any
// keys by those bits, and is stable. The memory other must be as long as keys. SortBitsIn returns the slice
// that has the result: keys or other.
func (s *Scratch) SortBitsIn(keys, other []uint64, mask uint64) []uint64 {
	from, to := keys, other[:len(keys)]
	if len(keys) == 0 {
		return from
	}
	for mask != 0 {
		shift, width, rest := pass(mask)
		mask = rest
		s.count(from, shift, width)
		low := uint64(1)<<width - 1
		for _, k := range from {
			c := &s.counts[k>>(shift&63)&low&(1<<digit-1)]
			to[*c] = k
			*c++
		}
		from, to = to, from
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
		shift, width, rest := pass(diff)
		diff = rest
		s.count(fromK, shift, width)
		low := uint64(1)<<width - 1
		for i, k := range fromK {
			c := &s.counts[k>>(shift&63)&low&(1<<digit-1)]
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

// count computes, for each digit, the index at which its first key goes, and writes it to s.counts.
func (s *Scratch) count(keys []uint64, shift, width uint) {
	counts := s.counts[:1<<width]
	clear(counts)
	low := uint64(1)<<width - 1
	for _, k := range keys {
		s.counts[k>>(shift&63)&low&(1<<digit-1)]++
	}
	sum := uint32(0)
	for i, c := range counts {
		counts[i] = sum
		sum += c
	}
}
