package counters

import (
	"cmp"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// search visits the cells of an area. With levels, it first visits the squares around them, from the
// largest down. The count of a square is an upper bound of its points. So the search skips the parts of
// squares with count 0, and visit can skip more.
type search struct {
	r  *Reader
	of cells.Categories
	// visit is called with at most searchBatch squares. It returns the squares whose parts are to be
	// visited next, in the memory of its argument.
	visit func(level int, squares []squareCount) []squareCount
	// If largestFirst is set, the search visits the parts with the largest counts first, among the parts
	// of searchBatch squares.
	largestFirst bool

	clips   [MaxLevels + 1]grid.Rect     // by level: the searched rectangle in squares of that level.
	parts   [MaxLevels + 1][]squareCount // by level: squares to visit.
	reads   uint64                       // lookups so far
	most    uint64                       // the lookups that are allowed; 0 ends the search.
	at      [hashBatch]grid.Cell
	counts  [hashBatch]uint64
	lookups lookups
	first   [hashBatch]squareCount // a batch of the largest squares
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

// each returns a visit of squares one by one. f reports whether to visit the parts of a square.
func each(f func(level int, q *squareCount) bool) func(level int, squares []squareCount) []squareCount {
	return func(level int, squares []squareCount) []squareCount {
		kept := 0
		for i := range squares {
			if f(level, &squares[i]) {
				squares[kept] = squares[i]
				kept++
			}
		}
		return squares[:kept]
	}
}

// run searches an area. It looks up at most as many squares as the limit allows.
func (s *search) run(a form.Area) error {
	s.most = s.r.Head.Limit.Left()
	if b, ok := a.(form.Box); ok {
		s.rect(b.Rect().Intersect(s.r.Head.Bounds))
		return s.r.Head.Limit.Allow(s.reads)
	}
	o := outline{Area: a, r: s.r, most: s.most}
	o.inside = func(_ int, _ grid.Cell, in grid.Rect, _ uint64) uint64 {
		s.reads = o.steps
		s.rect(in)
		o.steps, o.most = s.reads, s.most
		return 0
	}
	o.read = func(level int, at grid.Cell) uint64 {
		s.reads = o.steps
		read := s.read(level, []squareCount{{at: at, least: ^uint64(0)}})
		if o.steps = s.reads; len(read) == 0 {
			return 0
		}
		return read[0].n
	}
	o.sum()
	return s.r.Head.Limit.Allow(o.steps)
}

// rect searches a rectangle within bounds.
func (s *search) rect(clip grid.Rect) {
	if clip.Empty() || s.most == 0 {
		return
	}
	if n := clip.Squares(int(s.r.Levels)).Count(); n > s.most {
		s.reads = saturate.Add(s.reads, n)
		return
	}
	top := int(s.r.Levels)
	for l := range top + 1 {
		s.clips[l] = clip.Squares(l)
	}
	all := s.clips[top]
	first := s.first[:0]
	for y := all.MinY; y <= all.MaxY; y++ {
		for x := all.MinX; x <= all.MaxX && s.reads <= s.most; x++ {
			first = append(first, squareCount{at: grid.Cell{X: x, Y: y}, least: ^uint64(0)})
			if len(first) == cap(first) || x == all.MaxX && y == all.MaxY {
				s.down(top, first)
				first = first[:0]
			}
		}
	}
}

// down looks up at most as many squares as a batch has parts, and visits the parts that visit returns. So
// far, least is the least count of the squares around.
func (s *search) down(level int, squares []squareCount) {
	squares = s.read(level, squares)
	if s.largestFirst && level > 0 {
		slices.SortFunc(squares, func(a, b squareCount) int { return cmp.Compare(b.least, a.least) })
	}
	for len(squares) > 0 && s.reads <= s.most {
		batch := squares[:min(searchBatch, len(squares))]
		squares = squares[len(batch):]
		batch = s.visit(level, batch)
		if len(batch) == 0 || level == 0 {
			continue
		}
		parts := s.parts[level][:0]
		for i := range batch {
			parts = s.appendParts(parts, level-1, &batch[i])
		}
		s.parts[level] = parts
		s.down(level-1, parts)
	}
}

// appendParts appends the parts of a square, one level below, that meet the rectangle.
func (s *search) appendParts(dst []squareCount, level int, q *squareCount) []squareCount {
	x, y, clip := 2*q.at.X, 2*q.at.Y, &s.clips[level]
	if x >= clip.MinX && x < clip.MaxX && y >= clip.MinY && y < clip.MaxY {
		return append(dst, squareCount{at: grid.Cell{X: x, Y: y}, least: q.least}, squareCount{at: grid.Cell{X: x + 1, Y: y}, least: q.least},
			squareCount{at: grid.Cell{X: x, Y: y + 1}, least: q.least}, squareCount{at: grid.Cell{X: x + 1, Y: y + 1}, least: q.least})
	}
	for i := range int64(4) {
		at := grid.Cell{X: x + i&1, Y: y + i>>1}
		if clip.Contains(at) {
			dst = append(dst, squareCount{at: at, least: q.least})
		}
	}
	return dst
}

// read looks up squares and drops those of count 0.
func (s *search) read(level int, squares []squareCount) []squareCount {
	s.reads += uint64(len(squares) * s.of.Number())
	at, counts := s.at[:len(squares)], s.counts[:len(squares)]
	for i := range squares {
		at[i] = squares[i].at
	}
	s.lookups.count(counts, s.r, uint8(level), at, s.of)
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

// take adds the counts of squares that lie in a pixel, and returns the other squares in the same memory.
func take(p *form.Pixels, level int, squares []squareCount) (cut []squareCount) {
	side, n := int64(1)<<level, 0
	for _, q := range squares {
		if column, ok := p.Columns.Whole(q.at.X<<level, side); ok {
			if line, ok := p.Lines.Whole(q.at.Y<<level, side); ok {
				p.Add(column, line, q.least)
				continue
			}
		}
		squares[n] = q
		n++
	}
	return squares[:n]
}
