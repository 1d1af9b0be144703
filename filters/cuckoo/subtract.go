package cuckoo

import "github.com/ccbfsql/ccbfsql/filters/keyed"

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
	if !s.params.Duplicates {
		return setError{"subtract"}
	}
	if err := keyed.Part(s.Base, base); err != nil {
		return err
	}
	c := s.Clone()
	for i := range other.buckets {
		p := other.read(i)
		for _, q := range p.slice() {
			if !c.take(i, c.other(i, q.v), q) {
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
