package cbf

import "github.com/ccbfsql/ccbfsql/filters/keyed"

// Subtract subtracts the occurrences of other, all of which were added here before. It leaves other
// unchanged, which must agree in every parameter, seed and class of keys (sketch.ErrDiffer). A counter
// of other that the same counter here cannot contain, or a larger total, shows that other is not part
// (sketch.ErrTooMany). If other is not part and counters do not show it, keys that are there can seem
// absent. An error changes nothing. O(Counters).
//
// For plain filters and those with increments, of fixed length, the result is the filter of the other
// occurrences, to the byte. Only stuck counters stay stuck, and the class of keys stays. A pair of tandem
// counters that held occurrences of both has no signature afterwards, as after Remove. With variable length the upper
// halves remain if both have them. If one has dropped them, both are used without. A counter of other
// may be stuck because its half was stuck when it was dropped: it becomes stuck here.
func (s *Sketch) Subtract(other *Sketch) error {
	if err := agree(s, other); err != nil {
		return err
	}
	if err := keyed.Part(s.Base, other.Base); err != nil {
		return err
	}
	c := s.Clone() // changed in place of s, because of the error below
	both := c.halves && other.halves
	if !both && c.halves {
		c.drop()
	}
	apart := c.variable && !both
	if !c.combine(other, func(a, b uint64) (uint64, bool) { return c.kernel.subtract(a, b, apart) }) {
		return keyed.ErrNoPart
	}
	total, _ := other.Total()
	keyed.Shrink(&c.Base, total)
	*s = *c
	return nil
}

// SubtractBlob is Subtract of the filter of a BLOB, as UnionBlob is Union.
func (s *Sketch) SubtractBlob(blob []byte) error { return Family.SubtractBlob(s, blob) }

// less returns the value of counter a without the occurrences of counter b. Neither of them is signed.
// It reports false if b is not part of a. The parameter apart has the meaning that it has for subtract.
func (g *kernel) less(a, b uint64, apart bool) (rest uint64, part bool) {
	switch {
	case b == 0 || a == g.ceiling: // a stuck counter stands for any number of occurrences, so it stays stuck
		return a, true
	case b == g.ceiling:
		return b, apart
	}
	return a - b, a == b || a >= b+g.inc
}

// subtract returns the word a without the occurrences of word b, pair by pair. It reports false if b is not
// part of a. If apart is true, at least one filter has dropped its halves, with other occurrences. A counter
// may then be stuck in b alone. A signed pair holds a single occurrence.
func (g *kernel) subtract(a, b uint64, apart bool) (rest uint64, part bool) {
	for at := range g.pairs {
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
func (g *kernel) signed(a, b uint64) bool { return g.isNote(a) || g.isNote(b) }
