package grid

import (
	"cmp"
	"slices"

	"github.com/paulmach/orb"
)

// Relation says whether a rectangle of cells lies in an area, outside of it, or partly in it.
type Relation uint8

// The relations of a rectangle to an area.
const (
	Outside Relation = iota // no cell of it is in the area
	Partly                  // some cells may be and some may not
	Inside                  // every cell is
)

// Descent finds out how rectangles of cells lie in a polygon. Each rectangle lies inside the one entered
// before it, down to single cells. A rectangle keeps only the edges that cross it. So the work depends on
// the length of the outline, at any resolution. The answer for every cell equals that of Scanner.Row. It
// is not safe for concurrent use.
type Descent struct {
	s       outline
	windows []window // rectangles that were entered and not left.
	edges   []int32  // the edges of all windows, window after window.
	turns   []turn   // the turns of all windows, likewise: those of a window are sorted, and no two are equal.
	passed  []int32  // rings of which an edge was passed, until reset.
}

// window is a rectangle that a Descent has entered. The fields edges and turns are indexes of slices of
// Descent. There the window's elements begin, and they end where those of the next window begin.
type window struct {
	rect         Rect
	edges, turns int
}

// turn is an end of an edge to the left of the window. From this row on, the number of edges of the ring to
// the left of a cell differs by one. If it is the first row of the window, it differs for all cells.
type turn struct {
	row  int64
	ring int32
}

// Descend prepares to descend into mp, under the conditions of Scan. Time and
// memory are O(v) for v points.
func (g Grid) Descend(mp orb.MultiPolygon) (*Descent, error) {
	o, err := g.outline(mp, MaxRect())
	if err != nil {
		return nil, err
	}
	d := &Descent{s: o, windows: []window{{rect: MaxRect()}}, edges: make([]int32, len(o.edges), 2*len(o.edges))}
	for i := range d.edges {
		d.edges[i] = int32(i)
	}
	return d, nil
}

// Bounds is Scanner.Bounds.
func (d *Descent) Bounds() Rect { return d.s.bounds }

// Enter returns the relation of rectangle r to the polygon. r must lie inside the rectangle entered last.
// If the result is Partly, r is entered until Leave is called.
func (d *Descent) Enter(r Rect) Relation {
	seen := r.Intersect(d.s.bounds)
	if seen.Empty() {
		return Outside
	}
	d.windows = append(d.windows, window{seen, len(d.edges), len(d.turns)})
	from, w := &d.windows[len(d.windows)-2], &d.windows[len(d.windows)-1]
	d.narrow(from, w)
	relation := d.relation(w)
	if relation == Inside && seen != r {
		// The part of r outside the bounds of the polygon is outside the polygon.
		relation = Partly
	}
	if relation != Partly {
		d.Leave()
	}
	return relation
}

// Leave goes back to the rectangle entered before.
func (d *Descent) Leave() {
	last := len(d.windows) - 1
	w := &d.windows[last]
	d.edges, d.turns = d.edges[:w.edges], d.turns[:w.turns]
	d.windows = d.windows[:last]
}

// Work returns about how many comparisons it takes to enter a cell of the rectangle entered last.
func (d *Descent) Work() int {
	w := d.windows[len(d.windows)-1]
	return len(d.edges) - w.edges + len(d.turns) - w.turns
}

// narrow makes window w keep those edges and turns of window from that matter in the rectangle of w.
func (d *Descent) narrow(from, w *window) {
	r := w.rect
	for _, t := range d.turns[from.turns:w.turns] {
		d.turn(w, t)
	}
	left, right := d.s.g.center(r.MinX), d.s.g.center(r.MaxX)
	for _, i := range d.edges[from.edges:w.edges] {
		e := &d.s.edges[i]
		lo, hi := max(e.start, r.MinY), min(e.end-1, r.MaxY)
		if lo > hi {
			continue
		}
		west, east := 2*min(e.x0, e.x1), 2*max(e.x0, e.x1)
		if (west <= left && east > left || west <= right && east > right) && (lo == hi || !e.isFlat()) {
			first, last := e.crossing(d.s.g.center(lo)), e.crossing(d.s.g.center(hi))
			west, east = min(first, last), max(first, last)
		}
		switch {
		// The edge is to the left of no cell, so it does not matter.
		case west > right:
		case east > left:
			d.edges = append(d.edges, i)
		// The edge is left of every cell in its rows, and becomes two turns. They follow the direction of
		// the ring, so that the turns of edges that meet cancel.
		case e.up:
			d.turn(w, turn{lo, e.ring})
			d.turn(w, turn{hi + 1, e.ring})
		default:
			d.turn(w, turn{hi + 1, e.ring})
			d.turn(w, turn{lo, e.ring})
		}
	}
	d.cancel(w)
}

// turn adds turn t to window w, unless the last turn of w is equal: then both cancel.
func (d *Descent) turn(w *window, t turn) {
	t.row = max(t.row, w.rect.MinY)
	switch n := len(d.turns); {
	case t.row > w.rect.MaxY:
	case n > w.turns && d.turns[n-1] == t:
		d.turns = d.turns[:n-1]
	default:
		d.turns = append(d.turns, t)
	}
}

// cancel sorts the turns of window w. It drops pairs of equal turns that turn could not cancel, as other
// turns lay between them.
func (d *Descent) cancel(w *window) {
	turns := d.turns[w.turns:]
	if len(turns) < 2 {
		return
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.ring, b.ring)) })
	kept := 0
	for _, t := range turns {
		if kept > 0 && turns[kept-1] == t {
			kept--
		} else {
			turns[kept] = t
			kept++
		}
	}
	d.turns = d.turns[:w.turns+kept]
}

// relation returns the relation of window w to the polygon. It is Partly if edges of several rings cross w.
func (d *Descent) relation(w *window) Relation {
	turns := d.turns[w.turns:]
	for len(turns) > 0 && turns[0].row == w.rect.MinY {
		turns = turns[1:]
	}
	const none = -1
	ring := int32(none) // the ring of all edges and of the turns within w
	isSecond := func(id int32) bool {
		before := ring
		ring = id
		return before != none && before != id
	}
	for _, i := range d.edges[w.edges:] {
		if isSecond(d.s.edges[i].ring) {
			return Partly
		}
	}
	for _, t := range turns {
		if isSecond(t.ring) {
			return Partly
		}
	}
	defer d.reset()
	members := 0
	for _, t := range d.turns[w.turns : len(d.turns)-len(turns)] {
		members += d.pass(t.ring)
	}
	relation := Outside
	if members > 0 {
		relation = Inside
	}
	// The edges of a ring in another polygon, or of a hole outside, change nothing.
	if ring != none && (members+d.pass(ring) > 0) != (members > 0) {
		return Partly
	}
	return relation
}

// pass moves a place across an edge of ring id, until reset. It returns the change of the number of
// polygons that hold the place.
func (d *Descent) pass(id int32) int {
	d.passed = append(d.passed, id)
	return d.s.pass(id)
}

// reset makes all rings even again.
func (d *Descent) reset() {
	for _, id := range d.passed {
		d.s.reset(id)
	}
	d.passed = d.passed[:0]
}
