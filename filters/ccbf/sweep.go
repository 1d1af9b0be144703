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
	columns  [hashBatch]uint64 // what the hashes of a batch of columns have in common
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

// plain reports whether keys are cells and nothing else.
func (s *sweep) plain() bool { return s.category == nil && s.v.hasher.level == 0 }

// ask looks for those of n cells from x on in a row, up to a batch, that may have a count, and
// holds them. It returns how many these are.
func (s *sweep) ask(x, y int64, n int) int {
	h1, h2 := s.h1[s.held:][:n], s.h2[s.held:][:n]
	if h := &s.v.hasher; s.plain() {
		key.HashColumns(h.seed, x, s.columns[:n])
		key.HashRow(h.seed, s.columns[:n], y, h1, h2)
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

// enough reports whether so many cells are held that they are to be counted.
func (s *sweep) enough() bool { return s.held >= enoughHeld }

// count is the cells that are held, and their counts: then none is held.
func (s *sweep) count() ([]grid.Cell, []uint64) {
	n, held := s.held, s.held
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
	s.each(clip, func(at []grid.Cell, counts []uint64) bool {
		for i, n := range counts {
			if n > 0 && !f(at[i], n) {
				return false
			}
		}
		return true
	})
	return nil
}

// each calls f with cells of a part of the rectangle that may have a count, and their counts,
// until it returns false.
func (s *sweep) each(part grid.Rect, f func(at []grid.Cell, counts []uint64) bool) {
	for y := part.MinY; y <= part.MaxY; y++ {
		for x := part.MinX; x <= part.MaxX; x += hashBatch {
			s.ask(x, y, int(min(part.MaxX-x+1, hashBatch)))
			if s.enough() && !f(s.count()) {
				return
			}
		}
	}
	f(s.count())
}
