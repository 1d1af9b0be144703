package sbf

import "github.com/ccbfsql/ccbfsql/filters/internal/counters"

// Values are the counters of the first filter, in order: for studies of how
// they are encoded. O(m).
func (s *Sketch) Values() []uint64 {
	s.MustBeMade()
	s = s.settled()
	values := make([]uint64, s.first.n)
	s.first.unpack(0, values)
	return values
}

// IndexParts are the bits of a string-array index by what they are for.
type IndexParts = counters.Parts

// IndexParts divides the string-array index of the first filter, as it is in
// memory, into its parts; false if the encoding is another. Figures 13 and 14.
func (s *Sketch) IndexParts() (parts IndexParts, is bool) {
	a := s.settled().first.index
	if a == nil {
		return parts, false
	}
	return a.Parts(), true
}
