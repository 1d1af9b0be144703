package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// sweep asks counters for all cells of rows, of which most have no points.
type sweep struct {
	v        countersView
	category []byte
	h1, h2   [hashBatch]uint64
	which    [hashBatch]uint32
	counts   [hashBatch]uint64
}

// cells counts the cells from x on in a row, up to a batch, and returns which have a
// count and what it is.
func (s *sweep) cells(x, y int64, n int) (which []uint32, counts []uint64) {
	h1, h2 := s.h1[:n], s.h2[:n]
	if h := &s.v.hasher; s.category == nil && h.level == 0 {
		key.HashRow(h.seed, x, y, h1, h2)
	} else {
		for i := range h1 {
			h1[i], h2[i] = h.hash(grid.Cell{X: x + int64(i), Y: y}, s.category)
		}
	}
	some := s.v.dense.Some(s.which[:n], h1, h2)
	for i, k := range some {
		h1[i], h2[i] = h1[k], h2[k]
	}
	counts = s.counts[:len(some)]
	s.v.dense.Counts(counts, h1[:len(some)], h2[:len(some)])
	return some, counts
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
	v.sweepAll(clip, category, f)
	return nil
}

// sweepAll is sweep of a rectangle that may be asked for, within Bounds.
func (v countersView) sweepAll(clip grid.Rect, category []byte, f func(at grid.Cell, n uint64) bool) {
	s := sweep{v: v, category: category}
	for y := clip.MinY; y <= clip.MaxY; y++ {
		for x := clip.MinX; x <= clip.MaxX; x += hashBatch {
			which, counts := s.cells(x, y, int(min(clip.MaxX-x+1, hashBatch)))
			for i, n := range counts {
				if n > 0 && !f(grid.Cell{X: x + int64(which[i]), Y: y}, n) {
					return
				}
			}
		}
	}
}
