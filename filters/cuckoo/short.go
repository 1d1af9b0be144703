package cuckoo

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
)

// short finds both buckets of a key in plain filters with fingerprints of eight bits or
// fewer in buckets of 1, 2, 4 or 8 bytes: the other one without a hash, so that both are
// read early. One key at a time takes as long as what one step of it waits for of another.
type short struct {
	shift             uint8  // from h1 to the byte where the first bucket begins
	mask              uint32 // of that byte, for the beginning of the bucket
	base, ones, highs uint64 // the layout's
	// across is, by a fingerprint less one, what the bytes where its two buckets begin
	// differ in.
	across [1 << 8]uint32
}

// shorts are made once, by the bits of a fingerprint and the logarithms of a bucket's bytes
// and of the number of buckets.
var shorts [9][4][32]atomic.Pointer[short]

// shortOf is nil for filters that have none. Their parameters and their size are in range.
func shortOf(l *layout, variant Variant, buckets uint64) *short {
	if variant != Plain || l.f > 8 || bits.OnesCount64(l.stride) != 1 {
		return nil
	}
	n, size := bits.TrailingZeros64(buckets), bits.TrailingZeros64(l.stride)
	at := &shorts[l.f][size][n]
	q := at.Load()
	if q == nil {
		q = newShort(l, buckets)
		at.Store(q)
	}
	return q
}

func newShort(l *layout, buckets uint64) *short {
	q := &short{
		shift: uint8(64 - bits.TrailingZeros64(buckets*l.stride)), mask: -uint32(l.stride),
		base: l.base, ones: l.ones, highs: l.highs,
	}
	t := table{layout: l, buckets: buckets}
	for v := range l.base {
		q.across[v] = uint32(t.other(0, v+1) * l.stride)
	}
	return q
}

// both are the bytes where a key's buckets begin, and its fingerprint less one.
func (q *short) both(h1, h2 uint64) (at, to, less uint64) {
	begin := uint32(h1>>(q.shift&63)) & q.mask
	less, _ = bits.Mul64(h2&^1, q.base)
	return uint64(begin), uint64(begin ^ q.across[less]), less
}

// words are the words that begin with a key's buckets.
func words(mem []byte, at, to uint64) (x, y uint64) {
	return binary.LittleEndian.Uint64(mem[at : at+8 : at+8]), binary.LittleEndian.Uint64(mem[to : to+8 : to+8])
}
