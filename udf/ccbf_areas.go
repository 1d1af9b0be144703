package udf

import (
	"iter"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
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
		return eachSum(rows, out, 1+edges, func(r *ccbfReader) (sums, error) {
			var area grid.Rect
			var seen asked.Areas
			var boxes ccbf.BoxSums
			return sums{
				meets: func(h *ccbf.Head, i int) (bool, error) {
					var err error
					if area, err = rect(h, rows, i); err != nil {
						return false, err
					}
					met := !area.Intersect(h.Bounds).Empty()
					if met {
						seen.Met = true
					} else if edges == 4 && h.Doubtful(area) { // the edges of a tile are what they should be
						err = seen.Look(h, "box", boxOf(rows, i), 0, false)
					}
					return met, err
				},
				done:    func() { asked.Record(&seen) },
				spent:   boxes.Blocks,
				one:     func(category []byte, sum *uint64) error { return boxes.Ask(&r.view, area, category, sum) },
				finish:  boxes.Finish,
				several: func(of ccbf.CategorySet) (uint64, error) { return r.view.BoxSumOf(area, of) },
			}, nil
		})
	}
}

func ccbfPolygonSum(rows *duck.Rows, out *duck.Result) error {
	return eachSum(rows, out, 2, func(r *ccbfReader) (sums, error) {
		polygons, err := polygonsOf(rows.Col(1))
		if err != nil {
			return sums{}, err
		}
		var polygon *ccbf.Polygon
		return sums{
			meets: func(h *ccbf.Head, i int) (met bool, err error) {
				polygon, met, err = polygons.ask(h, i)
				return met, err
			},
			done: polygons.record,
			one: func(category []byte, sum *uint64) error {
				*sum, err = polygon.Sum(&r.view, category)
				return err
			},
			finish:  func() {},
			several: func(of ccbf.CategorySet) (uint64, error) { return polygon.SumOf(&r.view, of) },
		}, nil
	})
}

// sums are the questions of a chunk for a sum over an area: of a reader, with whose view
// they are answered.
type sums struct {
	// meets reports whether a sketch may have points in the area of row i, which the next
	// sums are over.
	meets func(h *ccbf.Head, i int) (bool, error)
	done  func() // after the last question
	// spent is how many blocks were decoded, of sketches each asked once, where these are most of
	// the work; nil else.
	spent func() int
	// one sets sum, when finish returns at the latest.
	one     func(category []byte, sum *uint64) error
	finish  func()
	several func(of ccbf.CategorySet) (uint64, error)
}

const (
	// halvedRows is from how many rows on, and halvedBytes from how many bytes of
	// sketches on, some of them are asked beside the others.
	halvedRows  = 64
	halvedBytes = 1 << 18
	// halvedBlocks is from how many blocks on, to be decoded, it pays: they take about half a millisecond.
	halvedBlocks = 1 << 12
	// partRows is how many rows are asked before it is seen whether others are left.
	partRows = 8
	// tried is what part of the rows tells how many blocks all have.
	tried = 16
)

// eachSum sums over the sketches that a question meets: of the others it reads
// the head only, and their sums are 0.
func eachSum(rows *duck.Rows, out *duck.Result, categoryAt int, ask func(r *ccbfReader) (sums, error)) error {
	return ccbfAskSeveral(rows, categoryAt, func(r *ccbfReader) error {
		q, err := ask(r)
		if err != nil {
			return err
		}
		defer q.done()
		if r.several.given {
			return r.eachSumOf(rows, out, q)
		}
		n, from, halve := rows.Len(), 0, false
		if !r.has && n >= halvedRows && out.Spare() {
			sketches, bytes := sketchesOf(rows)
			halve = bytes >= halvedBytes
			if halve && q.spent != nil && sketches >= halvedRows {
				if from, err = r.sumRows(rows, out, q, 0, n/tried, false); err != nil {
					return err
				}
				halve = q.spent()*tried >= halvedBlocks
			}
		}
		if !halve {
			_, err := r.sumRows(rows, out, q, from, n, false)
			return err
		}
		// Errors in what the other one takes, and what counts against a limit of the chunk, are left
		// to this one. (Fields of a category that is a STRUCT are made as they are asked
		// for, by one only.)
		front, back := from, n
		ccbf.Ends(out.Spare, (n-from+partRows-1)/partRows, func(parts iter.Seq[int]) {
			for range parts {
				if front, err = r.sumRows(rows, out, q, front, min(front+partRows, n), false); err != nil {
					return
				}
			}
		}, func(parts iter.Seq[int]) {
			_ = ccbfAskSeveral(rows, categoryAt, func(r *ccbfReader) error {
				q, err := ask(r)
				if err != nil {
					return err
				}
				defer q.done()
				for part := range parts {
					begin := from + part*partRows
					if came, err := r.sumRows(rows, out, q, begin, back, true); came < back {
						return err
					}
					back = begin
				}
				return nil
			})
		})
		if err == nil {
			_, err = r.sumRows(rows, out, q, front, back, false)
		}
		return err
	})
}

// sketchesOf is how many sketches the rows have, and how many bytes: one that is that of the row before is
// not counted again.
func sketchesOf(rows *duck.Rows) (sketches, bytes int) {
	var last []byte
	for i := range rows.Len() {
		if rows.Col(0).Valid(i) {
			if blob := rows.Col(0).Bytes(i); !sameBytes(blob, last) {
				sketches++
				bytes += len(blob)
				last = blob
			}
		}
	}
	return sketches, bytes
}

// sumRows answers the questions of the rows from from to to-1, or only as far as these are
// about exact sketches. It returns how far it came.
func (r *ccbfReader) sumRows(rows *duck.Rows, out *duck.Result, q sums, from, to int, exact bool) (int, error) {
	answers := duck.Out[uint64](out)
	var found missing
	defer asked.RecordCategory(&found.Category)
	defer q.finish()
	for i := from; i < to; i++ {
		if !valid(rows, i) {
			if exact { // the first NULL allocates
				return i, nil
			}
			out.SetNull(i)
			continue
		}
		blob := rows.Col(0).Bytes(i)
		h, err := r.headOf(blob)
		if err != nil || exact && h.Form() != ccbf.Exact {
			return i, err
		}
		category, err := r.categoryOf(h, i)
		if err != nil {
			return i, err
		}
		near, err := q.meets(h, i)
		if err != nil {
			return i, err
		}
		if answers[i] = 0; !near {
			continue
		}
		if err := r.view.Open(); err != nil {
			return i, err
		}
		if err := q.one(category, &answers[i]); err != nil {
			return i, err
		}
		if r.has && !found.Found {
			q.finish()
			found.look(&r.view, category, answers[i])
		}
	}
	return to, nil
}

// eachSumOf is eachSum for several categories.
func (r *ccbfReader) eachSumOf(rows *duck.Rows, out *duck.Result, q sums) error {
	answers := duck.Out[uint64](out)
	return eachValid(rows, out, func(i int) error {
		if !r.several.valid(i) {
			out.SetNull(i)
			return nil
		}
		blob := rows.Col(0).Bytes(i)
		h, err := r.headOf(blob)
		if err != nil {
			return err
		}
		near, err := q.meets(h, i)
		if answers[i] = 0; err != nil {
			return err
		}
		if !near && !r.several.ranges {
			return r.several.readList(h.Class(), out, i) // for its errors
		}
		if err := r.view.Open(); err != nil {
			return err
		}
		if err := r.several.read(&r.view, blob, out, i); err != nil || !near {
			return err
		}
		answers[i], err = q.several(r.several.set)
		return err
	})
}

func ccbfOverlaps(rows *duck.Rows, out *duck.Result) error {
	answers := duck.Out[bool](out)
	var h ccbf.Head
	var seen asked.Areas
	defer asked.Record(&seen)
	return eachValid(rows, out, func(i int) error {
		if err := h.Reset(rows.Col(0).Bytes(i)); err != nil {
			return err
		}
		area, err := cellsOf(&h, rows, i)
		answers[i] = !area.Intersect(h.Bounds).Empty()
		if answers[i] {
			seen.Met = true
		} else if err == nil && h.Doubtful(area) {
			_ = seen.Look(&h, "box", boxOf(rows, i), 0, false) // of many sketches most are elsewhere
		}
		return err
	})
}
