package cuckoo

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// filter is what a Sketch and a View share: the buckets, in memory of their own or in the
// BLOB's, and how keys find them.
type filter struct {
	keyed.Base // Additive for a multiset
	params     Params
	table
	stored uint64 // fingerprints; of a View, once it was checked
}

// Contains reports whether a key may be there: true for every key that was
// added and not removed, and for another with the false positive rate (Info).
// O(1). Fan et al. 2014, section 3.2.
func (f *filter) Contains(h1, h2 uint64) bool {
	f.MustBeMade()
	return f.contains(h1, h2)
}

// ContainsKey is Contains of a key's bytes (package key).
func (f *filter) ContainsKey(b []byte) bool {
	f.MustBeMade()
	return f.containsKey(f.Seed(), b)
}

// ContainsHashes writes Contains of every key to dst, which is as long as h1s
// and h2s.
func (f *filter) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	f.MustBeMade()
	f.containsHashes(dst, h1s, h2s)
}

// Count is how often a key may be in a multiset: never below the true number,
// and at most twice the slots of a bucket; 1 or 0 for a set. O(1).
func (f *filter) Count(h1, h2 uint64) uint64 {
	f.MustBeMade()
	return f.countOf(h1, h2)
}

// CountKey is Count of a key's bytes (package key).
func (f *filter) CountKey(b []byte) uint64 {
	f.MustBeMade()
	return f.countOf(key.Hash(f.Seed(), b))
}

// CountHashes writes the Count of every key to dst, which is as long as h1s
// and h2s.
func (f *filter) CountHashes(dst, h1s, h2s []uint64) {
	f.MustBeMade()
	f.countHashes(dst, h1s, h2s)
}

func (t *table) contains(h1, h2 uint64) bool {
	i, fp := t.first(h1), t.fingerprintOf(h2)
	return t.found(i, t.other(i, fp), fp)
}

// containsKey is contains of a key's bytes, where there is a shortcut to its buckets, or these
// are narrow and of one length, and with a key of 8 bytes, as most are, in this one call: one key at a time costs its instructions,
// and of large filters the fewer they are, the more keys wait for memory at once.
func (t *table) containsKey(seed uint64, b []byte) bool {
	var h1, h2 uint64
	if len(b) == 8 {
		h1, h2 = key.HashFrom(t.start, binary.LittleEndian.Uint64(b))
	} else {
		h1, h2 = key.Hash(seed, b)
	}
	if q := t.short; q != nil {
		at, to, less := q.both(h1, h2)
		x, y := words(t.mem, at, to)
		ones := q.ones
		pattern := less*ones + ones
		x, y = x^pattern, y^pattern
		return ((x-ones)&^x|(y-ones)&^y)&q.highs != 0
	}
	l := t.layout
	stride := l.stride
	if stride == 0 && (!l.narrow || t.variable) {
		return t.contains(h1, h2)
	}
	i, _ := bits.Mul64(h1, t.buckets)
	fp, _ := bits.Mul64(h2&^1, l.base)
	fp++
	j := t.other(i, fp)
	mem, ones := t.mem, l.ones
	pattern := fp * ones
	var x, y uint64
	if stride != 0 {
		at, to := i*stride, j*stride
		x, y = binary.LittleEndian.Uint64(mem[at:at+8:at+8]), binary.LittleEndian.Uint64(mem[to:to+8:to+8])
	} else {
		x, y = fetch(mem, i*uint64(l.bits)), fetch(mem, j*uint64(l.bits))
	}
	x, y = x^pattern, y^pattern
	return ((x-ones)&^x|(y-ones)&^y)&l.highs != 0
}

func (t *table) countOf(h1, h2 uint64) uint64 {
	i, fp := t.first(h1), t.fingerprintOf(h2)
	return t.times(i, t.other(i, fp), fp)
}

func (t *table) times(i, j, fp uint64) uint64 {
	if t.multiset {
		return uint64(t.copies(i, j, fp))
	}
	if t.found(i, j, fp) {
		return 1
	}
	return 0
}

func (t *table) containsHashes(dst []bool, h1s, h2s []uint64) {
	var b batch
	for len(dst) > 0 {
		n := min(batchLen, len(dst))
		t.locate(&b, h1s[:n], h2s[:n])
		t.foundBatch(dst[:n], &b)
		dst, h1s, h2s = dst[n:], h1s[n:], h2s[n:]
	}
}

func (t *table) countHashes(dst, h1s, h2s []uint64) {
	var b batch
	for len(dst) > 0 {
		n := min(batchLen, len(dst))
		t.locate(&b, h1s[:n], h2s[:n])
		for k := range dst[:n] {
			dst[k] = t.times(b.i[k], b.j[k], b.fp[k])
		}
		dst, h1s, h2s = dst[n:], h1s[n:], h2s[n:]
	}
}
