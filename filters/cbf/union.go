package cbf

import (
	"cmp"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Union adds the occurrences of other, which is unchanged and must agree in every parameter, seed and
// class of keys (sketch.ErrDiffer). Counters are added up to their ceiling. The union keeps the upper
// halves if both have them and all occurrences together are at most Alpha*Capacity. Otherwise both are
// used without. O(Counters).
//
// The union of filters of parts is the filter of the whole, to the byte, for fixed length. With
// variable length that holds while halves are kept. Past them it holds if no half was stuck: a half
// that is stuck in a part is stuck in the union.
func (s *Sketch) Union(other *Sketch) error {
	if err := agree(s, other); err != nil {
		return err
	}
	total, known := other.Total()
	if known && other.halves {
		s.room(total)
	} else if s.halves {
		s.drop()
	}
	keyed.Unite(&s.Base, other.Base)
	s.combine(other, func(a, b uint64) (uint64, bool) { return s.kernel.unite(a, b), true })
	return nil
}

// agree returns nil for filters that may be used together. Otherwise it returns an error that wraps
// sketch.ErrDiffer and names both values.
func agree(a, b *Sketch) error {
	return cmp.Or(
		sketch.Same("variant", a.variant, b.variant),
		sketch.Same("counter bits", a.width, b.width),
		sketch.Same("counters", a.counters(), b.counters()),
		sketch.Same("k", a.k, b.k),
		sketch.Same("increment", a.inc, b.inc),
		sketch.Same("variable length", a.variable, b.variable),
		sketch.Same("alpha", a.alpha, b.alpha),
		sketch.Same("capacity", a.capacity, b.capacity),
		keyed.Agree(a.Base, b.Base),
	)
}

// combine sets every word to f of it and of the same word of other, unless that is 0. other may be s. If s has
// dropped the upper halves, the words of other are taken without them. It returns false where f does.
func (s *Sketch) combine(other *Sketch, f func(a, b uint64) (word uint64, ok bool)) bool {
	wide := other.halves && !s.halves
	stuck := uint64(0)
	for i := range s.words {
		a, b := s.at(i), other.at(i)
		if wide {
			b, _ = other.widen(b)
		}
		if b != 0 {
			var ok bool
			if a, ok = f(a, b); !ok {
				return false
			}
			s.set(i, a)
		}
		stuck |= s.stuck(a)
	}
	keyed.SetSaturated(&s.Base, stuck != 0)
	return true
}

// unite returns the sum of two words, counter by counter.
func (g *kernel) unite(a, b uint64) uint64 {
	if a == 0 {
		return b
	}
	if g.variant == Tandem {
		return g.unitePairs(a, b)
	}
	top := g.ones << (g.bits - 1)
	sum := (a &^ top) + (b &^ top)
	carry := (a&b | (a|b)&sum) & top
	sum ^= (a ^ b) & top
	return sum | carry>>(g.bits-1)*g.ceiling
}

// unitePairs is unite for pairs. A pair keeps its signature only if the other one is empty.
func (g *kernel) unitePairs(a, b uint64) (sum uint64) {
	for at := range g.pairs {
		pair := g.ceiling<<at | g.ceiling<<(at+g.width)
		switch {
		case b&pair == 0:
			sum |= a & pair
		case a&pair == 0:
			sum |= b & pair
		default:
			a0, a1 := g.unsigned(a>>at&g.ceiling, a>>(at+g.width)&g.ceiling)
			b0, b1 := g.unsigned(b>>at&g.ceiling, b>>(at+g.width)&g.ceiling)
			c0, _ := g.sum(a0, b0)
			c1, _ := g.sum(a1, b1)
			sum |= c0<<at | c1<<(at+g.width)
		}
	}
	return sum
}
