package grid

import (
	"slices"
	"sort"
)

// MaxLevel is the highest level of quads: those of 2^24 by 2^24 cells.
const MaxLevel = 24

// Relation says how much of a quad lies in an area.
type Relation uint8

// The relations of a quad to an area.
const (
	// Outside: no cell of the quad is in the area.
	Outside Relation = iota
	// Partly: some cells are in the area and some are not.
	Partly
	// Inside: every cell of the quad is in the area.
	Inside
)

// Cover asks an area quad by quad. The quad (level, x, y) is the cells
// (cx, cy) with cx>>level == x and cy>>level == y; one of level 0 is a cell,
// and a quad has four children, (level-1, 2x or 2x+1, 2y or 2y+1). Whoever
// starts from the quads of each band and goes down into those that are Partly
// comes to every cell of the area once, in as few quads as can be.
type Cover interface {
	// Next goes to the next band, a row of quads of the top level that hold a
	// cell of the area, from south to north. It is false past the last.
	Next() bool
	// Band returns the row of the band at the top level and its quads that hold
	// a cell: sorted, disjoint, merged where they touch, valid until Next.
	Band() (y int64, quads []Interval)
	// Relation tells how a quad of the band lies, for 0 <= level <= top.
	Relation(level int, x, y int64) Relation
}

// Cover returns the quads of the polygon up to the level top, which is brought
// into the range from 0 to MaxLevel. It agrees with Row on every cell, and
// goes through the rows of the scanner once, in order. Memory is bounded by the
// intervals of one band, time by Work and the intervals; rows that no edge
// crosses cost nothing. Relation takes O(1) where the quads of a row are asked
// for from left to right, as the descent does, and O(log n) otherwise.
func (s *Scanner) Cover(top int) Cover {
	c := &polygonCover{s: s, from: s.bounds.MinY, levels: make([]coverLevel, clampLevel(top)+1)}
	for i := range c.levels {
		l := &c.levels[i]
		if l.full = new(quadRows); i == 0 {
			l.full = &l.touched // a cell is in or out
		}
	}
	return c
}

func clampLevel(top int) int { return min(max(top, 0), MaxLevel) }

// polygonCover holds one band, made from its rows of cells upward.
type polygonCover struct {
	s      *Scanner
	from   int64        // first row that no band has had
	levels []coverLevel // from the cells to the quads of the top level
}

func (c *polygonCover) Next() bool {
	top, end := len(c.levels)-1, c.s.bounds.MaxY
	for y := c.s.seek(c.from); y <= end; y = c.s.seek(c.from) {
		c.from = (y>>top + 1) << top
		if !c.cells(y, min(c.from-1, end)) {
			continue
		}
		for i := range top {
			c.levels[i+1].build(&c.levels[i])
		}
		return true
	}
	c.levels[top].reset()
	return false
}

// cells fills level 0 with the rows from y to last and reports whether they
// hold a cell.
func (c *polygonCover) cells(y, last int64) bool {
	l := &c.levels[0]
	l.reset()
	for ; y <= last; y = c.s.seek(y + 1) {
		if row := c.s.Row(y); len(row) > 0 {
			l.ys = append(l.ys, y)
			l.touched.begin()
			l.touched.quads = append(l.touched.quads, row...)
		}
	}
	return len(l.ys) > 0
}

func (c *polygonCover) Band() (int64, []Interval) {
	l := &c.levels[len(c.levels)-1]
	if len(l.ys) == 0 {
		return 0, nil
	}
	return l.ys[0], l.touched.quads
}

func (c *polygonCover) Relation(level int, x, y int64) Relation {
	l := &c.levels[level]
	i := l.row(y)
	switch {
	case i < 0 || !l.touched.hold(i, x):
		return Outside
	case level == 0 || l.full.hold(i, x):
		return Inside
	}
	return Partly
}

// coverLevel is the quads of one level within the band.
type coverLevel struct {
	ys      []int64   // the rows that hold a cell of the area, in order
	touched quadRows  // their quads that hold one
	full    *quadRows // their quads that are all inside
}

func (l *coverLevel) reset() {
	l.ys = l.ys[:0]
	l.touched.reset()
	l.full.reset()
}

// row returns the index of row y, or -1 where that holds no cell. Few areas
// leave rows out; in the others the index is the distance to the first.
func (l *coverLevel) row(y int64) int {
	if len(l.ys) == 0 {
		return -1
	}
	if i := uint64(y - l.ys[0]); i < uint64(len(l.ys)) && l.ys[i] == y {
		return int(i)
	}
	if i, found := slices.BinarySearch(l.ys, y); found {
		return i
	}
	return -1
}

// build makes the quads of a level from those of the level below.
func (l *coverLevel) build(below *coverLevel) {
	l.reset()
	for i := 0; i < len(below.ys); i++ {
		y := below.ys[i]
		l.ys = append(l.ys, y>>1)
		l.touched.begin()
		l.full.begin()
		if i+1 == len(below.ys) || below.ys[i+1]>>1 != y>>1 {
			l.touched.parents(below.touched.row(i), nil)
			continue // the other half of these quads is empty: none is full
		}
		l.touched.parents(below.touched.row(i), below.touched.row(i+1))
		l.full.common(below.full.row(i), below.full.row(i+1))
		i++
	}
}

// quadRows are rows of quads, each row sorted, disjoint and merged.
type quadRows struct {
	quads []Interval // row after row
	rows  []quadRow
}

// quadRow is one of them; it ends where the next begins.
type quadRow struct {
	from int
	at   int // where in the row the last quad was looked for: the next is near
}

func (q *quadRows) reset() { q.quads, q.rows = q.quads[:0], q.rows[:0] }

// begin opens a row: quads appended from here on are its own.
func (q *quadRows) begin() { q.rows = append(q.rows, quadRow{from: len(q.quads)}) }

func (q *quadRows) row(i int) []Interval {
	if i+1 == len(q.rows) {
		return q.quads[q.rows[i].from:]
	}
	return q.quads[q.rows[i].from:q.rows[i+1].from]
}

// hold reports whether row i holds x.
func (q *quadRows) hold(i int, x int64) bool {
	row, at := q.row(i), q.rows[i].at
	switch {
	case at > 0 && x <= row[at-1].X1: // back
		at = sort.Search(at-1, func(j int) bool { return x <= row[j].X1 })
	case at < len(row) && x > row[at].X1:
		if at++; at < len(row) && x > row[at].X1 {
			at += sort.Search(len(row)-at, func(j int) bool { return x <= row[at+j].X1 })
		}
	}
	q.rows[i].at = at
	return at < len(row) && row[at].X0 <= x
}

// parents appends to the open row the quads that have a child in a or b.
func (q *quadRows) parents(a, b []Interval) {
	start := len(q.quads)
	for len(a)+len(b) > 0 {
		var next Interval
		if len(b) == 0 || len(a) > 0 && a[0].X0 <= b[0].X0 {
			next, a = a[0], a[1:]
		} else {
			next, b = b[0], b[1:]
		}
		next = Interval{next.X0 >> 1, next.X1 >> 1}
		if n := len(q.quads); n > start && next.X0 <= q.quads[n-1].X1+1 {
			q.quads[n-1].X1 = max(q.quads[n-1].X1, next.X1)
			continue
		}
		q.quads = append(q.quads, next)
	}
}

// common appends to the open row the quads that have all four children in a
// and b. Two of them never touch: between two intervals of what a and b share
// is a child that one of them lacks.
func (q *quadRows) common(a, b []Interval) {
	for len(a) > 0 && len(b) > 0 {
		from, to := max(a[0].X0, b[0].X0), min(a[0].X1, b[0].X1)
		if from, to = (from+1)>>1, (to+1)>>1-1; from <= to {
			q.quads = append(q.quads, Interval{from, to})
		}
		if a[0].X1 < b[0].X1 {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
}

// Cover returns the quads of the rectangle up to the level top, as
// Scanner.Cover does those of a polygon. Everything in it takes O(1). Cells
// beyond MaxRect are left out.
func (r Rect) Cover(top int) Cover {
	r = r.Intersect(MaxRect())
	top = clampLevel(top)
	if r.Empty() {
		return &rectCover{r: r}
	}
	return &rectCover{r, r.MinY>>top - 1, r.MaxY >> top, [1]Interval{{r.MinX >> top, r.MaxX >> top}}}
}

// rectCover is at the band y of those up to last.
type rectCover struct {
	r       Rect
	y, last int64
	quads   [1]Interval // of every band
}

func (c *rectCover) Next() bool {
	if c.y >= c.last {
		return false
	}
	c.y++
	return true
}

func (c *rectCover) Band() (int64, []Interval) {
	return c.y, c.quads[:]
}

func (c *rectCover) Relation(level int, x, y int64) Relation {
	return min(along(level, x, c.r.MinX, c.r.MaxX), along(level, y, c.r.MinY, c.r.MaxY))
}

// along is the relation of column or row i of a level to the cells from lo to
// hi of that axis.
func along(level int, i, lo, hi int64) Relation {
	switch {
	case i < lo>>level || i > hi>>level:
		return Outside
	case i >= (lo+1<<level-1)>>level && i < (hi+1)>>level:
		return Inside
	}
	return Partly
}
