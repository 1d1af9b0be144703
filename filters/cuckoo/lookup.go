package cuckoo

import (
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
	return f.contains(key.Hash(f.Seed(), b))
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
