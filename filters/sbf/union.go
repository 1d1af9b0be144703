package sbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// operand is the sketch of memory or of a BLOB that an operation reads.
type operand struct {
	keyed.Base
	shape
	first, second cells
	marks         []byte
	traps         traps
}

func (s *Sketch) operand() operand {
	return operand{s.Base, s.shape, s.first.cells, s.second.cells, s.marks, s.traps}
}

func (v *View) operand() operand {
	return operand{v.Base, v.shape, v.first, v.second, v.marks, v.traps()}
}

// agree is nil for sketches that may be used together, otherwise an error that
// wraps sketch.ErrDiffer and names both values. The encoding may differ.
func agree(a, b operand) error {
	layouts := map[bool]string{true: "blocked", false: "not blocked"}
	markers := map[bool]string{true: "with marker", false: "without marker"}
	switch {
	case a.method != b.method:
		return sketch.Differ("method", a.method, b.method)
	case a.k != b.k:
		return sketch.Differ("k", a.k, b.k)
	case a.shape.first.m != b.shape.first.m:
		return sketch.Differ("counters", a.shape.first.m, b.shape.first.m)
	case a.blocked != b.blocked:
		return sketch.Differ("layout", layouts[a.blocked], layouts[b.blocked])
	case a.marker != b.marker:
		return sketch.Differ("second filter", markers[a.marker], markers[b.marker])
	case a.span != b.span:
		return sketch.Differ("range", a.span, b.span)
	case a.product != b.product:
		return sketch.Differ("method", a.what(), b.what())
	}
	return keyed.Agree(a.Base, b.Base)
}

// Union adds the occurrences of other, which is left unchanged and must agree
// in everything but the encoding (sketch.ErrDiffer). O(m).
//
// With MS the union of parts is the sketch of the whole, to the byte. With MI
// each counter is at least the sum of the counts that it bounds in either, so
// estimates are never below the truth, but they may be larger than those of
// one sketch of the whole. With RM and TRM a key may have been moved to the
// second filter in one part only, where the sum of the second filters would be
// too little for it: the union keeps the first filters' sum alone, whose
// estimates are those of MS on two thirds of the counters and never below the
// truth, and begins to move keys anew. Only a sketch without keys, and one that
// is still gathering, lose nothing.
func (s *Sketch) Union(other *Sketch) error {
	if err := agree(s.operand(), other.operand()); err != nil {
		return err
	}
	if s.gather != nil && other.gather != nil {
		keyed.Unite(&s.Base, other.Base)
		if s == other {
			for h, n := range s.gather {
				s.gather[h] = satAdd(n, n)
			}
			return nil
		}
		for h, n := range other.gather {
			if s.gather == nil { // there were too many
				s.putOne(h.h1, h.h2, n)
				continue
			}
			s.collect(h.h1, h.h2, n)
		}
		return nil
	}
	if s.gather != nil && other.gaveUp {
		s.giveUp()
	}
	if other = other.settled(); other == s {
		other = s.Clone()
	}
	s.unite(other.operand())
	return nil
}

// unite adds another sketch, which agrees.
func (s *Sketch) unite(o operand) {
	if s.gather != nil {
		s.settle()
	}
	keyed.Unite(&s.Base, o.Base)
	if !s.method.recurring() {
		if s.first.sum(&o.first) {
			keyed.SetSaturated(&s.Base)
		}
		return
	}
	switch {
	case o.first.empty():
	case s.first.empty():
		s.first.copy(&o.first)
		s.second.copy(&o.second)
		copy(s.marks, o.marks)
		if s.traps != nil {
			s.traps = o.traps.clone()
		}
	default:
		s.first.sum(&o.first)
		s.empty()
	}
	s.flagSaturated()
}

// flagSaturated sets the flag to what the counters are.
func (s *Sketch) flagSaturated() {
	if s.first.full() || s.method.recurring() && s.second.full() {
		keyed.SetSaturated(&s.Base)
	} else {
		keyed.ClearSaturated(&s.Base)
	}
}

// empty reports whether all counters are 0.
func (c *cells) empty() bool {
	all := uint64(0)
	c.each(func(_ int, block []uint64) {
		for _, v := range block {
			all |= v
		}
	})
	return all == 0
}

// update gives every counter the value that f has for it and its like in o.
func (t *table) update(o *cells, f func(a, b uint64) uint64) (full bool) {
	value := func(a, b uint64) uint64 {
		v := f(a, b)
		full = full || v == saturated
		return v
	}
	if t.index == nil {
		from := o.words
		if !o.plain() {
			from = o.table(Plain).words
		}
		t.words.Merge(from, value)
		return full
	}
	var room [words.BlockLen]uint64
	t.index.Update(func(at int, block []uint64) {
		others := room[:len(block)]
		o.unpack(at, others)
		for i, v := range block {
			block[i] = value(v, others[i])
		}
	})
	return full
}

func (t *table) sum(o *cells) (full bool) { return t.update(o, satAdd) }

func (t *table) copy(o *cells) { t.update(o, func(_, b uint64) uint64 { return b }) }

// Product is the sketch of a join: the Count of a key is never below the
// product of its true counts in a and in b, which are not changed and must
// agree in everything except the encoding (sketch.ErrDiffer). Each counter is
// the product of the two, capped at 2^64-1; with RM and TRM those of the first
// filters, as in Union. Products are not sums: Remove and Unbiased refuse them,
// and their total is unknown. O(m). Section 2.2, "Queries over joins of sets".
func Product(a, b *Sketch) (*Sketch, error) {
	left, right := a.operand(), b.operand()
	left.product = right.product // of products too: three relations and more are joined
	if err := agree(left, right); err != nil {
		return nil, err
	}
	p, b := a.settled().Clone(), b.settled()
	p.Base = keyed.New(a.Seed(), 0)
	keyed.Unite(&p.Base, a.Base)
	keyed.Unite(&p.Base, b.Base)
	keyed.Forget(&p.Base)
	p.product = true
	p.empty()
	p.first.update(&b.first.cells, satMul)
	p.flagSaturated()
	return p, nil
}

// Unbiased is an estimate whose mean over all hash functions is the true count;
// for one key it is often further off than Count, in both directions, and it
// can be negative. Use it for sums over many keys. Lemma 3:
//
//	(v - k*N/m) / (1 - k/m)
//
// for the mean v of the key's counters and the total N. With groups above 1 the
// counters are divided into that many groups, of equal size or one more, and the
// estimate is the median of their means, section 3.1.1. Only where counters are
// sums and the total is known (sketch.ErrNotAdditive). With RM and TRM it is
// made of the first filter. O(k).
func (s *Sketch) Unbiased(h1, h2 uint64, groups int) (float64, error) {
	if s.gather != nil {
		return float64(s.gather[hash{h1, h2}]), nil
	}
	return s.shape.unbiased(s.Base, &s.first.cells, h1, h2, groups)
}

func (s *shape) unbiased(b keyed.Base, first *cells, h1, h2 uint64, groups int) (float64, error) {
	total, known := b.Total()
	switch {
	case !b.Additive() || !known:
		return 0, fmt.Errorf("unbiased estimate of method %s: %w", s.what(), sketch.ErrNotAdditive)
	case groups < 1 || groups > s.k:
		return 0, sketch.OptionError("groups", "is %d, must be from 1 to \"k\" %d", groups, s.k)
	case s.first.m == uint64(s.k):
		return 0, sketch.OptionError("counters", "is %d, must be more than \"k\" for an unbiased estimate", s.first.m)
	}
	var room [MaxK]uint32
	var means [MaxK]float64
	pos := room[:s.k]
	s.first.positions(pos, h1, h2)
	for g := range groups {
		part := pos[g*s.k/groups : (g+1)*s.k/groups]
		for _, p := range part {
			means[g] += float64(first.at(p)) / float64(len(part))
		}
	}
	k, m, n := float64(s.k), float64(s.first.m), float64(total)
	if s.span != (Range{}) {
		n *= float64(s.span.levels())
	}
	return (median(means[:groups]) - k*n/m) / (1 - k/m), nil
}
