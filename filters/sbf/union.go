package sbf

import (
	"maps"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// Union adds the occurrences of other, which is unchanged and must agree in everything except the
// encoding (sketch.ErrDiffer). O(m).
//
// With MS the union of parts is the sketch of the whole, to the byte. With MI each counter is at least
// the sum of the counts that it bounds in both, so estimates are never below the truth. They may be
// larger than those of one sketch of the whole. With RM and TRM a key may have been moved in one part
// only. The sum of the second filters would be too small for it. The union keeps only the sum of the
// first filters and begins to move keys anew. It estimates as MS does on two thirds of the
// counters, never below the truth. A union with a sketch without keys loses nothing, and neither does
// one of two sketches that still gather.
func (s *Sketch) Union(other *Sketch) error {
	if err := agree(&s.filter, &other.filter); err != nil {
		return err
	}
	if s.exact != nil && other.exact != nil {
		keyed.Unite(&s.Base, other.Base)
		for h, n := range other.exact { // which may be those of s: every key is met once
			s.putOne(h.h1, h.h2, n)
		}
		return nil
	}
	if s.exact != nil && other.overflowed {
		s.overflow()
	}
	if other = other.finished(); other == s {
		other = s.Clone()
	}
	s.unite(&other.filter, other.traps)
	return nil
}

// unite adds another filter, which agrees, and its traps.
func (s *Sketch) unite(o *filter, traps traps) {
	if s.exact != nil {
		s.finishCounters()
	}
	keyed.Unite(&s.Base, o.Base)
	if !s.method.recurring() {
		keyed.Saturate(&s.Base, s.first.words.Merge(o.first.table(), saturate.Add))
		return
	}
	switch {
	case o.first.empty():
	case s.first.empty():
		s.first, s.second, s.marks = o.first, o.second, o.marks
		s.ownCounters()
		if s.traps != nil {
			s.traps = maps.Clone(traps)
		}
	default:
		s.first.words.Merge(o.first.table(), saturate.Add)
		s.empty()
	}
	s.flagSaturated()
}

// flagSaturated sets the flag to the state of the counters.
func (s *Sketch) flagSaturated() {
	keyed.SetSaturated(&s.Base, s.full())
}

// Product returns the sketch of a join. The Count of a key is never below the product of its true
// counts in a and in b. These are unchanged and must agree in everything except the encoding
// (sketch.ErrDiffer). Each counter is the product of the two, at most 2^64-1, with RM and TRM of the
// first filters, as in Union. Products are not sums: Remove and Unbiased refuse them, and their total
// is unknown. O(m). Section 2.2, "Queries over joins of sets".
func Product(a, b *Sketch) (*Sketch, error) {
	left := a.filter
	left.product = b.product // agree must accept a b that is a product already: a join of three relations or more
	if err := agree(&left, &b.filter); err != nil {
		return nil, err
	}
	p, b := a.finished().Clone(), b.finished()
	p.Base = keyed.New(a.Seed(), 0)
	keyed.Unite(&p.Base, a.Base)
	keyed.Unite(&p.Base, b.Base)
	keyed.Forget(&p.Base)
	p.product = true
	p.empty()
	p.first.words.Merge(b.first.table(), saturate.Mul)
	p.flagSaturated()
	return p, nil
}
