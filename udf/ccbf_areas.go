package udf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/notes"
)

// cellsOf returns the cells in the box of row i.
func cellsOf(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error) {
	b := boxOf(rows, i)
	return h.Grid.Box(b.Min[0], b.Min[1], b.Max[0], b.Max[1])
}

// cellsOfTile returns the cells in the map tile of row i.
func cellsOfTile(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error) {
	return h.Grid.Tile(zoom(rows.Col(1), i), duck.Slice[int64](rows.Col(2))[i], duck.Slice[int64](rows.Col(3))[i])
}

// ccbfBoxSum returns a function that sums the counts in a rectangle of cells. rect returns the rectangle
// of row i in the grid of h, from the arguments in columns 1 to edges.
func ccbfBoxSum(edges int, rect func(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		return eachSum(rows, out, 1+edges, func() (sums, error) {
			var seen notes.Areas
			return sums{
				area: func(h *ccbf.Head, i int) (ccbf.Area, bool, error) {
					area, err := rect(h, rows, i)
					if err != nil {
						return ccbf.Area{}, false, err
					}
					met := !area.Intersect(h.Bounds).Empty()
					if met {
						seen.Met = true
					} else if edges == 4 && bridge.Doubtful(h, area) { // only boxes are checked: a tile is never a mistake
						err = seen.Check(h, "box", boxOf(rows, i), 0, false)
					}
					return ccbf.Box(area), met, err
				},
				done: func() { notes.Record(&seen) },
			}, nil
		})
	}
}

// ccbfPolygonSum computes ccbf_polygon_sum.
func ccbfPolygonSum(rows *duck.Rows, out *duck.Result) error {
	return eachSum(rows, out, 2, func() (sums, error) {
		polygons, err := polygonsOf(rows.Col(1))
		if err != nil {
			return sums{}, err
		}
		return sums{area: polygons.area, done: polygons.record}, nil
	})
}

// sums gives the area of each row of a chunk; points in that area are counted.
type sums struct {
	// area returns the area of row i, and whether the sketch may have points in it.
	area func(h *ccbf.Head, i int) (a ccbf.Area, met bool, err error)
	done func() // called after the last row
}

// eachSum writes the sum of each row. ask returns the areas; categories are in column categoryAt, if the
// call has it. If a sketch cannot have points in the row's area, eachSum reads only the sketch's head,
// and the sum is 0.
func eachSum(rows *duck.Rows, out *duck.Result, categoryAt int, ask func() (sums, error)) error {
	return withReader(rows, categoryAt, func(r *ccbfReader) error {
		q, err := ask()
		if err != nil {
			return err
		}
		defer q.done()
		n := rows.Len()
		if r.has || !out.HasIdleThread() || !manyExact(rows, n/2) {
			return r.sumRows(rows, out, q, 0, n)
		}
		return runBoth(func() error { return r.sumRows(rows, out, q, 0, n/2) }, func() error {
			return withReader(rows, categoryAt, func(r *ccbfReader) error {
				q, err := ask()
				if err != nil {
					return err
				}
				defer q.done()
				return r.sumRows(rows, out, q, n/2, n)
			})
		})
	})
}

const (
	// A chunk is halved if it has halvedRows rows or more, and the sketches in its second half have
	// halvedBytes bytes or more. Two goroutines then compute one half of the rows each. DuckDB gives a
	// few hundred sketches to one thread, however large they are. No other function uses a second
	// goroutine (docs/performance/method.md).
	halvedRows  = 64
	halvedBytes = 1 << 17
)

// manyExact reports whether two goroutines pay for a chunk. The chunk needs enough rows, and the rows
// from index from on need enough bytes of exact sketches. Sketches of other forms are not halved, as their limit
// of work applies to the whole chunk.
func manyExact(rows *duck.Rows, from int) bool {
	if rows.Len() < halvedRows {
		return false
	}
	var h ccbf.Head
	bytes := 0
	for i := from; i < rows.Len(); i++ {
		if !valid(rows, i) {
			return false
		}
		blob := rows.Col(0).Bytes(i)
		if err := bridge.ReadHead(&h, blob); err != nil || h.Form() != ccbf.Exact {
			return false
		}
		bytes += len(blob)
	}
	return bytes >= halvedBytes
}

// runBoth runs first here and second in another goroutine, and returns when both have ended. It
// returns the error of first, or else of second. A panic of second is an error.
func runBoth(first, second func() error) (err error) {
	var other error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				other = fmt.Errorf("internal error: %v", p)
			}
		}()
		other = second()
	}()
	defer func() { // wait even if first panics, as second still reads DuckDB's memory
		<-done
		if err == nil {
			err = other
		}
	}()
	return first()
}

// sumRows writes the sums of rows from to to-1.
func (r *ccbfReader) sumRows(rows *duck.Rows, out *duck.Result, q sums, from, to int) error {
	answers := duck.Out[uint64](out)
	var found missingCategory
	defer notes.RecordCategory(&found.Category)
	for i := from; i < to; i++ {
		if !valid(rows, i) || !r.selects(i) {
			out.SetNull(i)
			continue
		}
		blob := rows.Col(0).Bytes(i)
		h, err := r.headOf(blob)
		if err != nil {
			return err
		}
		area, near, err := q.area(h, i)
		if answers[i] = 0; err != nil {
			return err
		}
		if !near && !r.several.lists(h.Class()) { // the sum is 0, but a wrong category must still be an error
			if err := r.checkCategories(h, out, i); err != nil {
				return err
			}
			continue
		}
		if err := r.open(blob); err != nil {
			return err
		}
		of, err := r.categories(blob, out, i)
		if err != nil {
			return err
		}
		if answers[i], err = r.view.Sum(area, of); err != nil {
			return err
		}
		if one, ok := of.One(); ok && r.has && near && !found.Found {
			found.check(&r.view, one, answers[i])
		}
	}
	return nil
}

// checkCategories reads the categories of row i for a sketch with this head, for their errors.
func (r *ccbfReader) checkCategories(h *ccbf.Head, out *duck.Result, i int) (err error) {
	if r.several.given {
		return r.several.readList(h.Class(), out, i)
	}
	_, err = r.categoryOf(h, i)
	return err
}

// ccbfOverlaps computes ccbf_bbox_overlaps.
func ccbfOverlaps(rows *duck.Rows, out *duck.Result) error {
	answers := duck.Out[bool](out)
	var h ccbf.Head
	var seen notes.Areas
	defer notes.Record(&seen)
	return eachValid(rows, out, func(i int) error {
		if err := bridge.ReadHead(&h, rows.Col(0).Bytes(i)); err != nil {
			return err
		}
		area, err := cellsOf(&h, rows, i)
		answers[i] = !area.Intersect(h.Bounds).Empty()
		if answers[i] {
			seen.Met = true
		} else if err == nil && bridge.Doubtful(&h, area) {
			_ = seen.Check(&h, "box", boxOf(rows, i), 0, false) // no error: most sketches may lie elsewhere
		}
		return err
	})
}
