package counters

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// rowsOf returns the rows of an area within bounds. It reserves times lookups for each cell.
func (r *Reader) rowsOf(a form.Area, times int) (form.Rows, error) {
	scan, err := a.Rows(r.Head.Grid, r.Head.Bounds)
	if err != nil {
		return nil, err
	}
	n := scan.Work()
	// The scan of the rows is allowed. So count their cells, which takes as long as the scan.
	if n <= r.Head.Limit.Left() {
		n = max(n, saturate.Mul(scan.Count(), uint64(times)))
	}
	return scan, r.Head.Limit.Allow(n)
}

// sweep looks up all cells of an area, row by row. It calls f with the counts of some neighbours, from
// column x on, until f returns false.
func (r *Reader) sweep(a form.Area, of cells.Categories, f func(x, y int64, counts []uint64) bool) error {
	scan, err := r.rowsOf(a, of.Number())
	if err != nil {
		return err
	}
	var counts [hashBatch]uint64
	s, bounds := newSweep(r, of, scan.Bounds()), scan.Bounds()
	for y := bounds.MinY; y <= bounds.MaxY; y++ {
		for _, in := range scan.Row(y) {
			for x := in.X0; x <= in.X1; x += hashBatch {
				n := counts[:min(in.X1-x+1, hashBatch)]
				s.count(n, x, y)
				if !f(x, y, n) {
					return nil
				}
			}
		}
	}
	return nil
}

// eachCell returns an f for sweep. It calls another function for the cells that have a count, until that
// returns false.
func eachCell(f func(at grid.Cell, n uint64) bool) func(x, y int64, counts []uint64) bool {
	return func(x, y int64, counts []uint64) bool {
		for i, n := range counts {
			if n > 0 && !f(grid.Cell{X: x + int64(i), Y: y}, n) {
				return false
			}
		}
		return true
	}
}

// sweeper looks up all cells of an area, row by row.
type sweeper struct {
	r  *Reader
	of cells.Categories
	// columns has a value for each column from first on: the part of the hash that is equal in all rows.
	// It is nil if keys contain more than the cell, or if there are too many columns.
	columns []uint64
	first   int64
	h1, h2  [hashBatch]uint64
	at      [hashBatch]grid.Cell
}

// columnTable is the most columns of a table: it stays in the caches.
const columnTable = 1 << 14

// newSweep returns a sweeper of the cells of a rectangle.
func newSweep(r *Reader, of cells.Categories, in grid.Rect) *sweeper {
	s := &sweeper{r: r, of: of}
	plain := of.Number() == 1 && r.hasher.level == 0
	_ = of.Each(func(category []byte) error {
		plain = plain && category == nil
		return nil
	})
	if n := in.Width(); plain && !in.Empty() && n <= columnTable {
		s.first, s.columns = in.MinX, make([]uint64, n)
		key.HashColumns(r.hasher.seed, s.first, s.columns)
	}
	return s
}

// count looks up at most a batch of cells of a row, from x on.
func (s *sweeper) count(dst []uint64, x, y int64) {
	if s.columns != nil {
		h1, h2 := s.h1[:len(dst)], s.h2[:len(dst)]
		key.HashRow(s.r.hasher.seed, s.columns[x-s.first:][:len(dst)], y, h1, h2)
		s.r.Counters.Counts(dst, h1, h2)
		return
	}
	at := s.at[:len(dst)]
	for i := range at {
		at[i] = grid.Cell{X: x + int64(i), Y: y}
	}
	s.r.Counts(dst, at, s.of)
}
