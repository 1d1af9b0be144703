package cbf

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// batchLen is the number of keys in a batch. One hash function after the other runs over all keys of a
// batch. So the processor waits for the memory of many keys at once.
const batchLen = 256

// few is the smallest number of keys for which a batch is faster than single keys.
const few = 6

// AddHashes adds many keys: ns[k] occurrences of the key (h1s[k], h2s[k]), or one of each if ns is nil.
// The result is the same as by Add for each key in order. The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	for len(h1s) > 0 {
		n := min(batchLen, len(h1s))
		if ns == nil {
			s.addBatch(h1s[:n], h2s[:n])
		} else {
			s.addWeighted(h1s[:n], h2s[:n], ns[:n])
			ns = ns[n:]
		}
		h1s, h2s = h1s[n:], h2s[n:]
	}
}

// addWeighted adds ns[i] occurrences of key i. It adds runs of keys with one occurrence as batches.
func (s *Sketch) addWeighted(h1s, h2s, ns []uint64) {
	for i := 0; i < len(ns); {
		from := i
		for i < len(ns) && ns[i] == 1 {
			i++
		}
		s.addBatch(h1s[from:i], h2s[from:i])
		if i < len(ns) {
			s.Add(h1s[i], h2s[i], ns[i])
			i++
		}
	}
}

// addBatch adds one occurrence of each key, at most batchLen keys.
func (s *Sketch) addBatch(h1s, h2s []uint64) {
	if s.kernel.halves {
		// left is how many more occurrences fit before the filter drops its upper halves. The first
		// keys of the batch are added before the drop, the others after it.
		total, _ := s.Total()
		if left := s.threshold() - total; left < uint64(len(h1s)) {
			s.addRows(h1s[:left], h2s[:left])
			h1s, h2s = h1s[left:], h2s[left:]
			s.drop()
		}
	}
	s.addRows(h1s, h2s)
}

// addRows adds one occurrence of each key, at most batchLen keys, in the present phase.
func (s *Sketch) addRows(h1s, h2s []uint64) {
	keyed.Grow(&s.Base, uint64(len(h1s)))
	stuck := uint64(0)
	if len(h1s) < few {
		for j, h1 := range h1s {
			stuck |= s.put(h1, h2s[j], 1)
		}
	} else {
		stuck = s.putRows(h1s, h2s)
	}
	if stuck != 0 {
		keyed.SetSaturated(&s.Base)
	}
}

// putRows adds one occurrence of each key to the counters, one hash function after the other. stuck is 1
// if some counter is at its ceiling now. It does not change the total.
func (s *Sketch) putRows(h1s, h2s []uint64) (stuck uint64) {
	var p batchOffsets
	g := s.kernel
	for i := range s.k {
		s.locate(&p, i, h1s, h2s)
		for j, to := range p.at[:len(h1s)] {
			low, high := g.marks(p.rest[j])
			here := s.body[to:][:8]
			w, is := g.add(binary.LittleEndian.Uint64(here), &low)
			stuck |= is
			if g.halves {
				w, is = g.add(w, &high)
				stuck |= is
			}
			binary.LittleEndian.PutUint64(here, w)
		}
	}
	return stuck
}

// batchOffsets is the result of one hash function for the keys of a batch. at holds the offset of each
// key's word in the body. rest holds the bits of each key's hash that did not choose the word.
type batchOffsets struct {
	at   [batchLen]uint32 // byte offsets in the body, which has at most 2^30 bytes
	rest [batchLen]uint64
}

// locate sets the positions of hash function i and prefetches their memory.
func (f *filter) locate(p *batchOffsets, i uint64, h1s, h2s []uint64) {
	h2s = h2s[:len(h1s)]
	at, rest := p.at[:len(h1s)], p.rest[:len(h1s)]
	words := f.words
	for j, h1 := range h1s {
		word, x := bits.Mul64(hash(h1, h2s[j], i), words)
		at[j], rest[j] = uint32(8*word), x
	}
	simd.Prefetch(unsafe.Pointer(&f.body[0]), at)
}

// ContainsHashes writes to dst whether each key may be there, as Contains. dst and h2s must be as long
// as h1s.
func (f *filter) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	f.MustBeMade()
	if len(h1s) < few {
		for j, h1 := range h1s {
			dst[j] = f.Contains(h1, h2s[j])
		}
		return
	}
	f.containsRows(dst, h1s, h2s)
}

// containsRows sets dst[j] to whether the filter may contain key j. For each batch it tests one hash
// function after the other, and goes on with the keys that are not ruled out yet.
func (f *filter) containsRows(dst []bool, h1s, h2s []uint64) {
	var c candidates
	for len(h1s) > 0 {
		n := min(batchLen, len(h1s))
		copy(c.h1s[:], h1s[:n])
		copy(c.h2s[:], h2s[:n])
		for j := range n {
			c.key[j] = uint8(j)
			dst[j] = false
		}
		left := n
		for i := uint64(0); i < f.k && left > 0; i++ {
			f.locate(&c.batchOffsets, i, c.h1s[:left], c.h2s[:left])
			left = f.sift(&c, left)
		}
		for _, j := range c.key[:left] {
			dst[j] = true
		}
		dst, h1s, h2s = dst[n:], h1s[n:], h2s[n:]
	}
}

// candidates holds the keys of a batch that no counter has ruled out yet.
type candidates struct {
	batchOffsets
	h1s, h2s [batchLen]uint64
	key      [batchLen]uint8 // the key's index in the batch
}

// keep moves key j to place n. It returns n+1 if ok is 1, otherwise n. It has no branch, because ok
// cannot be predicted.
func (c *candidates) keep(n, j int, ok uint64) int {
	c.h1s[n&(batchLen-1)], c.h2s[n&(batchLen-1)], c.key[n&(batchLen-1)] = c.h1s[j], c.h2s[j], c.key[j]
	return n + int(ok)
}

// sift moves the keys that their positions do not rule out to the front, and returns their number.
func (f *filter) sift(c *candidates, left int) (n int) {
	g := f.kernel
	for j, to := range c.at[:left] {
		low, high := g.marks(c.rest[j])
		w := binary.LittleEndian.Uint64(f.body[to:])
		ok := g.contains(w, &low)
		if g.halves {
			ok &= g.contains(w, &high)
		}
		n = c.keep(n, j, ok)
	}
	return n
}
