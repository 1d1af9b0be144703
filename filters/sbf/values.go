package sbf

import "github.com/ccbfsql/ccbfsql/filters/internal/counters"

// Values returns the counters of the first filter, in order, for studies of their encodings. O(m).
func (s *Sketch) Values() []uint64 {
	s.MustBeMade()
	s = s.finished()
	return s.first.unpacked()
}

// IndexParts is the number of bits of a string-array index by purpose.
type IndexParts = counters.Parts

// IndexParts returns the parts of the string-array index of the first filter. It returns false if the
// encoding is another. Figures 13 and 14.
func (v *View) IndexParts() (parts IndexParts, is bool) {
	if v.encoding != Index {
		return parts, false
	}
	return v.first.coded.Parts(), true
}
