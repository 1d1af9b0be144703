package grid

import (
	"cmp"
	"math"
	"slices"

	"github.com/paulmach/orb"
)

// Interval is a run of cells in one row, from column X0 to column X1, both included.
type Interval struct{ X0, X1 int64 }

// Scanner walks the cells of a polygon row by row. It is not safe for concurrent use.
//
// A point is inside a ring if a ray from it crosses the ring an odd number of times. It is inside a
// polygon if it is inside the first ring and inside none of the others, the holes. It is inside a
// multipolygon if it is inside at least one member. The direction of a ring does not matter, and rings may
// cross themselves and each other.
//
// Edges are half-open: a centre on a left or lower edge is inside, one on a right or upper edge is
// outside. The crossing of an edge with a row is computed from its lower to its upper end, whichever way
// the ring runs. So two polygons that share an edge (the same two points) agree on every cell along it to
// the bit. Polygons that subdivide an area put each of its cells in exactly one. A predicate that uses
// another expression, for example orb's planar package, can differ for centres within rounding error of an
// edge. This is a few ulps of the polygon's extent.
type Scanner struct {
	outline // the edges are sorted by their first row.

	next   int          // the first edge that the scan has not reached.
	active []activeEdge // the edges that cross the current row.
	y      int64        // the current row.
	out    []Interval
}

// activeEdge is an edge that crosses the current row. col is the first column whose centre is not to the
// left of the edge.
type activeEdge struct {
	col  int64
	edge int32
}

// Scan prepares to walk the cells of mp within clip. Every ring must be closed, finite and of at least
// four points, as the parsers of this package return them. Otherwise the error wraps ErrPolygon,
// ErrNotFinite or ErrTooLarge. Members without rings are skipped. mp is only read, and not kept. Time is
// O(v log v) for v points, memory O(edges within clip's rows), however large the area.
func (g Grid) Scan(mp orb.MultiPolygon, clip Rect) (*Scanner, error) {
	o, err := g.outline(mp, clip)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(o.edges, func(a, b edge) int { return cmp.Compare(a.start, b.start) })
	return &Scanner{outline: o, y: math.MinInt64}, nil
}

// Bounds returns the rows and columns that can hold an interval, within clip and MaxRect. It is EmptyRect
// if there is none. Row returns nothing outside.
func (s *Scanner) Bounds() Rect { return s.bounds }

// Row returns the cells of row y that are inside and within clip: sorted, disjoint, and merged if they
// touch. The slice is valid until the next call. Call it for rows in ascending order, of which any may be
// left out. Skipping costs only the edges that begin or end on the way. A smaller y than before starts
// over.
func (s *Scanner) Row(y int64) []Interval {
	if y < s.bounds.MinY || y > s.bounds.MaxY {
		return nil
	}
	if y < s.y {
		s.active, s.next = s.active[:0], 0
	}
	s.y = y
	s.active = slices.DeleteFunc(s.active, func(a activeEdge) bool { return s.edges[a.edge].end <= y })
	for ; s.next < len(s.edges) && s.edges[s.next].start <= y; s.next++ {
		if s.edges[s.next].end > y {
			s.active = append(s.active, activeEdge{edge: int32(s.next)})
		}
	}
	cy := s.g.center(y)
	for i := range s.active {
		a := &s.active[i]
		a.col = min(max(s.g.lower(s.edges[a.edge].crossing(cy)), s.bounds.MinX), s.bounds.MaxX+1)
	}
	slices.SortFunc(s.active, func(a, b activeEdge) int { return cmp.Compare(a.col, b.col) })
	return s.sweep()
}

// sweep returns the cells of the current row that are inside. It goes from left to right, and keeps track
// of the rings and polygons that hold its place.
func (s *Scanner) sweep() []Interval {
	s.out = s.out[:0]
	polygons := 0
	var from int64
	for _, a := range s.active {
		change := s.pass(s.edges[a.edge].ring)
		switch polygons += change; {
		case change > 0 && polygons == 1:
			from = a.col
		case change < 0 && polygons == 0:
			s.emit(from, a.col)
		}
	}
	// Edges to the right of the bounds are missing, so some rings are still open. Close them for the next
	// row.
	if polygons > 0 {
		s.emit(from, s.bounds.MaxX+1)
	}
	for _, a := range s.active {
		s.reset(s.edges[a.edge].ring)
	}
	return s.out
}

// emit appends the interval of columns [from, to) to the current row. If it touches the last interval, both
// become one.
func (s *Scanner) emit(from, to int64) {
	switch last := len(s.out) - 1; {
	case from >= to:
	case last >= 0 && s.out[last].X1+1 == from:
		s.out[last].X1 = to - 1
	default:
		s.out = append(s.out, Interval{from, to - 1})
	}
}

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
		for _, iv := range s.Row(y) {
			if sum += span(iv.X0, iv.X1); sum >= 1<<63 {
				return 1 << 63
			}
		}
	}
	return sum
}
