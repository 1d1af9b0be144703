package sbf

import "github.com/ccbfsql/ccbfsql/filters/internal/counters"

// Values returns the counters of the first filter, in order, for studies of their encodings. O(m).
func (s *Sketch) Values() []uint64 {
	s.MustBeMade()
	s = s.finished()
	values := make([]uint64, s.first.n)
	s.first.source().Unpack(0, values)
	return values
}

// IndexParts is the number of bits of a string-array index by purpose.
type IndexParts = counters.Parts

// IndexParts returns the parts of the string-array index of the first filter, as it is in memory. It
// returns false if the encoding is another. Figures 13 and 14.
func (s *Sketch) IndexParts() (parts IndexParts, is bool) {
	a := s.finished().first.index
	if a == nil {
		return parts, false
	}
	return a.Parts(), true
}
