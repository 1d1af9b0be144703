package ccbf

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// search walks the cells of a dense sketch inside an area, and with levels
// the squares above them, from the largest down. What a square holds is never more
// than it reads, so that what is below a square that reads 0 is left out, and
// visit can leave out more.
type search struct {
	v  *View
	of Categories
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

// run searches an area. It may look up View.areaLimit squares.
func (s *search) run(a area) error {
	s.most = s.v.left()
	if b, ok := a.(box); ok {
		s.rect(b.Rect().Intersect(s.v.Bounds))
		return s.v.allow(s.reads)
	}
	// The squares inside, one by one.
	r := a.Bounds().Intersect(s.v.Bounds)
	top := bits.Len64(max(r.Width(), r.Height()) - 1)
	for y := r.MinY >> top; y <= r.MaxY>>top; y++ {
		for x := r.MinX >> top; x <= r.MaxX>>top; x++ {
			s.square(a, top, grid.Cell{X: x, Y: y})
		}
	}
	return s.v.allow(s.reads)
}

// square searches the parts of a square that are inside an area.
func (s *search) square(a area, level int, at grid.Cell) {
	r := square(at, level)
	in := r.Intersect(s.v.Bounds)
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
		if level >= readPartly && level <= int(s.v.Levels) && len(s.read(level, []reading{{at: at, least: ^uint64(0)}})) == 0 {
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
	if n := clip.Squares(int(s.v.Levels)).Count(); n > s.most {
		s.reads = saturate.Add(s.reads, n)
		return
	}
	top := int(s.v.Levels)
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
	h, h1, h2 := s.v.Config.hasher(uint8(level)), s.h1[:n], s.h2[:n]
	for i := range squares {
		h1[i], h2[i] = uint64(squares[i].at.X), uint64(squares[i].at.Y)
	}
	h.all(h1, h2, category)
	s.v.dense.Counts(counts[:n], h1, h2)
}

// sweep asks counters for all cells of rows, of which most have no points.
type sweep struct {
	v        countersView
	of       Categories
	several  bool   // categories
	category []byte // the one
	// columns are what the hashes of the columns from first on have in common, the same in all rows; nil
	// where there are too many: then batch has those of a few.
	columns []uint64
	first   int64
	batch   [hashBatch]uint64
	// Cells that may have a count are held until there are enough to be counted together.
	held   int
	at     [mostHeld]grid.Cell
	h1, h2 [mostHeld]uint64
	which  [hashBatch]uint32
	counts [mostHeld]uint64
}

// enoughHeld is how many cells are counted together, and mostHeld how many are held where a
// batch comes on top.
const (
	enoughHeld = 64
	mostHeld   = enoughHeld + hashBatch
)

// columnTable is for how many columns there is a table: it stays in the caches.
const columnTable = 1 << 14

// newSweep prepares for cells of a rectangle.
func newSweep(v countersView, of Categories, r grid.Rect) *sweep {
	s := &sweep{v: v, of: of, several: of.Number() != 1}
	_ = of.Each(func(category []byte) error {
		s.category = category
		return nil
	})
	if n := r.Width(); s.plain() && n <= columnTable {
		s.first, s.columns = r.MinX, make([]uint64, n)
		key.HashColumns(s.v.hasher.seed, s.first, s.columns)
	}
	return s
}

// plain reports whether keys are cells and nothing else.
func (s *sweep) plain() bool { return !s.several && s.category == nil && s.v.hasher.level == 0 }

// ask looks for those of n cells from x on in a row, up to a batch, that may have a count, and
// holds them. It returns how many these are.
func (s *sweep) ask(x, y int64, n int) int {
	if s.several {
		return s.askSums(x, y, n)
	}
	h1, h2 := s.h1[s.held:][:n], s.h2[s.held:][:n]
	if h := &s.v.hasher; s.plain() {
		columns := s.batch[:n]
		if s.columns != nil {
			columns = s.columns[x-s.first:][:n]
		} else {
			key.HashColumns(h.seed, x, columns)
		}
		key.HashRow(h.seed, columns, y, h1, h2)
	} else {
		for i := range h1 {
			h1[i], h2[i] = uint64(x+int64(i)), uint64(y)
		}
		h.all(h1, h2, s.category)
	}
	some := s.v.dense.Some(s.which[:n], h1, h2)
	at := s.at[s.held:][:len(some)]
	for i, k := range some {
		at[i], h1[i], h2[i] = grid.Cell{X: x + int64(k), Y: y}, h1[k], h2[k]
	}
	s.held += len(some)
	return len(some)
}

// askSums is ask for several categories: the cells are counted at once.
func (s *sweep) askSums(x, y int64, n int) int {
	var at [hashBatch]grid.Cell
	var sums [hashBatch]uint64
	for i := range n {
		at[i] = grid.Cell{X: x + int64(i), Y: y}
	}
	s.v.counts(sums[:n], at[:n], s.of)
	before := s.held
	for i, sum := range sums[:n] {
		if sum > 0 {
			s.at[s.held], s.counts[s.held] = at[i], sum
			s.held++
		}
	}
	return s.held - before
}

// enough reports whether so many cells are held that they are to be counted.
func (s *sweep) enough() bool { return s.held >= enoughHeld }

// count is the cells that are held, and their counts: then none is held.
func (s *sweep) count() ([]grid.Cell, []uint64) {
	n, held := s.held, s.held
	if s.several {
		s.held = 0
		return s.at[:held], s.counts[:held]
	}
	if n > cascade.Few { // eight at once take less than those that are left of eight
		n = min((n+7)&^7, mostHeld)
	}
	s.v.dense.Counts(s.counts[:n], s.h1[:n], s.h2[:n])
	s.held = 0
	return s.at[:held], s.counts[:held]
}

// sum adds the counts of the cells that are held. It calls each, where that is not nil, with
// every one.
func (s *sweep) sum(sum uint64, each func(n uint64)) uint64 {
	_, counts := s.count()
	for _, n := range counts {
		if sum = saturate.Add(sum, n); each != nil {
			each(n)
		}
	}
	return sum
}

// sweep calls f for the cells of an area that have a count, until it returns false.
func (v countersView) sweep(a area, of Categories, f func(at grid.Cell, n uint64) bool) error {
	scan, err := v.rowsOf(a, of.Number())
	if err != nil || scan.Bounds().Empty() {
		return err
	}
	s := newSweep(v, of, scan.Bounds())
	take := func() bool {
		at, counts := s.count()
		for i, n := range counts {
			if n > 0 && !f(at[i], n) {
				return false
			}
		}
		return true
	}
	if s.rows(scan, func(int) bool { return !s.enough() || take() }) {
		take()
	}
	return nil
}

// rows asks for the cells of rows, and calls f after each batch with how many of its cells cannot have
// a count, until it returns false.
func (s *sweep) rows(scan rows, f func(left int) bool) bool {
	bounds := scan.Bounds()
	for y := bounds.MinY; y <= bounds.MaxY; y++ {
		for _, in := range scan.Row(y) {
			for x := in.X0; x <= in.X1; x += hashBatch {
				n := int(min(in.X1-x+1, hashBatch))
				if !f(n - s.ask(x, y, n)) {
					return false
				}
			}
		}
	}
	return true
}
