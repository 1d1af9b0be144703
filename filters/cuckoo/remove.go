package cuckoo

import (
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// setError is why a set has no removal, or whatever it is called. It is
// sketch.ErrNotAdditive.
type setError struct{ what string }

func (e setError) Error() string {
	return e.what + " from a set, in which another key may share the fingerprint and would be removed too: build it with duplicates"
}

func (setError) Unwrap() error { return sketch.ErrNotAdditive }

// Remove takes away n occurrences of a key that were added before; removing
// others can take away a key that is like them. Only from a multiset
// (sketch.ErrNotAdditive). More than Count is an error (sketch.ErrTooMany). An
// error changes nothing. O(1). Fan et al. 2014, section 3.3.
//
// With a variable length the longest fingerprint that matches goes: one that
// is shorter may be another key's, and that key need not match the longer one.
// "Variable-length Encoding Framework", section III.
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
			return tooMany(1, 0) // only the first of one
		}
	}
	s.stored -= n
	keyed.Shrink(&s.Base, n)
	return nil
}

func tooMany(n, have uint64) error {
	return fmt.Errorf("remove %d of a key that is there %d times: %w", n, have, sketch.ErrTooMany)
}

// RemoveKey is Remove of a key's bytes (package key).
func (s *Sketch) RemoveKey(b []byte, n uint64) error {
	h1, h2 := key.Hash(s.Seed(), b)
	return s.Remove(h1, h2, n)
}

// take removes the longest fingerprint that a key's is like, or reports false.
// Of two that are alike it takes that of the first bucket in memory, whichever
// of the two is the key's first.
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

// drop takes a slot out of bucket i. The last one stays the last where that
// matters; otherwise the largest is, whatever their order.
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

// lastIsOwn reports whether the last of n fingerprints has a field of another
// width than the others.
func (t *table) lastIsOwn(n int) bool { return n < int(t.b) && !t.class[t.code[n]].uniform }
