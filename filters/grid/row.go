package grid

import (
	"cmp"
	"math"
	"slices"
)

// Row returns the cells of row y that are inside and within clip: sorted, disjoint, and merged if they
// touch. The slice is valid until the next call. Call it for rows in ascending order, of which any may be
// left out. Skipping costs only the edges that begin or end on the way. A smaller y than before starts
// over.
func (s *Scanner) Row(y int64) []Interval {
	if y < s.bounds.MinY || y > s.bounds.MaxY {
		return nil
	}
	if y < s.y {
		s.active, s.next, s.change = s.active[:0], 0, math.MinInt64
	}
	s.y = y
	if y >= s.change {
		s.advance(y)
	}
	if len(s.active) == 0 {
		return nil
	}
	s.cross(y)
	s.sort()
	if s.alone {
		return s.pairs()
	}
	return s.sweep()
}

// advance moves the active edges to row y. It drops edges that end before y, and adds those that have
// begun.
func (s *Scanner) advance(y int64) {
	change := int64(math.MaxInt64)
	kept := s.active[:0]
	for _, a := range s.active {
		if end := s.edges[a.edge].end; end > y {
			kept = append(kept, a)
			change = min(change, end)
		}
	}
	for s.next < len(s.edges) && s.edges[s.next].start <= y {
		if end := s.edges[s.next].end; end > y {
			kept = append(kept, activeEdge{edge: int32(s.next)})
			change = min(change, end)
		}
		s.next++
	}
	if s.next < len(s.edges) {
		change = min(change, s.edges[s.next].start)
	}
	s.active, s.change, s.alone = kept, change, true
	if len(s.rings) > 0 {
		for _, a := range kept {
			if id := s.edges[a.edge].ring; id != s.edges[kept[0].edge].ring || s.rings[id].outer != id {
				s.alone = false
				break
			}
		}
	}
}

// cross computes, for each active edge, the first column of row y whose centre is not to the left of the
// edge.
func (s *Scanner) cross(y int64) {
	g := s.g
	cy := g.center(y)
	first, last := s.bounds.MinX, s.bounds.MaxX
	for i := range s.active {
		a := &s.active[i]
		e := &s.edges[a.edge]
		x := e.line(cy)
		// This is method crossing, as far as the compiler inlines it into the loop.
		if e.past(x) {
			x = e.crossEnd(cy)
		}
		switch {
		case x <= s.left:
			a.col = first
		case x > s.right:
			a.col = last + 1
		default:
			a.col = g.lower(x)
		}
	}
}

// crossing returns the x at which an edge crosses the centre line at height cy. This must be the line of
// one of the edge's rows.
func (e *edge) crossing(cy float64) float64 {
	x := e.line(cy)
	if e.past(x) {
		x = e.crossEnd(cy)
	}
	return x
}

// line returns the x at which the straight line through an edge crosses the centre line at height cy. It
// depends only on the ends of the edge, so no error builds up from row to row. The conversion keeps the
// compiler from fusing the multiplication into the addition, which would make results depend on the
// machine.
func (e *edge) line(cy float64) float64 { return e.x0 + float64((cy-e.y0)*e.slope) }

// past reports whether x, a result of line, is not usable: rounding carried it past the end of the edge,
// or the slope overflows.
func (e *edge) past(x float64) bool { return (x <= e.x1) != (e.slope >= 0) }

// crossEnd returns the crossing in the cases in which past is true.
func (e *edge) crossEnd(cy float64) float64 {
	if e.wide() {
		return e.crossWide(cy)
	}
	return e.x1
}

// wide reports whether the width or the slope of the edge overflows a float64.
func (e *edge) wide() bool { return math.IsInf(e.slope, 1) }

// crossWide returns the crossing of an edge for which wide is true.
func (e *edge) crossWide(cy float64) float64 {
	d := e.y1 - e.y0
	t := (cy - e.y0) / d
	if d-d != 0 {
		t = (cy/2 - e.y0/2) / (e.y1/2 - e.y0/2)
	}
	x := float64(e.x0*(1-t)) + float64(e.x1*t)
	return min(max(x, min(e.x0, e.x1)), max(e.x0, e.x1))
}

// sort sorts the active edges by column. From one row to the next they are nearly in order, so insertion
// usually has little to do. If it has much, as in the first row of a comb of a million teeth,
// slices.SortFunc takes over.
func (s *Scanner) sort() {
	a := s.active
	work := 8*len(a) + 64
	for i := 1; i < len(a); i++ {
		v := a[i]
		j := i
		for ; j > 0 && a[j-1].col > v.col; j-- {
			a[j] = a[j-1]
		}
		a[j] = v
		if work -= i - j; work < 0 {
			slices.SortFunc(a, func(p, q activeEdge) int { return cmp.Compare(p.col, q.col) })
			return
		}
	}
}

// emit appends the interval of columns [from, to) to out. If it touches the last interval, both become
// one.
func emit(out []Interval, from, to int64) []Interval {
	if from >= to {
		return out
	}
	if n := len(out); n > 0 && out[n-1].X1+1 == from {
		out[n-1].X1 = to - 1
		return out
	}
	return append(out, Interval{from, to - 1})
}

// pairs does the work of sweep for a polygon with a single ring. Cells are inside from every odd crossing
// to the next one. If the last crossing is missing, it lies to the right of the bounds.
func (s *Scanner) pairs() []Interval {
	out := s.out[:0]
	for i := 0; i < len(s.active); i += 2 {
		to := s.bounds.MaxX + 1
		if i+1 < len(s.active) {
			to = s.active[i+1].col
		}
		out = emit(out, s.active[i].col, to)
	}
	s.out = out
	return out
}

// pass moves a place across an edge of ring id. It returns the change of the number of polygons that hold
// the place.
func (s *outline) pass(id int32) int {
	r := &s.rings[id]
	o := &s.rings[r.outer]
	was := o.inside()
	r.in = !r.in
	if r != o {
		if r.in {
			o.holes++
		} else {
			o.holes--
		}
	}
	if is := o.inside(); is == was {
		return 0
	} else if is {
		return 1
	}
	return -1
}

// sweep returns the cells of the current row that are inside. It goes from left to right, and keeps track
// of the rings and polygons that hold its place.
func (s *Scanner) sweep() []Interval {
	out := s.out[:0]
	polys := 0
	var from int64
	for i := range s.active {
		a := s.active[i]
		switch s.pass(s.edges[a.edge].ring) {
		case 1:
			if polys++; polys == 1 {
				from = a.col
			}
		case -1:
			if polys--; polys == 0 {
				out = emit(out, from, a.col)
			}
		}
	}
	if polys > 0 {
		out = emit(out, from, s.bounds.MaxX+1)
	}
	// Edges to the right of the bounds are missing, so some rings are still open. Close them for the next
	// row.
	for i := range s.active {
		r := &s.rings[s.edges[s.active[i].edge].ring]
		r.in = false
		s.rings[r.outer].holes = 0
	}
	s.out = out
	return out
}
