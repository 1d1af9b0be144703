package counters

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// search walks the cells of a dense sketch inside an area, and with levels
// the squares above them, from the largest down. What a square holds is never more
// than it reads, so that what is below a square that reads 0 is left out, and
// visit can leave out more.
type search struct {
	r  *Reader
	of cells.Categories
	// visit is called with squares, at most searchBatch, and returns those to whose
	// parts to go on, where these were.
	visit func(level int, squares []reading) []reading
	// largestFirst is for those who look for the largest: of the parts of
	// searchBatch squares those that read most come first.
	largestFirst bool

	clips  [MaxLevels + 1]grid.Rect // the rectangle in squares of each level
	parts  [MaxLevels + 1][]reading
	reads  uint64 // lookups so far
	most   uint64 // that are allowed; 0 ends the search
	h1, h2 [4 * searchBatch]uint64
	counts [4 * searchBatch]uint64
	more   [4 * searchBatch]uint64  // of another category
	first  [4 * searchBatch]reading // the largest squares, as many at once
}

// searchBatch is how many squares go down together, so that lookups need not wait
// for each other.
const searchBatch = 64

// reading is a square, what it reads, and the least of that and of what the squares
// above it read: never below the truth either.
type reading struct {
	at       grid.Cell
	n, least uint64
}

// each is a search's visit of squares one by one: f reports whether to go on to the
// square's parts.
func each(f func(level int, q *reading) bool) func(level int, squares []reading) []reading {
	return func(level int, squares []reading) []reading {
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

// run searches an area. It may look up as many squares as the limit allows.
func (s *search) run(a form.Area) error {
	s.most = s.r.Head.Limit.Left()
	if b, ok := a.(form.Box); ok {
		s.rect(b.Rect().Intersect(s.r.Head.Bounds))
		return s.r.Head.Limit.Allow(s.reads)
	}
	// The squares inside, one by one.
	r := a.Bounds().Intersect(s.r.Head.Bounds)
	top := bits.Len64(max(r.Width(), r.Height()) - 1)
	for y := r.MinY >> top; y <= r.MaxY>>top; y++ {
		for x := r.MinX >> top; x <= r.MaxX>>top; x++ {
			s.square(a, top, grid.Cell{X: x, Y: y})
		}
	}
	return s.r.Head.Limit.Allow(s.reads)
}

// square searches the parts of a square that are inside an area.
func (s *search) square(a form.Area, level int, at grid.Cell) {
	r := square(at, level)
	in := r.Intersect(s.r.Head.Bounds)
	if s.reads++; in.Empty() || s.reads > s.most || s.most == 0 {
		return
	}
	if level == 0 {
		if a.Contains(at) {
			s.rect(in)
		}
		return
	}
	switch a.Enter(r) {
	case grid.Inside:
		s.rect(in)
	case grid.Partly:
		defer a.Leave()
		s.reads += uint64(a.Work())
		if level >= readPartly && level <= int(s.r.Levels) && len(s.read(level, []reading{{at: at, least: ^uint64(0)}})) == 0 {
			return
		}
		for i := range int64(4) {
			s.square(a, level-1, grid.Cell{X: 2*at.X + i&1, Y: 2*at.Y + i>>1})
		}
	}
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
			first = append(first, reading{at: grid.Cell{X: x, Y: y}, least: ^uint64(0)})
			if len(first) == cap(first) || x == all.MaxX && y == all.MaxY {
				s.down(top, first)
				first = first[:0]
			}
		}
	}
}

// down reads squares, as many as a batch has parts, and goes on to the parts of
// those that visit wants. least is so far that of the squares above.
func (s *search) down(level int, squares []reading) {
	squares = s.read(level, squares)
	if s.largestFirst && level > 0 {
		slices.SortFunc(squares, func(a, b reading) int { return cmp.Compare(b.least, a.least) })
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

// appendParts appends the parts of a square, of the level below it, that meet the
// rectangle.
func (s *search) appendParts(dst []reading, level int, q *reading) []reading {
	x, y, clip := 2*q.at.X, 2*q.at.Y, &s.clips[level]
	if x >= clip.MinX && x < clip.MaxX && y >= clip.MinY && y < clip.MaxY {
		return append(dst, reading{at: grid.Cell{X: x, Y: y}, least: q.least}, reading{at: grid.Cell{X: x + 1, Y: y}, least: q.least},
			reading{at: grid.Cell{X: x, Y: y + 1}, least: q.least}, reading{at: grid.Cell{X: x + 1, Y: y + 1}, least: q.least})
	}
	for i := range int64(4) {
		at := grid.Cell{X: x + i&1, Y: y + i>>1}
		if clip.Contains(at) {
			dst = append(dst, reading{at: at, least: q.least})
		}
	}
	return dst
}

// read fills in what squares read and drops those that read 0.
func (s *search) read(level int, squares []reading) []reading {
	s.reads += uint64(len(squares) * s.of.Number())
	// Eight at once take less than those that are left of eight.
	n := (len(squares) + 7) &^ 7
	sums := sumOfCounts{s.counts[:n], s.more[:n], 0}
	_ = s.of.Each(func(category []byte) error {
		s.count(level, squares, category, sums.next())
		return nil
	})
	sums.end()
	kept := 0
	for i, count := range s.counts[:len(squares)] {
		q := squares[i]
		q.n, q.least = count, min(count, q.least)
		squares[kept] = q
		if q.least > 0 {
			kept++
		}
	}
	return squares[:kept]
}

// count counts squares of a category; counts may be longer than squares.
func (s *search) count(level int, squares []reading, category []byte, counts []uint64) {
	n := len(counts)
	if category != nil {
		n = len(squares) // the others would be hashed one by one
	}
	h, h1, h2 := s.r.Hasher(uint8(level)), s.h1[:n], s.h2[:n]
	for i := range squares {
		h1[i], h2[i] = uint64(squares[i].at.X), uint64(squares[i].at.Y)
	}
	h.All(h1, h2, category)
	s.r.Counters.Counts(counts[:n], h1, h2)
}

// take counts what squares read in the pixels in which they lie, and returns the others, where
// these were. Which do is hard to guess, so that there is no branch for it. Pixels of other
// squares are left alone: another goroutine may have them.
func take(p *form.Pixels, level int, squares []reading) (cut []reading) {
	var at, least [searchBatch]uint64
	taken := 0
	west, south, last := p.Columns.From(), p.Lines.From(), int64(1)<<level-1
	columns, lines, n := p.Columns.Of, p.Lines.Of, 0
	for _, q := range squares {
		x, y := q.at.X<<level, q.at.Y<<level
		i, j, whole := x-west, y-south, uint64(0)
		if i >= 0 && j >= 0 && i+last < int64(len(columns)) && j+last < int64(len(lines)) {
			column, line := columns[i], lines[j]
			differ := (column ^ columns[i+last]) | (line ^ lines[j+last])
			whole = (uint64(differ) - 1) >> 63
			at[taken%searchBatch], least[taken%searchBatch] = uint64(p.At(int(column), int(line))), q.least
			taken += int(whole)
		} else {
			column, one := p.Columns.Whole(x, last+1)
			line, two := p.Lines.Whole(y, last+1)
			if one && two {
				whole = 1
				p.Add(column, line, q.least)
			}
		}
		squares[n] = q
		n += int(1 - whole)
	}
	for i, at := range at[:taken] {
		p.Dst[at] = saturate.Add(p.Dst[at], least[i])
	}
	return squares[:n]
}
