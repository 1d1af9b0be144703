package grid

import (
	"math"

	"github.com/paulmach/orb"
)

// outline has the edges of a polygon on a grid that cross rows of bounds.
type outline struct {
	g      Grid
	bounds Rect
	edges  []edge // ring by ring.
	rings  []ring
}

// edge is one side of a ring, turned so that it points upward. It crosses the centre lines of the rows
// from start to end-1.
type edge struct {
	// Half of the coordinates of the lower and the upper end. No difference of two halves overflows.
	x0, y0, x1, y1 float64
	slope          float64 // +Inf if it overflows.
	start, end     int64
	ring           int32
	up             bool // whether the ring runs upward along this edge.
}

// isFlat reports whether the slope of the edge overflows.
func (e *edge) isFlat() bool { return math.IsInf(e.slope, 1) }

// ring is the state of a ring while a row is swept.
type ring struct {
	outer int32 // index of the outer ring of the same polygon; the ring's own index if it is an outer ring.
	holes int32 // for an outer ring: in how many of its holes the sweep is.
	in    bool  // whether the sweep is inside the ring.
}

// outline returns the outline of mp within clip, under the conditions of Scan.
func (g Grid) outline(mp orb.MultiPolygon, clip Rect) (outline, error) {
	if err := check(mp, false); err != nil {
		return outline{}, err
	}
	b := mp.Bound()
	o := outline{g: g, bounds: g.box(b.Min[0], b.Min[1], b.Max[0], b.Max[1]).Intersect(clip)}
	for _, poly := range mp {
		outer := int32(len(o.rings))
		for _, r := range poly {
			id := int32(len(o.rings))
			o.rings = append(o.rings, ring{outer: outer})
			for i, b := range r[1:] {
				o.add(r[i], b, id)
			}
		}
	}
	return o, nil
}

// add keeps the edge from a to b, of ring id, if it crosses the centre line of a row within the bounds. It
// leaves out edges to the right of the bounds: a ray from the left never meets them within the bounds.
func (o *outline) add(a, b orb.Point, id int32) {
	if min(a[0], b[0]) > o.g.center(o.bounds.MaxX) {
		return
	}
	e := edge{ring: id, up: a[1] < b[1]}
	if !e.up {
		a, b = b, a
	}
	e.start = max(o.g.lower(a[1]), o.bounds.MinY)
	e.end = min(o.g.lower(b[1]), o.bounds.MaxY+1)
	if e.start >= e.end {
		return
	}
	e.x0, e.y0, e.x1, e.y1 = a[0]/2, a[1]/2, b[0]/2, b[1]/2
	if e.slope = (e.x1 - e.x0) / (e.y1 - e.y0); math.IsInf(e.slope, -1) {
		e.slope = math.Inf(1)
	}
	o.edges = append(o.edges, e)
}

// crossing returns the x at which an edge crosses the centre line at height cy. This must be the line of
// one of the edge's rows. It depends only on the ends of the edge, so no error builds up from row to row.
// It is monotone in cy, unless the edge is flat. Rounding must not carry it past the end of the edge. The
// conversions keep the compiler from fusing multiplications into additions, which would make results depend
// on the machine.
func (e *edge) crossing(cy float64) float64 {
	x := e.x0 + float64((cy/2-e.y0)*e.slope)
	switch {
	case (x <= e.x1) == (e.slope >= 0):
	case e.isFlat():
		t := (cy/2 - e.y0) / (e.y1 - e.y0)
		x = float64(e.x0*(1-t)) + float64(e.x1*t)
		x = min(max(x, min(e.x0, e.x1)), max(e.x0, e.x1))
	default:
		x = e.x1
	}
	return 2 * x
}

// pass moves a place across an edge of ring id. It returns the change of the number of polygons that hold
// the place.
func (o *outline) pass(id int32) int {
	r := &o.rings[id]
	outer := &o.rings[r.outer]
	was := outer.in && outer.holes == 0
	r.in = !r.in
	if r != outer {
		if r.in {
			outer.holes++
		} else {
			outer.holes--
		}
	}
	switch is := outer.in && outer.holes == 0; {
	case is == was:
		return 0
	case is:
		return 1
	}
	return -1
}

// reset makes ring id even again.
func (o *outline) reset(id int32) {
	r := &o.rings[id]
	r.in = false
	o.rings[r.outer].holes = 0
}
