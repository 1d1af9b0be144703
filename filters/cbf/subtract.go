package cbf

import "github.com/ccbfsql/ccbfsql/filters/keyed"

// Subtract takes away the occurrences of other, which is left unchanged and must
// agree in every parameter, seed and class of keys (sketch.ErrDiffer): all of them
// were added here before. A counter of other that holds what its like here cannot, or
// a larger total, shows that other is not part (sketch.ErrTooMany); what counters do
// not show can make keys that are there seem absent. An error changes nothing.
// O(Counters).
//
// What remains of a plain filter or one with increments, of fixed length, is the
// filter of the other occurrences, to the byte, unless a counter is stuck: it stays
// so. A pair of tandem counters that held occurrences of both has no signature
// afterwards, as after Remove. With variable length the upper halves remain if both
// have them; if one has dropped them, both are used without, and a counter that is
// stuck in other, because its half was stuck when it was dropped, becomes stuck.
func (s *Sketch) Subtract(other *Sketch) error {
	if err := s.agree(&other.filter); err != nil {
		return err
	}
	return s.subtract(&other.filter)
}

// SubtractBlob is Subtract of the filter of a BLOB, as UnionBlob is Union.
func (s *Sketch) SubtractBlob(blob []byte) error { return Family.SubtractBlob(s, blob) }

// subtract works on a copy, for it may end in an error. It may be given the filter of
// s itself.
func (s *Sketch) subtract(other *filter) error {
	if err := keyed.Part(s.Base, other.Base); err != nil {
		return err
	}
	c := s.Clone()
	both := c.kernel.halves && other.kernel.halves
	if !both && c.kernel.halves {
		c.drop()
	}
	wide := !both && other.kernel.halves
	apart := c.variable && !both
	g := &c.kernel
	stuck := uint64(0)
	for i := range c.words {
		a, b := c.at(i), other.at(i)
		if wide {
			b, _ = other.kernel.widen(b)
		}
		if b != 0 {
			var part bool
			if a, part = g.subtract(a, b, apart); !part {
				return keyed.ErrNoPart
			}
			c.set(i, a)
		}
		stuck |= g.stuck(a)
	}
	total, _ := other.Total()
	keyed.Shrink(&c.Base, total)
	c.setSaturated(stuck != 0)
	*s = *c
	return nil
}

// subtract is the word a without what word b holds, counter by counter. It reports
// false where that is not part of a. Where the filters dropped their halves, or one did,
// they did so with other occurrences, apart: a counter may be stuck in b alone.
func (g *kernel) subtract(a, b uint64, apart bool) (rest uint64, part bool) {
	if g.variant == Tandem {
		return g.subtractPairs(a, b, apart)
	}
	for at := uint64(0); at < 64; at += g.bits {
		c, ok := g.less(a>>at&g.ceiling, b>>at&g.ceiling, apart)
		if !ok {
			return a, false
		}
		rest |= c << at
	}
	return rest, true
}

// less is counter a without b, neither of them signed.
func (g *kernel) less(a, b uint64, apart bool) (rest uint64, part bool) {
	switch {
	case b == 0 || a == g.ceiling: // a stuck one stands for any number
		return a, true
	case b == g.ceiling:
		return b, apart
	}
	return a - b, a == b || a >= b+g.inc
}

// subtractPairs is subtract for pairs. A signed one holds one occurrence alone.
func (g *kernel) subtractPairs(a, b uint64, apart bool) (rest uint64, part bool) {
	for at := uint64(0); at < 64; at += g.bits {
		if at&g.width != 0 { // the second of its pair
			continue
		}
		a0, a1 := a>>at&g.ceiling, a>>(at+g.width)&g.ceiling
		b0, b1 := b>>at&g.ceiling, b>>(at+g.width)&g.ceiling
		if b0|b1 == 0 {
			rest |= a0<<at | a1<<(at+g.width)
			continue
		}
		signed := g.signed(a0, a1)
		if signed && g.signed(b0, b1) {
			if a0 != b0 || a1 != b1 {
				return a, false
			}
			continue
		}
		a0, a1 = g.unsigned(a0, a1)
		b0, b1 = g.unsigned(b0, b1)
		c0, ok0 := g.less(a0, b0, apart)
		c1, ok1 := g.less(a1, b1, apart)
		if !ok0 || !ok1 || signed && c0|c1 != 0 {
			return a, false
		}
		rest |= c0<<at | c1<<(at+g.width)
	}
	return rest, true
}

// signed reports whether one counter of a pair is a note.
func (g *kernel) signed(a, b uint64) bool { return a-1 < g.notes || b-1 < g.notes }
