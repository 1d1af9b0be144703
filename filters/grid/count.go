package grid

import "math"

// Work returns how many crossings of edges with rows a walk over all rows of Bounds computes, plus one for
// each row. Each takes about 5 to 10 ns. The number saturates. O(edges). A sliver can have almost no cells
// and yet 2^53 rows, so bound this before a walk over all rows.
func (s *Scanner) Work() uint64 {
	n := s.bounds.Height()
	for i := range s.edges {
		if n += uint64(s.edges[i].end - s.edges[i].start); n >= 1<<63 {
			return math.MaxUint64
		}
	}
	return n
}

// Count returns how many cells the polygon covers within clip by a walk over all rows, at most 2^63. It
// takes as long as Work says.
func (s *Scanner) Count() uint64 {
	sum := uint64(0)
	for y := s.bounds.MinY; y <= s.bounds.MaxY; y++ {
		sum = addCells(sum, s.Row(y))
	}
	return sum
}

// addCells returns sum plus the number of cells of a row, at most 2^63.
func addCells(sum uint64, row []Interval) uint64 {
	for _, iv := range row {
		if sum += span(iv.X0, iv.X1); sum >= 1<<63 {
			return 1 << 63
		}
	}
	return sum
}
