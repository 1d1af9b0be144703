package cuckoo

import (
	"fmt"
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
	if !s.multiset {
		return setError{"remove"}
	}
	i, fp := s.first(h1), s.fingerprintOf(h2)
	j := s.other(i, fp)
	if n != 1 {
		if have := uint64(s.copies(i, j, fp)); n > have {
			return tooMany(n, have)
		}
	}
	for range n {
		if !s.take(i, j, fp) {
			return tooMany(1, 0) // only if n is 1
		}
	}
	s.stored -= n
	keyed.Shrink(&s.Base, n)
	return nil
}

// tooMany returns the error for a removal of n occurrences of a key that is there have times.
func tooMany(n, have uint64) error {
	return fmt.Errorf("remove %d of a key that is there %d times: %w", n, have, sketch.ErrTooMany)
}

// RemoveKey is Remove of a key's bytes (package key).
func (s *Sketch) RemoveKey(b []byte, n uint64) error {
	h1, h2 := key.Hash(s.Seed(), b)
	return s.Remove(h1, h2, n)
}

// take removes the longest fingerprint that matches a key's, or reports false. If two are equally long
// it removes the one in the bucket that is first in memory, whichever of the two is the key's first.
func (t *table) take(i, j, fp uint64) bool {
	best, at, slot := 0, uint64(0), 0
	for _, b := range [...]uint64{min(i, j), max(i, j)} {
		if t.narrow && t.anyZero(t.word(b)^t.lanes(fp)) == 0 {
			continue
		}
		p := t.read(b)
		for k, q := range p.slice() {
			if q.matches(fp) && int(q.known) > best {
				best, at, slot = int(q.known), b, k
			}
		}
	}
	if best == 0 {
		return false
	}
	t.drop(at, slot)
	return true
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

// lastIsOwn reports whether the last of n fingerprints has a field of another width than the others.
func (t *table) lastIsOwn(n int) bool { return n < int(t.b) && !t.class[t.code[n]].uniform }
