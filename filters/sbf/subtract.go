package sbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Subtract subtracts the occurrences of other, all of which were added here before. It leaves other
// unchanged, which must agree in everything except the encoding (sketch.ErrDiffer). It is an error with
// MI and for products (sketch.ErrNotAdditive). A counter or a total of other that is larger than here
// shows that other is not part (sketch.ErrTooMany). If other is not part and counters do not show it,
// estimates can fall below the truth. An error changes nothing. O(m).
//
// With MS the result is the sketch of the other keys, to the byte, unless a counter is saturated. Without
// keys, their class stays. With RM and TRM that holds for the first filter. The second one, whose keys are not known, is unchanged.
// It still has the counts of the keys that lost nothing. Those of the others are too high there, and
// the least counter of the first filter, which bounds every estimate, is their answer. Two sketches
// that still gather are subtracted exactly.
func (s *Sketch) Subtract(other *Sketch) error {
	if err := agree(&s.filter, &other.filter); err != nil {
		return err
	}
	if s.exact != nil && other.exact != nil {
		return s.subtractExact(other)
	}
	c, o := s.finished(), other.finished()
	if o == s {
		o = s.Clone()
	}
	if err := c.subtract(&o.filter); err != nil {
		return err
	}
	*s = *c
	return nil
}

// SubtractBlob is Subtract of the sketch of a BLOB, as UnionBlob is Union.
func (s *Sketch) SubtractBlob(blob []byte) error { return Family.SubtractBlob(s, blob) }

// subtractExact is Subtract for two sketches that gather.
func (s *Sketch) subtractExact(other *Sketch) error {
	if err := keyed.Part(s.Base, other.Base); err != nil {
		return err
	}
	for h, n := range other.exact {
		if n > s.exact[h] {
			return keyed.ErrNoPart
		}
	}
	for h, n := range other.exact {
		s.exact.take(h, n)
	}
	total, _ := other.Total()
	keyed.Shrink(&s.Base, total)
	return nil
}

// subtract subtracts a filter that agrees. The counters of both are made.
func (s *Sketch) subtract(o *filter) error {
	if !s.Additive() {
		return fmt.Errorf("subtract from a sketch of method %s: %w", s.what(), sketch.ErrNotAdditive)
	}
	if err := keyed.Part(s.Base, o.Base); err != nil {
		return err
	}
	if !words.Covers(s.first.source(), o.first.source()) {
		return keyed.ErrNoPart
	}
	total, _ := o.Total()
	s.first.words.Merge(o.first.table(), saturate.Sub)
	if s.method.recurring() && s.first.empty() {
		s.empty()
	}
	keyed.Shrink(&s.Base, total)
	s.flagSaturated()
	return nil
}
