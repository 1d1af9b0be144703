package cuckoo

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// Subtract subtracts the occurrences of other, all of which were added here before. It leaves other
// unchanged, which must agree in all parameters and in the class of keys (sketch.ErrDiffer). It is an
// error for sets (sketch.ErrNotAdditive). A fingerprint that is not here shows that other is not part
// (sketch.ErrTooMany). If a key that was never added looks like another one, that one may seem absent
// afterwards. An error changes nothing. The counts of all keys are then those of a filter of the other
// occurrences. With a variable length they may be higher, because fingerprints may be shorter than in
// that filter. The bytes may differ, because a fingerprint may be in its other bucket. O(Bytes).
func (s *Sketch) Subtract(other *Sketch) error {
	if err := agree(&s.filter, &other.filter); err != nil {
		return err
	}
	return s.subtract(&other.table, other.Base)
}

// SubtractBlob is Subtract of the filter of a BLOB, as UnionBlob is Union.
func (s *Sketch) SubtractBlob(blob []byte) error { return Family.SubtractBlob(s, blob) }

// subtract works on a copy, because it may return an error, and other may be s.
func (s *Sketch) subtract(other *table, base keyed.Base) error {
	if !s.multiset {
		return setError{"subtract"}
	}
	if err := keyed.Part(s.Base, base); err != nil {
		return err
	}
	c := s.Clone()
	for i := range other.buckets {
		p := other.read(i)
		for _, q := range p.slice() {
			var found bool
			if c.variable {
				found = c.takeMatching(i, c.other(i, q.v), q)
			} else {
				found = c.take(i, c.other(i, q.v), q.v)
			}
			if !found {
				return keyed.ErrNoPart
			}
			c.stored--
		}
	}
	total, _ := base.Total()
	keyed.Shrink(&c.Base, total)
	*s = *c
	return nil
}

// takeMatching removes the fingerprint of an occurrence, for which another filter has q, from buckets i and
// j. It reports false if there is none.
//
// The fingerprint may be any prefix of q, or have q as a prefix. Each fingerprint belongs to one
// occurrence and is a prefix of its hash. That must remain so for the others, whichever of them was
// meant. If no fingerprint is longer than q, the longest is removed, as in take: the others are
// prefixes of its hash too. If some are longer, one of these is removed, and the others are cut to
// their common prefix.
func (t *table) takeMatching(i, j uint64, q fingerprint) bool {
	var longer, longest fingerprint
	var at, atLongest place
	common := uint(0) // length of the common prefix of the fingerprints that are longer than q
	for _, b := range [...]uint64{min(i, j), max(i, j)} {
		p := t.read(b)
		for k, o := range p.slice() {
			switch {
			case o.known <= q.known:
				if o.matches(q.v) && o.known > longest.known {
					longest, atLongest = o, place{b, k}
				}
			case !q.matches(o.v):
			case longer.known == 0:
				longer, at, common = o, place{b, k}, uint(o.known)
			default:
				common = min(common, uint(o.known), uint(bits.TrailingZeros64(o.v^longer.v)))
			}
		}
	}
	switch {
	case longer.known > 0:
		t.shorten(i, q, common)
		t.shorten(j, q, common)
	case longest.known > 0:
		at = atLongest
	default:
		return false
	}
	t.drop(at.bucket, at.slot)
	return true
}

// place is a slot of a bucket.
type place struct {
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
