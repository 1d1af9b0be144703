package counters

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// areaSum returns the sum over an area. If each is not nil, it calls each with every count that the sum
// consists of.
func (r *Reader) areaSum(a form.Area, category []byte, each func(n uint64)) (uint64, error) {
	if r.Levels > 0 && a.Bounds().Intersect(r.Head.Bounds).Count() > smallArea {
		return r.sumLevels(a, category, each)
	}
	sum := uint64(0)
	err := r.sweep(a, cells.Of(category), func(_, _ int64, counts []uint64) bool {
		for _, n := range counts {
			if sum = saturate.Add(sum, n); each != nil {
				each(n)
			}
		}
		return true
	})
	return sum, err
}

// readPartly is the lowest level at which squares across the outline are looked up. The few cells of a
// smaller one cost no more.
const readPartly = 2

// smallArea is the most cells of an area that are looked up one by one. For more, squares are faster or
// bring sums much closer.
const smallArea = 8

// outline sums up an area in a sketch with levels. It goes down from large squares to cells where the
// outline of the area crosses squares. The count of a square is an upper bound of what it holds, so that
//
//   - a square inside the area takes one lookup,
//   - a square of count 0 ends the descent,
//   - the parts of a square add up to no more than its count.
//
// Each keeps a sum an upper bound, and the last two bring it closer.
type outline struct {
	form.Area
	r *Reader
	*work
	// read returns the count of a square that the outline crosses. inside returns the sum of a square
	// that lies inside the area: in is its part within the bounds. The sum is at most the parameter
	// bound.
	read   func(level int, at grid.Cell) uint64
	inside func(level int, in grid.Rect, bound uint64) uint64
}

// work counts the steps of a query: its lookups, squares and comparisons.
type work struct {
	steps uint64 // how many there were so far.
	most  uint64 // how many are allowed
	ended bool   // whether the search needs no more.
}

// sum returns the sum over the area. It stops after as many steps as are allowed.
func (o *outline) sum() (sum uint64) {
	in := o.Bounds().Intersect(o.r.Head.Bounds)
	if in.Empty() {
		return 0
	}
	// The sum starts from squares at least as wide as the longer side of the area: at most four cover the
	// area. They may be larger than any square that the sketch counts.
	top := bits.Len64(max(in.Width(), in.Height()) - 1)
	for at := range in.Squares(top).Cells() {
		sum = saturate.Add(sum, o.square(top, at, ^uint64(0)))
	}
	return sum
}

// square returns the sum of the part of a square in the area, at most bound.
func (o *outline) square(level int, at grid.Cell, bound uint64) uint64 {
	r := square(at, level)
	in := r.Intersect(o.r.Head.Bounds)
	if o.steps++; o.ended || o.steps > o.most || in.Empty() {
		return 0
	}
	switch o.Enter(r) {
	case grid.Outside:
		return 0
	case grid.Inside:
		return o.inside(level, in, bound)
	}
	defer o.Leave()
	o.steps += uint64(o.Work())
	if level >= readPartly && level <= int(o.r.Levels) {
		if bound = min(bound, o.read(level, at)); bound == 0 {
			return 0
		}
	}
	sum := uint64(0)
	for i := range int64(4) {
		sum = saturate.Add(sum, o.square(level-1, grid.Cell{X: 2*at.X + i&1, Y: 2*at.Y + i>>1}, bound))
	}
	return min(sum, bound)
}

// sumLevels returns the sum over an area by squares. If each is not nil, it calls each with every count
// that the sum consists of: of squares inside and of cells. Whether a square counts depends on the squares
// around it only.
func (r *Reader) sumLevels(a form.Area, category []byte, each func(n uint64)) (uint64, error) {
	o := outline{Area: a, r: r, work: &work{most: r.Head.Limit.Left()}}
	o.read = func(level int, at grid.Cell) uint64 { return r.lookup(level, at, category) }
	o.inside = func(level int, in grid.Rect, bound uint64) uint64 {
		// The sketch does not count squares above its largest level. A larger square is divided into
		// squares of that level.
		level = min(level, int(r.Levels))
		in = in.Squares(level)
		if n := in.Count(); n > 1 {
			if o.steps = saturate.Add(o.steps, n); o.steps > o.most {
				return 0
			}
		}
		sum := uint64(0)
		for at := range in.Cells() {
			n := r.lookup(level, at, category)
			if sum = saturate.Add(sum, n); each != nil {
				each(n)
			}
		}
		return min(sum, bound)
	}
	return o.sum(), r.Head.Limit.Allow(o.steps)
}

// search visits the cells of an area that have a count. With levels, it first visits the squares around
// them, from the largest down. The count of a square is an upper bound of its points. So the search skips
// the parts of squares with count 0, and visit can skip more.
type search struct {
	r  *Reader
	of cells.Categories
	// visit is called with every square that has a count, and reports whether to visit its parts.
	visit func(level int, q squareCount) bool
	// If largestFirst is set, the search visits the parts with the largest counts first, among the parts
	// of searchBatch squares.
	largestFirst bool

	from  int64                        // first row of cells: squares that begin below were looked up before.
	clips [MaxLevels + 1]grid.Rect     // by level: the searched rectangle in squares of that level.
	parts [MaxLevels + 1][]squareCount // by level: squares to visit.
	work
	at      [hashBatch]grid.Cell
	counts  [hashBatch]uint64
	lookups lookups
	first   [hashBatch]squareCount // a batch of the largest squares, or of cells without levels
}

// searchBatch is the number of squares that are visited together, so that lookups need not wait for each
// other. Their parts are a batch of lookups.
const searchBatch = hashBatch / 4

// squareCount is a square with its count n. A square around it may have a smaller count, which then
// bounds n too: least is the smallest of all these counts.
type squareCount struct {
	at       grid.Cell
	n, least uint64
}

// run searches an area. It looks up at most as many squares as the limit allows.
func (s *search) run(a form.Area) error {
	s.most, s.from = s.r.Head.Limit.Left(), math.MinInt64
	if s.r.Levels == 0 {
		return s.r.sweep(a, s.of, s.row)
	}
	if b, ok := a.(form.Box); ok {
		s.rect(b.Bounds().Intersect(s.r.Head.Bounds))
		return s.r.Head.Limit.Allow(s.steps)
	}
	o := outline{Area: a, r: s.r, work: &s.work}
	o.inside = func(_ int, in grid.Rect, _ uint64) uint64 {
		s.rect(in)
		return 0
	}
	o.read = func(level int, at grid.Cell) uint64 {
		read := s.read(level, []squareCount{{at: at, least: ^uint64(0)}})
		if len(read) == 0 {
			return 0
		}
		return read[0].n
	}
	o.sum()
	return s.r.Head.Limit.Allow(s.steps)
}

// row visits some neighbours of row y, from column x on, by their counts. It returns false after the end of
// the search.
func (s *search) row(x, y int64, counts []uint64) bool {
	for i, n := range counts {
		if n > 0 && !s.ended {
			s.visit(0, squareCount{at: grid.Cell{X: x + int64(i), Y: y}, n: n, least: n})
		}
	}
	return !s.ended
}

// goesOn reports whether the search needs more, and is allowed more steps.
func (s *search) goesOn() bool { return !s.ended && s.steps <= s.most }

// rect searches a rectangle within bounds.
func (s *search) rect(clip grid.Rect) {
	if clip.Empty() || s.ended {
		return
	}
	if n := clip.Squares(int(s.r.Levels)).Count(); n > s.most {
		s.steps = saturate.Add(s.steps, n)
		return
	}
	s.strip(clip)
}

// strip is rect for a part of a larger rectangle.
func (s *search) strip(clip grid.Rect) {
	if s.r.Levels == 0 {
		s.steps += clip.Count()
		s.r.rows(clip, rowsOf(clip), s.of, s.row)
		return
	}
	top := int(s.r.Levels)
	for l := range top + 1 {
		s.clips[l] = clip.Squares(l)
	}
	first := s.first[:0]
	for at := range s.clips[top].Cells() {
		if first = append(first, squareCount{at: at, least: ^uint64(0)}); len(first) == cap(first) {
			if s.down(top, first); !s.goesOn() {
				return
			}
			first = first[:0]
		}
	}
	s.down(top, first)
}

// down looks up at most as many squares as a batch has parts, and goes down where visit says so. So
// far, least is the least count of the squares around.
func (s *search) down(level int, squares []squareCount) {
	squares = s.read(level, squares)
	if s.largestFirst && level > 0 {
		slices.SortFunc(squares, func(a, b squareCount) int { return cmp.Compare(b.least, a.least) })
	}
	for len(squares) > 0 && s.goesOn() {
		batch := squares[:min(searchBatch, len(squares))]
		squares = squares[len(batch):]
		parts := s.parts[level][:0]
		for _, q := range batch {
			if !s.ended && s.visit(level, q) && level > 0 {
				parts = s.appendParts(parts, level-1, q)
			}
		}
		s.parts[level] = parts
		if len(parts) > 0 {
			s.down(level-1, parts)
		}
	}
}

// appendParts appends the parts of a square, one level below, that meet the rectangle.
func (s *search) appendParts(dst []squareCount, level int, q squareCount) []squareCount {
	for i := range int64(4) {
		at := grid.Cell{X: 2*q.at.X + i&1, Y: 2*q.at.Y + i>>1}
		if s.clips[level].Contains(at) {
			dst = append(dst, squareCount{at: at, least: q.least})
		}
	}
	return dst
}

// read looks up squares and drops those of count 0.
func (s *search) read(level int, squares []squareCount) []squareCount {
	at, counts, fresh := s.at[:len(squares)], s.counts[:len(squares)], 0
	for i := range squares {
		if at[i] = squares[i].at; at[i].Y<<level >= s.from {
			fresh++
		}
	}
	s.steps += uint64(fresh * s.of.Number())
	s.lookups.count(counts, s.r, level, at, s.of)
	kept := 0
	for i, count := range counts {
		q := squares[i]
		q.n, q.least = count, min(count, q.least)
		squares[kept] = q
		if q.least > 0 {
			kept++
		}
	}
	return squares[:kept]
}

// sweep looks up all cells of an area, row by row. It calls f with the counts of some neighbours, from
// column x on, until f returns false.
func (r *Reader) sweep(a form.Area, of cells.Categories, f func(x, y int64, counts []uint64) bool) error {
	scan, err := a.Scan(r.Head.Bounds)
	if err != nil {
		return err
	}
	bounds := a.Bounds().Intersect(r.Head.Bounds)
	row, count, n := rowsOf(bounds), bounds.Count, uint64(0)
	if scan != nil {
		bounds, row, count, n = scan.Bounds(), scan.Row, scan.Count, scan.Work()
	}
	// The scan of the rows is allowed. So count their cells, which takes as long as the scan.
	if n <= r.Head.Limit.Left() {
		n = max(n, saturate.Mul(count(), uint64(of.Number())))
	}
	if err := r.Head.Limit.Allow(n); err != nil {
		return err
	}
	r.rows(bounds, row, of, f)
	return nil
}

// rowsOf returns a function that returns the rows of a rectangle.
func rowsOf(r grid.Rect) func(y int64) []grid.Interval {
	row := []grid.Interval{{X0: r.MinX, X1: r.MaxX}}
	return func(int64) []grid.Interval { return row }
}

// rows looks up the cells of some rows, as sweep does.
func (r *Reader) rows(bounds grid.Rect, row func(y int64) []grid.Interval, of cells.Categories, f func(x, y int64, counts []uint64) bool) {
	var counts [hashBatch]uint64
	var at [hashBatch]grid.Cell
	var l lookups
	for y := bounds.MinY; y <= bounds.MaxY; y++ {
		for _, in := range row(y) {
			for x := in.X0; x <= in.X1; x += hashBatch {
				n := int(min(in.X1-x+1, hashBatch))
				for i := range n {
					at[i] = grid.Cell{X: x + int64(i), Y: y}
				}
				l.count(counts[:n], r, 0, at[:n], of)
				if !f(x, y, counts[:n]) {
					return
				}
			}
		}
	}
}
