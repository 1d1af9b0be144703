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
	change int64        // the first row in which the active edges are no longer the same.
	y      int64        // the current row.
	alone  bool         // whether all active edges belong to one outer ring
	out    []Interval

	// These have room for a small polygon, which then needs one allocation in all.
	active0 [8]activeEdge
	out0    [4]Interval
}

// outline has the edges of a polygon on a grid.
type outline struct {
	g           Grid
	bounds      Rect
	left, right float64 // centres of the first and the last column of bounds

	edges  []edge  // ring by ring.
	rings  []ring  // empty if there is only one ring
	edges0 [8]edge // room for a few edges.
}

// edge is one side of a ring, turned so that it points upward. It crosses the centre lines of the rows
// from start to end-1.
type edge struct {
	x0, y0, x1, y1 float64
	slope          float64 // (x1-x0)/(y1-y0). A wide edge has +Inf here, by which past recognizes it.
	start, end     int64
	ring           int32
	up             bool // whether the ring runs upward along this edge.
}

// activeEdge is an edge that crosses the current row. col is the first column whose centre is not to the
// left of the edge.
type activeEdge struct {
	col  int64
	edge int32
}

// ring is the state of a ring while a row is swept.
type ring struct {
	outer int32 // index of the outer ring of the same polygon; the ring's own index if it is an outer ring.
	holes int32 // for an outer ring: in how many of its holes the sweep is.
	in    bool  // whether the sweep is inside the ring.
}

// inside reports whether the place of the sweep is inside the polygon whose outer ring is r.
func (r *ring) inside() bool { return r.in && r.holes == 0 }

// Scan prepares to walk the cells of mp within clip. Every ring must be closed, finite and of at least
// four points, as the parsers of this package return them. Otherwise the error wraps ErrPolygon,
// ErrNotFinite or ErrTooLarge. Members without rings are skipped. mp is only read, and not kept. Time is
// O(v log v) for v points, memory O(edges within clip's rows), however large the area.
func (g Grid) Scan(mp orb.MultiPolygon, clip Rect) (*Scanner, error) {
	s := &Scanner{outline: outline{g: g}, change: math.MinInt64, y: math.MinInt64}
	if err := s.trace(mp, clip); err != nil {
		return nil, err
	}
	s.active, s.out = s.active0[:0], s.out0[:0]
	slices.SortFunc(s.edges, func(a, b edge) int { return cmp.Compare(a.start, b.start) })
	return s, nil
}

// trace computes the outline of mp. It leaves out edges that do not matter within clip.
func (s *outline) trace(mp orb.MultiPolygon, clip Rect) error {
	rings, points := 0, 0
	lo, hi := orb.Point{math.Inf(1), math.Inf(1)}, orb.Point{math.Inf(-1), math.Inf(-1)}
	for m, poly := range mp {
		for i, r := range poly {
			if points += len(r); points > MaxVertices {
				return errf(ErrTooLarge, "polygon: more than %d points", MaxVertices)
			}
			if err := checkRing(r, m+1, i+1, len(mp) > 1); err != nil {
				return err
			}
			for _, p := range r {
				lo[0], hi[0] = min(lo[0], p[0]), max(hi[0], p[0])
				lo[1], hi[1] = min(lo[1], p[1]), max(hi[1], p[1])
			}
			rings++
		}
	}
	s.bounds = EmptyRect()
	if rings > 0 {
		s.bounds = s.g.box(lo[0], lo[1], hi[0], hi[1]).Intersect(clip)
	}
	if s.bounds.Empty() {
		return nil
	}
	s.left, s.right = s.g.center(s.bounds.MinX), s.g.center(s.bounds.MaxX)
	s.build(mp, rings, points-rings)
	return nil
}

// build sets edges and rings for mp. rings and total are the numbers of rings and edges before clipping.
func (s *outline) build(mp orb.MultiPolygon, rings, total int) {
	bottom, top := s.g.center(s.bounds.MinY), s.g.center(s.bounds.MaxY)
	near := func(a, b orb.Point) bool {
		return (a[1] > bottom || b[1] > bottom) && (a[1] <= top || b[1] <= top) &&
			(a[0] <= s.right || b[0] <= s.right)
	}
	s.edges = s.edges0[:0]
	if total > len(s.edges0) {
		n := 0
		for _, poly := range mp {
			for _, r := range poly {
				for i, p := range r[1:] {
					if near(r[i], p) {
						n++
					}
				}
			}
		}
		s.edges = make([]edge, 0, n)
	}
	if rings > 1 {
		s.rings = make([]ring, 0, rings)
	}
	id := int32(0)
	for _, poly := range mp {
		outer := id
		for _, r := range poly {
			if rings > 1 {
				s.rings = append(s.rings, ring{outer: outer})
			}
			a := r[0]
			for _, b := range r[1:] {
				if near(a, b) {
					s.add(a, b, id)
				}
				a = b
			}
			id++
		}
	}
}

// add keeps the edge from a to b, of ring id, if it crosses the centre line of a row within the bounds.
// The caller has left out edges to the right of the bounds: a ray from the left never meets them within
// the bounds.
func (s *outline) add(a, b orb.Point, id int32) {
	e := edge{ring: id, up: a[1] < b[1]}
	if !e.up {
		a, b = b, a
	}
	e.start = max(s.g.lower(a[1]), s.bounds.MinY)
	e.end = min(s.g.lower(b[1]), s.bounds.MaxY+1)
	if e.start >= e.end {
		return
	}
	e.x0, e.y0, e.x1, e.y1 = a[0], a[1], b[0], b[1]
	e.slope = (e.x1 - e.x0) / (e.y1 - e.y0)
	if d := e.y1 - e.y0; d-d != 0 || e.slope-e.slope != 0 {
		e.slope = math.Inf(1)
	}
	s.edges = append(s.edges, e)
}

// Bounds returns the rows and columns that can hold an interval, within clip and MaxRect. It is EmptyRect
// if there is none. Row returns nothing outside.
func (s *Scanner) Bounds() Rect { return s.bounds }
