package counters

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
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
	var at [hashBatch]grid.Cell
	var l lookups
	bounds := scan.Bounds()
	for y := bounds.MinY; y <= bounds.MaxY; y++ {
		for _, in := range scan.Row(y) {
			for x := in.X0; x <= in.X1; x += hashBatch {
				n := int(min(in.X1-x+1, hashBatch))
				for i := range n {
					at[i] = grid.Cell{X: x + int64(i), Y: y}
				}
				l.count(counts[:n], r, 0, at[:n], of)
				if !f(x, y, counts[:n]) {
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
