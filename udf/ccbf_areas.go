package udf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/asked"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// cellsOf is the cells of the box of row i.
func cellsOf(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error) {
	b := boxOf(rows, i)
	return h.Grid.Box(b.Min[0], b.Min[1], b.Max[0], b.Max[1])
}

// cellsOfTile is the cells of the map tile of row i.
func cellsOfTile(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error) {
	return h.Grid.Tile(zoom(rows.Col(1), i), duck.Slice[int64](rows.Col(2))[i], duck.Slice[int64](rows.Col(3))[i])
}

// ccbfBoxSum sums the cells of a rectangle given by the columns from 1 to edges.
func ccbfBoxSum(edges int, rect func(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		return eachSum(rows, out, 1+edges, func() (sums, error) {
			var seen asked.Areas
			return sums{
				area: func(h *ccbf.Head, i int) (ccbf.Area, bool, error) {
					area, err := rect(h, rows, i)
					if err != nil {
						return ccbf.Area{}, false, err
					}
					met := !area.Intersect(h.Bounds).Empty()
					if met {
						seen.Met = true
					} else if edges == 4 && bridge.Doubtful(h, area) { // the edges of a tile are what they should be
						err = seen.Look(h, "box", boxOf(rows, i), 0, false)
					}
					return ccbf.Box(area), met, err
				},
				done: func() { asked.Record(&seen) },
			}, nil
		})
	}
}

func ccbfPolygonSum(rows *duck.Rows, out *duck.Result) error {
	return eachSum(rows, out, 2, func() (sums, error) {
		polygons, err := polygonsOf(rows.Col(1))
		if err != nil {
			return sums{}, err
		}
		return sums{area: polygons.ask, done: polygons.record}, nil
	})
}

// sums are the questions of a chunk for sums over areas.
type sums struct {
	// area is that of row i, and whether a sketch may have points in it.
	area func(h *ccbf.Head, i int) (a ccbf.Area, met bool, err error)
	done func() // after the last question
}

// eachSum sums over the sketches that a question meets: of the others it reads
// the head only, and their sums are 0.
func eachSum(rows *duck.Rows, out *duck.Result, categoryAt int, ask func() (sums, error)) error {
	return ccbfAsk(rows, categoryAt, func(r *ccbfReader) error {
		q, err := ask()
		if err != nil {
			return err
		}
		defer q.done()
		n := rows.Len()
		if r.has || !out.HasIdleThread() || !manyExact(rows, n/2) {
			return r.sumRows(rows, out, q, 0, n)
		}
		return together(func() error { return r.sumRows(rows, out, q, 0, n/2) }, func() error {
			return ccbfAsk(rows, categoryAt, func(r *ccbfReader) error {
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
	// halvedRows is from how many rows on, and halvedBytes from how many bytes of sketches in the second half
	// of them on, two goroutines ask one half each. DuckDB gives a few hundred sketches to one thread,
	// however large they are: a box of 3,000 x 3,000 cells over 487 of them takes 1.9 times as long as the exact query in
	// one, and 0.8 times in two. This is the only place where a second processor is used.
	halvedRows  = 64
	halvedBytes = 1 << 17
)

// manyExact reports whether the sketches of the rows from from on are many, and all are exact: what others
// may be asked for is limited for a chunk together.
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

// together runs first here and second in another goroutine, and returns when both have ended: the error of
// first, or that of second. A panic of second is an error.
func together(first, second func() error) (err error) {
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
	defer func() { // also where first panics: second reads memory of DuckDB's
		<-done
		if err == nil {
			err = other
		}
	}()
	return first()
}

// sumRows answers the questions of the rows from from to to-1.
func (r *ccbfReader) sumRows(rows *duck.Rows, out *duck.Result, q sums, from, to int) error {
	answers := duck.Out[uint64](out)
	var found missingCategory
	defer asked.RecordCategory(&found.Category)
	for i := from; i < to; i++ {
		if !valid(rows, i) || !r.asks(i) {
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
		if !near && !r.several.lists(h.Class()) { // for the errors of its categories
			if err := r.look(h, out, i); err != nil {
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
			found.look(&r.view, one, answers[i])
		}
	}
	return nil
}

// look reads the categories of row i for a sketch of which the head is known.
func (r *ccbfReader) look(h *ccbf.Head, out *duck.Result, i int) (err error) {
	if r.several.given {
		return r.several.readList(h.Class(), out, i)
	}
	_, err = r.categoryOf(h, i)
	return err
}

func ccbfOverlaps(rows *duck.Rows, out *duck.Result) error {
	answers := duck.Out[bool](out)
	var h ccbf.Head
	var seen asked.Areas
	defer asked.Record(&seen)
	return eachValid(rows, out, func(i int) error {
		if err := bridge.ReadHead(&h, rows.Col(0).Bytes(i)); err != nil {
			return err
		}
		area, err := cellsOf(&h, rows, i)
		answers[i] = !area.Intersect(h.Bounds).Empty()
		if answers[i] {
			seen.Met = true
		} else if err == nil && bridge.Doubtful(&h, area) {
			_ = seen.Look(&h, "box", boxOf(rows, i), 0, false) // of many sketches most are elsewhere
		}
		return err
	})
}
