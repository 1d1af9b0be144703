package cuckoo

import (
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// filter is the part of a Sketch and of a View that answers queries: the buckets, and how keys find
// them. They are in memory of their own or in the BLOB's.
type filter struct {
	keyed.Base // with the flag Additive for a multiset
	table
	stored uint64 // number of fingerprints; 0 in a View that was not checked
}

// Contains reports whether a key may be there. It is true for every key that was added and not removed,
// and for another with the false positive rate (Info). O(1). Fan et al. 2014, section 3.2.
func (f *filter) Contains(h1, h2 uint64) bool {
	f.MustBeMade()
	i, fp := f.first(h1), f.fingerprintOf(h2)
	j := f.other(i, fp)
	l := f.layout
	if !l.narrow || l.variable {
		return f.found(i, j, fp)
	}
	w, ones := uint64(l.bits), l.ones // as found, without another call, for the most frequent form
	pattern := fp * ones
	x, y := fetch(f.mem, i*w)^pattern, fetch(f.mem, j*w)^pattern
	return ((x-ones)&^x|(y-ones)&^y)&l.highs != 0
}

// ContainsKey is Contains of a key's bytes (package key).
func (f *filter) ContainsKey(b []byte) bool { return f.Contains(key.Hash(f.Seed(), b)) }

// ContainsHashes writes Contains of every key to dst. h1s and h2s are as long as dst.
func (f *filter) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	f.MustBeMade()
	var b batch
	for len(dst) > 0 {
		n := min(batchLen, len(dst))
		f.locate(&b, h1s[:n], h2s[:n])
		f.foundBatch(dst[:n], &b)
		dst, h1s, h2s = dst[n:], h1s[n:], h2s[n:]
	}
}

// Count returns how often a key may be in a multiset: never below the true number, and at most
// twice the slots of a bucket. In a set it returns 1 or 0. O(1).
func (f *filter) Count(h1, h2 uint64) uint64 {
	f.MustBeMade()
	i, fp := f.first(h1), f.fingerprintOf(h2)
	return f.times(i, f.other(i, fp), fp)
}

// CountKey is Count of a key's bytes (package key).
func (f *filter) CountKey(b []byte) uint64 { return f.Count(key.Hash(f.Seed(), b)) }

// CountHashes writes Count of every key to dst. h1s and h2s are as long as dst.
func (f *filter) CountHashes(dst, h1s, h2s []uint64) {
	f.MustBeMade()
	var b batch
	for len(dst) > 0 {
		n := min(batchLen, len(dst))
		f.locate(&b, h1s[:n], h2s[:n])
		f.prefetch(&b, n)
		for k := range dst[:n] {
			dst[k] = f.times(b.i[k], b.j[k], b.fp[k])
		}
		dst, h1s, h2s = dst[n:], h1s[n:], h2s[n:]
	}
}

// times is Count by a key's buckets and its fingerprint.
func (t *table) times(i, j, fp uint64) uint64 {
	if t.params.Duplicates {
		return uint64(t.copies(i, j, fp))
	}
	if t.found(i, j, fp) {
		return 1
	}
	return 0
}
