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
	turns   []turn   // the turns of all windows, likewise.
	odd     []int32  // the odd rings of all windows, likewise.
	touched []int32  // rings whose state toggle has changed.

	// These have room for a small polygon, which then needs one allocation in all.
	windows0 [4]window
	edges0   [20]int32
	turns0   [3]turn
	rings0   [1]ring
}

// window is a rectangle that a Descent has entered. The fields edges, turns and odd are indexes of slices
// of Descent. There the window's elements begin, and they end where those of the next window begin.
type window struct {
	rect              Rect
	edges, turns, odd int
	// alone is set if at most one ring runs through the rectangle. Then the window has no odd rings. A
	// cell to the right of an even number of edges and turns is inside if cells[0] is set. For an odd
	// number, cells[1] decides.
	alone bool
	cells [2]bool
}

// turn is an end of an edge to the left of the window. At this row, the number of edges of the ring to
// the left of a cell changes by one.
type turn struct {
	row  int64
	ring int32
}

// Descend prepares to descend into mp, under the conditions of Scan. Time and
// memory are O(v) for v points.
func (g Grid) Descend(mp orb.MultiPolygon) (*Descent, error) {
	d := &Descent{s: outline{g: g}}
	if err := d.s.trace(mp, MaxRect()); err != nil {
		return nil, err
	}
	if d.s.rings == nil {
		d.s.rings = d.rings0[:]
	}
	d.edges, d.turns = d.edges0[:0], d.turns0[:0]
	if n := 2*len(d.s.edges) + 12; n > len(d.edges0) {
		d.edges = make([]int32, 0, n)
	}
	for i := range d.s.edges {
		d.edges = append(d.edges, int32(i))
	}
	d.windows = append(d.windows0[:0], window{rect: MaxRect()})
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
	n := len(d.windows)
	d.windows = slices.Grow(d.windows, 1)[:n+1]
	from, w := &d.windows[n-1], &d.windows[n]
	w.rect, w.edges, w.turns, w.odd = seen, len(d.edges), len(d.turns), len(d.odd)
	w.alone, w.cells = from.alone, from.cells
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
	d.edges, d.turns, d.odd = d.edges[:w.edges], d.turns[:w.turns], d.odd[:w.odd]
	d.windows = d.windows[:last]
}

// Work returns about how many comparisons Contains makes.
func (d *Descent) Work() int {
	w := d.windows[len(d.windows)-1]
	return len(d.edges) - w.edges + len(d.turns) - w.turns
}

// narrow makes window w keep those edges, turns and rings of window from that matter in the rectangle of
// w.
func (d *Descent) narrow(from, w *window) {
	r := w.rect
	for _, t := range d.turns[from.turns:w.turns] {
		d.turn(w, t)
	}
	for _, id := range d.odd[from.odd:w.odd] {
		d.toggle(w, id)
	}
	left, right := d.s.g.center(r.MinX), d.s.g.center(r.MaxX)
	for _, i := range d.edges[from.edges:w.edges] {
		e := &d.s.edges[i]
		lo, hi := max(e.start, r.MinY), min(e.end-1, r.MaxY)
		if lo > hi {
			continue
		}
		west, east := e.x0, e.x1
		if west > east {
			west, east = east, west
		}
		if west <= left && east > left || west <= right && east > right {
			west, east = e.within(d.s.g.center(lo), d.s.g.center(hi))
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
	for _, id := range d.touched {
		if r := &d.s.rings[id]; r.in {
			r.in = false
			d.odd = append(d.odd, id)
		}
	}
	d.touched = d.touched[:0]
}

// within returns two places between which an edge crosses the rows with centre lines from lo to hi, the
// western one first. Every step of the computation is monotone in the row. So the edge crosses no further
// west or east than in the first and the last row. The steps of crossWide are not monotone.
func (e *edge) within(lo, hi float64) (west, east float64) {
	if e.wide() && lo != hi {
		return min(e.x0, e.x1), max(e.x0, e.x1)
	}
	if e.x0 > e.x1 {
		lo, hi = hi, lo
	}
	return e.crossing(lo), e.crossing(hi)
}

// turn adds turn t to window w, unless the last turn of w is equal: then both cancel.
func (d *Descent) turn(w *window, t turn) {
	switch n := len(d.turns); {
	case t.row <= w.rect.MinY:
		d.toggle(w, t.ring)
	case t.row > w.rect.MaxY:
	case n > w.turns && d.turns[n-1] == t:
		d.turns = d.turns[:n-1]
	default:
		d.turns = append(d.turns, t)
	}
}

// toggle notes that all cells of window w lie to the right of one more edge of ring id.
func (d *Descent) toggle(w *window, id int32) {
	if w.alone {
		w.cells[0], w.cells[1] = w.cells[1], w.cells[0]
		return
	}
	d.s.rings[id].in = !d.s.rings[id].in
	d.touched = append(d.touched, id)
}

// cancel drops pairs of equal turns that turn could not cancel, as other turns lie between them.
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

// relation returns the relation of window w to the polygon.
func (d *Descent) relation(w *window) Relation {
	edges, turns := d.edges[w.edges:], d.turns[w.turns:]
	if !w.alone && !d.simplify(w, d.only(edges, turns)) {
		return Partly
	}
	switch {
	case w.cells[0] != w.cells[1] && len(edges)+len(turns) > 0:
		return Partly
	case w.cells[0]:
		return Inside
	}
	return Outside
}

// simplify turns w into a window with ring id only, or without rings if id is noRing. It returns false if
// w has several rings.
func (d *Descent) simplify(w *window, id int32) bool {
	if id == manyRings {
		return false
	}
	members := 0
	odd := d.odd[w.odd:]
	for _, id := range odd {
		members += d.s.pass(id)
	}
	w.alone, w.cells = true, [2]bool{members > 0, members > 0}
	if id != noRing {
		w.cells[1] = members+d.s.pass(id) > 0
		d.reset([]int32{id})
	}
	d.reset(odd)
	d.odd = d.odd[:w.odd]
	return true
}

const (
	noRing    = -1
	manyRings = -2
)

// only returns the ring to which all edges and turns belong. It returns noRing if there are no edges and
// turns.
func (d *Descent) only(edges []int32, turns []turn) int32 {
	id := int32(noRing)
	for _, i := range edges {
		if r := d.s.edges[i].ring; id < 0 {
			id = r
		} else if id != r {
			return manyRings
		}
	}
	for _, t := range turns {
		if id < 0 {
			id = t.ring
		} else if id != t.ring {
			return manyRings
		}
	}
	return id
}

// Contains reports whether a cell of the rectangle entered last is inside.
func (d *Descent) Contains(c Cell) bool {
	w := &d.windows[len(d.windows)-1]
	if !w.rect.Contains(c) {
		return false
	}
	x, y := d.s.g.Center(c)
	edges, turns := d.edges[w.edges:], d.turns[w.turns:]
	if w.alone {
		odd := 0
		for _, i := range edges {
			if e := &d.s.edges[i]; e.leftOf(c, x, y) {
				odd ^= 1
			}
		}
		for _, t := range turns {
			if t.row <= c.Y {
				odd ^= 1
			}
		}
		return w.cells[odd]
	}
	members := 0
	for _, id := range d.odd[w.odd:] {
		members += d.s.pass(id)
	}
	for _, i := range edges {
		if e := &d.s.edges[i]; e.leftOf(c, x, y) {
			members += d.s.pass(e.ring)
			d.touched = append(d.touched, e.ring)
		}
	}
	for _, t := range turns {
		if t.row <= c.Y {
			members += d.s.pass(t.ring)
			d.touched = append(d.touched, t.ring)
		}
	}
	d.reset(d.odd[w.odd:])
	d.reset(d.touched)
	d.touched = d.touched[:0]
	return members > 0
}

// leftOf reports whether an edge crosses the row of cell c to the left of the cell's centre (x, y), or in
// it.
func (e *edge) leftOf(c Cell, x, y float64) bool {
	switch {
	case c.Y < e.start || c.Y >= e.end || x < e.x0 && x < e.x1:
		return false
	case x >= e.x0 && x >= e.x1:
		return true
	}
	return e.crossing(y) <= x
}

// reset makes the given rings even again.
func (d *Descent) reset(rings []int32) {
	for _, id := range rings {
		d.s.rings[id].in = false
		d.s.rings[d.s.rings[id].outer].holes = 0
	}
}
