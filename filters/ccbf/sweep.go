package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// sweep asks counters for all cells of rows, of which most have no points.
type sweep struct {
	v        countersView
	category []byte
	// columns are what the hashes of the columns from first on have in common, which is the
	// same in all rows.
	first   int64
	columns []uint64          // nil where few, and where there are too many for a table
	few     bool              // room has them
	room    [hashBatch]uint64 // of a few columns
	// occupied says which counters are not 0, of a sweep of very many cells.
	occupied []uint64
	h1, h2   [hashBatch]uint64
	which    [hashBatch]uint32
	counts   [hashBatch]uint64
}

// scannedCells is from how many cells on it is found out first which counters are 0.
const scannedCells = 1 << 19

// columnTable is for how many columns there is a table: it stays in the caches.
const columnTable = 1 << 14

// over prepares for so many cells of a rectangle.
func (s *sweep) over(clip grid.Rect, cells uint64) {
	if n := clip.Width(); s.plain() && n < cells && n <= columnTable {
		s.first = clip.MinX
		if s.few = n <= hashBatch; s.few {
			key.HashColumns(s.v.hasher.seed, s.first, s.room[:n])
		} else {
			s.columns = make([]uint64, n)
			key.HashColumns(s.v.hasher.seed, s.first, s.columns)
		}
	}
	if cells >= scannedCells {
		s.occupied = s.v.dense.Occupied()
	}
}

// plain reports whether keys are cells and nothing else.
func (s *sweep) plain() bool { return s.category == nil && s.v.hasher.level == 0 }

// columnsOf is what the hashes of n columns from x on have in common.
func (s *sweep) columnsOf(x int64, n int) []uint64 {
	switch {
	case s.few:
		return s.room[x-s.first:][:n]
	case s.columns != nil:
		return s.columns[x-s.first:][:n]
	}
	key.HashColumns(s.v.hasher.seed, x, s.room[:n])
	return s.room[:n]
}

// cells counts the cells from x on in a row, up to a batch, and returns which have a
// count and what it is.
func (s *sweep) cells(x, y int64, n int) (which []uint32, counts []uint64) {
	h1, h2 := s.h1[:n], s.h2[:n]
	if h := &s.v.hasher; s.plain() {
		key.HashRow(h.seed, s.columnsOf(x, n), y, h1, h2)
	} else {
		for i := range h1 {
			h1[i], h2[i] = h.hash(grid.Cell{X: x + int64(i), Y: y}, s.category)
		}
	}
	some := s.v.dense.Some(s.occupied, s.which[:n], h1, h2)
	if len(some) == 0 {
		return nil, nil
	}
	for i, k := range some {
		h1[i], h2[i] = h1[k], h2[k]
	}
	if len(some) > cascade.Few { // eight at once take less than those that are left of eight
		n = min((len(some)+7)&^7, n)
	} else {
		n = len(some)
	}
	s.v.dense.Counts(s.counts[:n], h1[:n], h2[:n])
	return some, s.counts[:len(some)]
}

// sum is the sum over the cells from x0 to x1 of a row. It calls each, where that is not
// nil, with every count.
func (s *sweep) sum(y, x0, x1 int64, each func(n uint64)) (sum uint64) {
	for ; x0 <= x1; x0 += hashBatch {
		n := int(min(x1-x0+1, hashBatch))
		_, counts := s.cells(x0, y, n)
		for _, c := range counts {
			sum = saturate.Add(sum, c)
		}
		if each == nil {
			continue
		}
		for _, c := range counts {
			each(c)
		}
		for range n - len(counts) {
			each(0)
		}
	}
	return sum
}

// sweep calls f for the cells of a rectangle that have a count, until it returns false.
func (v countersView) sweep(clip grid.Rect, category []byte, f func(at grid.Cell, n uint64) bool) error {
	clip = clip.Intersect(v.Bounds)
	if clip.Empty() {
		return nil
	}
	if err := v.allow(clip.Count()); err != nil {
		return err
	}
	s := sweep{v: v, category: category}
	s.over(clip, clip.Count())
	s.each(clip, f)
	return nil
}

// each calls f for the cells of a part of the rectangle that have a count, until it returns false.
func (s *sweep) each(part grid.Rect, f func(at grid.Cell, n uint64) bool) {
	for y := part.MinY; y <= part.MaxY; y++ {
		for x := part.MinX; x <= part.MaxX; x += hashBatch {
			which, counts := s.cells(x, y, int(min(part.MaxX-x+1, hashBatch)))
			for i, n := range counts {
				if n > 0 && !f(grid.Cell{X: x + int64(which[i]), Y: y}, n) {
					return
				}
			}
		}
	}
}
