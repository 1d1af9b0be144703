package cuckoo

import (
	"cmp"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// agree returns nil for filters that may be used together. Otherwise it returns an error that wraps
// sketch.ErrDiffer and names both values.
func agree(a, b *filter) error {
	p, q := a.params, b.params
	return cmp.Or(
		sketch.Same("fingerprint_bits", p.FingerprintBits, q.FingerprintBits),
		sketch.Same("slots", p.Slots, q.Slots),
		sketch.Same("variant", p.Variant, q.Variant),
		sketch.Same("variable_length", p.VariableLength, q.VariableLength),
		sketch.Same("duplicates", p.Duplicates, q.Duplicates),
		sketch.Same("capacity", p.Capacity, q.Capacity),
		sketch.Same("number of buckets", a.buckets, b.buckets),
		keyed.Agree(a.Base, b.Base),
	)
}

// Union adds the fingerprints of other, which is unchanged and must agree in all parameters and in the
// class of keys (sketch.ErrDiffer). A set takes those that are not yet there; a multiset takes them
// all. If they do not fit, the error wraps ErrFull. An error changes nothing. The bucket of a
// fingerprint depends on the keys before it. So a union may have other bytes than one filter of all
// keys, or than the union in the other order. O(Bytes).
func (s *Sketch) Union(other *Sketch) error {
	if err := agree(&s.filter, &other.filter); err != nil {
		return err
	}
	if s.pending != nil || other.pending != nil {
		return s.uniteWaiting(other)
	}
	return s.unite(&other.table, other.Base)
}

// unite adds a filter that agrees. It works on a copy, because it may return an error, and other may be
// s.
func (s *Sketch) unite(other *table, base keyed.Base) error {
	c := s.Clone()
	keyed.Unite(&c.Base, base)
	for i := range other.buckets {
		p := other.read(i)
		other.canonical(&p) // the order in a BLOB: so s.Union and a union with the BLOB give the same bytes
		for _, q := range p.slice() {
			if err := c.accept(i, q); err != nil {
				return err
			}
		}
	}
	*s = *c
	return nil
}

// accept puts a fingerprint of another filter's bucket i into one of its two buckets.
func (s *Sketch) accept(i uint64, q fingerprint) error {
	j := s.other(i, q.v)
	if !s.params.Duplicates && (s.merge(i, q) || s.merge(j, q)) {
		return nil
	}
	if !s.place(i, j, q) && !s.force(i, j, q.v) {
		return s.full(i, j, q.v)
	}
	s.stored++
	return nil
}

// merge lets one fingerprint of bucket i stand for the keys of q too, if the two match: it keeps the
// bits that both know. In a set they are most often the same key.
func (s *Sketch) merge(i uint64, q fingerprint) bool {
	if s.lacks(i, q.v) {
		return false
	}
	p := s.read(i)
	for k, o := range p.slice() {
		if !o.matches(q.v) && !q.matches(o.v) {
			continue
		}
		if !o.covers(q) {
			p.all[k] = o.cut(uint(q.known))
			s.write(i, &p)
		}
		return true
	}
	return false
}
