package cuckoo

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// setError is the error for removing from a set, or for the operation that it names. It is
// sketch.ErrNotAdditive.
type setError struct{ what string }

func (e setError) Error() string {
	return e.what + " from a set, in which another key may share the fingerprint and would be removed too: build it with duplicates"
}

func (setError) Unwrap() error { return sketch.ErrNotAdditive }

// Remove subtracts n occurrences of a key that were added before. Removing others can remove a key with
// the same fingerprint. It is an error for a set (sketch.ErrNotAdditive), and for more than Count
// (sketch.ErrTooMany). An error changes nothing. O(1). Fan et al. 2014, section 3.3.
//
// With a variable length it removes the longest fingerprint that matches. A shorter one may be another
// key's, and that key need not match the longer one. "Variable-length Encoding Framework", section III.
func (s *Sketch) Remove(h1, h2, n uint64) error {
	if !s.params.Duplicates {
		return setError{"remove"}
	}
	i, fp := s.first(h1), s.fingerprintOf(h2)
	j := s.other(i, fp)
	if have := uint64(s.copies(i, j, fp)); n > have {
		return fmt.Errorf("remove %d of a key that is there %d times: %w", n, have, sketch.ErrTooMany)
	}
	for range n {
		s.take(i, j, fingerprint{fp, s.knownBits()})
	}
	s.stored -= n
	keyed.Shrink(&s.Base, n)
	return nil
}

// RemoveKey is Remove of a key's bytes (package key).
func (s *Sketch) RemoveKey(b []byte, n uint64) error {
	h1, h2 := key.Hash(s.Seed(), b)
	return s.Remove(h1, h2, n)
}

// take removes the fingerprint of an occurrence with the fingerprint q, its own or that of another filter,
// from buckets i and j. It reports false if there is none. If two are equally long it removes the one in
// the bucket that is first in memory, whichever of the two is the key's first.
//
// The fingerprint may be any prefix of q, or have q as a prefix. Each fingerprint belongs to one
// occurrence and is a prefix of its hash. That must remain so for the others, whichever of them was
// meant. If no fingerprint is longer than q, the longest is removed: the others are prefixes of its hash
// too. If some are longer, one of these is removed, and the others are cut to their common prefix.
func (t *table) take(i, j uint64, q fingerprint) bool {
	var longer, longest location
	common := uint(0) // length of the common prefix of the fingerprints that are longer than q
	for _, b := range [...]uint64{min(i, j), max(i, j)} {
		if t.lacks(b, q.v) {
			continue
		}
		p := t.read(b)
		for k, o := range p.slice() {
			switch {
			case o.known <= q.known:
				if o.matches(q.v) && o.known > longest.known {
					longest = location{o, b, k}
				}
			case !q.matches(o.v):
			case longer.known == 0:
				longer, common = location{o, b, k}, uint(o.known)
			default:
				common = min(common, uint(o.known), uint(bits.TrailingZeros64(o.v^longer.v)))
			}
		}
	}
	out := longest
	if longer.known > 0 {
		t.shorten(i, q, common)
		t.shorten(j, q, common)
		out = longer
	}
	if out.known > 0 {
		t.drop(out.bucket, out.slot)
	}
	return out.known > 0
}

// location is a fingerprint in a slot of a bucket.
type location struct {
	fingerprint
	bucket uint64
	slot   int
}

// shorten cuts the fingerprints of bucket i to n bits that are longer than q and have q as a prefix. Only a
// bucket that is not full has such fingerprints, and it keeps their order.
func (t *table) shorten(i uint64, q fingerprint, n uint) {
	p := t.read(i)
	cut := false
	for k, o := range p.slice() {
		if o.known > q.known && uint(o.known) > n && q.matches(o.v) {
			p.all[k], cut = o.cut(n), true
		}
	}
	if cut {
		t.write(i, &p)
	}
}

// drop removes the fingerprint in this slot of bucket i. If the field of the last fingerprint has another
// width than the others, that fingerprint stays the last. Otherwise the largest becomes the last.
func (t *table) drop(i uint64, slot int) {
	p := t.read(i)
	sorted := !t.variable || !t.lastIsOwn(p.n) || slot == p.n-1
	copy(p.all[slot:], p.all[slot+1:p.n])
	p.n--
	if sorted {
		slices.SortFunc(p.slice(), fingerprint.compare)
	}
	t.write(i, &p)
}
