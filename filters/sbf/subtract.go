package sbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Subtract takes away the occurrences of other, which is left unchanged and must
// agree in everything but the encoding (sketch.ErrDiffer): all of them were added
// here before. Not with MI, and not from products (sketch.ErrNotAdditive). A counter
// of other that is above its like here, or a total that is, shows that other is not
// part (sketch.ErrTooMany); what counters do not show can make estimates fall below
// the truth. An error changes nothing. O(m).
//
// With MS what remains is the sketch of the other keys, to the byte, unless a counter
// is saturated. With RM and TRM the first filter remains so. The second one, whose keys
// are not known, is left unchanged: it still has the counts of the keys that lost
// nothing. Those of the others are too high there, and the least counter of the first
// filter, which bounds every estimate, is their answer. Two sketches that still gather
// are subtracted exactly.
func (s *Sketch) Subtract(other *Sketch) error {
	if err := agree(s.operand(), other.operand()); err != nil {
		return err
	}
	if s.gather != nil && other.gather != nil {
		return s.ungather(other)
	}
	c, o := s.settled(), other.settled()
	if o == s {
		o = s.Clone()
	}
	if err := c.subtract(o.operand()); err != nil {
		return err
	}
	*s = *c
	return nil
}

// SubtractBlob is Subtract of the sketch of a BLOB, as UnionBlob is Union.
func (s *Sketch) SubtractBlob(blob []byte) error { return Family.SubtractBlob(s, blob) }

// ungather is Subtract of exact counts from exact counts.
func (s *Sketch) ungather(other *Sketch) error {
	if err := keyed.Part(s.Base, other.Base); err != nil {
		return err
	}
	for h, n := range other.gather {
		if n > s.gather[h] {
			return keyed.ErrNoPart
		}
	}
	if s == other {
		clear(s.gather)
	} else {
		for h, n := range other.gather {
			if s.gather[h] -= n; s.gather[h] == 0 {
				delete(s.gather, h)
			}
		}
	}
	total, _ := other.Total()
	keyed.Shrink(&s.Base, total)
	return nil
}

// subtract takes a sketch away that agrees, from one whose filters are made.
func (s *Sketch) subtract(o operand) error {
	if !s.Additive() {
		return fmt.Errorf("subtract from a sketch of method %s: %w", s.what(), sketch.ErrNotAdditive)
	}
	if err := keyed.Part(s.Base, o.Base); err != nil {
		return err
	}
	if s.gather != nil {
		s.settle()
	}
	if !s.first.holds(&o.first) {
		return keyed.ErrNoPart
	}
	total, _ := o.Total()
	s.first.update(&o.first, func(a, b uint64) uint64 {
		if a == saturated {
			return a
		}
		return a - b
	})
	if s.method.recurring() && s.first.empty() {
		s.empty()
	}
	keyed.Shrink(&s.Base, total)
	s.flagSaturated()
	return nil
}

// holds reports whether every counter is at least its like in o.
func (c *cells) holds(o *cells) bool {
	holds := true
	var room [words.BlockLen]uint64
	c.each(func(at int, block []uint64) {
		others := room[:len(block)]
		o.unpack(at, others)
		for i, v := range block {
			holds = holds && others[i] <= v
		}
	})
	return holds
}
