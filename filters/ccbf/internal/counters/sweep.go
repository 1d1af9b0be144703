package counters

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// sweep asks counters for all cells of rows, of which most have no points.
type sweep struct {
	r        *Reader
	of       cells.Categories
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
func newSweep(r *Reader, of cells.Categories, in grid.Rect) *sweep {
	s := &sweep{r: r, of: of, several: of.Number() != 1}
	_ = of.Each(func(category []byte) error {
		s.category = category
		return nil
	})
	if n := in.Width(); s.plain() && n <= columnTable {
		s.first, s.columns = in.MinX, make([]uint64, n)
		key.HashColumns(s.r.hasher.seed, s.first, s.columns)
	}
	return s
}

// plain reports whether keys are cells and nothing else.
func (s *sweep) plain() bool { return !s.several && s.category == nil && s.r.hasher.level == 0 }

// ask looks for those of n cells from x on in a row, up to a batch, that may have a count, and
// holds them. It returns how many these are.
func (s *sweep) ask(x, y int64, n int) int {
	if s.several {
		return s.askSums(x, y, n)
	}
	h1, h2 := s.h1[s.held:][:n], s.h2[s.held:][:n]
	if h := &s.r.hasher; s.plain() {
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
		h.All(h1, h2, s.category)
	}
	some := s.r.Counters.Some(s.which[:n], h1, h2)
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
	s.r.Counts(sums[:n], at[:n], s.of)
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
	s.r.Counters.Counts(s.counts[:n], s.h1[:n], s.h2[:n])
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
func (r *Reader) sweep(a form.Area, of cells.Categories, f func(at grid.Cell, n uint64) bool) error {
	scan, err := r.rowsOf(a, of.Number())
	if err != nil || scan.Bounds().Empty() {
		return err
	}
	s := newSweep(r, of, scan.Bounds())
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
func (s *sweep) rows(scan form.Rows, f func(left int) bool) bool {
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
