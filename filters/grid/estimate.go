package grid

import "math"

// sampleRows is how many rows Estimate looks at; a polygon of no more rows is
// counted exactly.
const sampleRows = 32

// Estimate returns about how many cells the polygon covers within clip:
// saturating, and without walking it, so that a polygon too large can be
// refused. Up to 32 rows it is exact; beyond, it is the area of the rings in
// cells, corrected by the rows of a sample for rings that cross themselves or
// overlap, and good to a few percent for ordinary shapes. A polygon of very
// uneven, self-crossing rings can be off by more: whoever must not go over a
// limit counts the cells while walking as well. O(edges) time. It leaves the
// position of the scanner alone.
func (s *Scanner) Estimate() uint64 {
	height := s.bounds.Height()
	if height == 0 || len(s.edges) == 0 {
		return 0
	}
	t := *s // a second walker over the same edges
	t.active, t.out = t.active0[:0], nil
	t.next, t.change, t.y = 0, math.MinInt64, math.MinInt64
	if len(s.rings) > 0 {
		t.rings = append([]ring(nil), s.rings...)
	}
	if height <= sampleRows {
		sum := uint64(0)
		for y := s.bounds.MinY; y <= s.bounds.MaxY; y++ {
			sum = addCells(sum, t.Row(y))
		}
		return sum
	}
	sums := make([]float64, max(1, len(s.rings)))
	for i := range s.edges {
		e := &s.edges[i]
		sums[e.ring] += e.sign() * s.cellsRight(e)
	}
	area := s.combine(sums)

	clear(sums)
	walked := uint64(0)
	for i := range uint64(sampleRows) {
		// The middle of the i-th part, shifted by a fixed irregular amount
		// so that no regular pattern of rows goes unseen.
		part := float64(height) / sampleRows
		f := (float64(i) + 0.1 + 0.8*float64(i*0x9e3779b9%1024)/1024) * part
		y := min(s.bounds.MinY+int64(f), s.bounds.MaxY)
		walked = addCells(walked, t.Row(y))
		for _, a := range t.active {
			e := &s.edges[a.edge]
			sums[e.ring] += e.sign() * float64(s.bounds.MaxX+1-a.col)
		}
	}
	rows := s.combine(sums)
	switch even := float64(walked); {
	case rows < even/2: // rings whose parts cancel: their area says nothing
		area = max(area, even*float64(height)/sampleRows)
	case rows > 0 && even > 0:
		area *= even / rows
	}
	if n := s.bounds.Count(); area >= float64(n) {
		return n
	}
	return uint64(area)
}

// Work returns how many crossings of edges with rows a walk over all rows of
// Bounds computes (about 5 to 10 ns each), plus one for each row: saturating
// and O(edges). A sliver can have next to no cells and yet 2^53 rows: who
// walks all rows bounds this too.
func (s *Scanner) Work() uint64 {
	n := s.bounds.Height()
	for i := range s.edges {
		if n += uint64(s.edges[i].end - s.edges[i].start); n >= 1<<63 {
			return math.MaxUint64
		}
	}
	return n
}

// Count returns how many cells the polygon covers within clip, by a walk over
// all rows; 2^63 where there are more. Time is that of Work.
func (s *Scanner) Count() uint64 {
	sum := uint64(0)
	for y := s.bounds.MinY; y <= s.bounds.MaxY; y++ {
		sum = addCells(sum, s.Row(y))
	}
	return sum
}

func addCells(sum uint64, row []Interval) uint64 {
	for _, iv := range row {
		if sum += span(iv.X0, iv.X1); sum >= 1<<63 {
			return 1 << 63
		}
	}
	return sum
}

func (e *edge) sign() float64 {
	if e.up {
		return 1
	}
	return -1
}

// combine turns the signed areas of rings into the area of the polygons,
// taking members to be disjoint and holes to lie inside.
func (s *Scanner) combine(sums []float64) float64 {
	if len(s.rings) == 0 {
		return math.Abs(sums[0])
	}
	total, poly := 0.0, 0.0
	for i, v := range sums {
		if int(s.rings[i].outer) == i {
			total += max(poly, 0)
			poly = math.Abs(v)
		} else {
			poly -= math.Abs(v)
		}
	}
	return total + max(poly, 0)
}

// cellsRight is about the number of cells of bounds right of an edge, over
// all its rows: the integral of a linear function clamped to the width.
func (s *Scanner) cellsRight(e *edge) float64 {
	width := float64(s.bounds.Width())
	free := func(y int64) float64 {
		cy := s.g.center(y)
		x := e.crossWide(cy)
		return width - ((x-s.left)/s.g.res + 0.5)
	}
	clamp := func(v float64) float64 { return min(max(v, 0), width) }
	a, b := free(e.start), free(e.end-1)
	n := float64(e.end - e.start)
	if a-a != 0 || b-b != 0 || math.Abs(b-a) < 1 || a == clamp(a) && b == clamp(b) {
		return n * (clamp(a) + clamp(b)) / 2
	}
	integral := func(v float64) float64 { // of clamp, from 0 to v
		c := clamp(v)
		return c*c/2 + width*max(v-width, 0)
	}
	return n * (integral(b) - integral(a)) / (b - a)
}
