package udf

import (
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
	xmin, ymin, xmax, ymax, err := grid.TileBounds(zoom(rows.Col(1), i), duck.Slice[int64](rows.Col(2))[i], duck.Slice[int64](rows.Col(3))[i])
	if err != nil {
		return grid.Rect{}, err
	}
	return h.Grid.Box(xmin, ymin, xmax, ymax)
}

// ccbfBoxSum sums the cells of a rectangle given by the columns from 1 to edges.
func ccbfBoxSum(edges int, rect func(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		var seen asked.Areas
		defer asked.Record(&seen)
		return ccbfAskSeveral(rows, 1+edges, func(r *ccbfReader) error {
			var area grid.Rect
			meets := func(h *ccbf.Head, i int) (bool, error) {
				var err error
				if area, err = rect(h, rows, i); err != nil {
					return false, err
				}
				met := !area.Intersect(h.Bounds).Empty()
				if edges == 4 { // the edges of a tile are what they should be
					err = seen.Look(h, "box", boxOf(rows, i), 0, met)
				}
				return met, err
			}
			return r.eachSum(rows, out, meets, sums{
				func(category []byte) (uint64, error) { return r.view.BoxSum(area, category) },
				func(of ccbf.CategorySet) (uint64, error) { return r.view.BoxSumOf(area, of) },
			})
		})
	}
}

func ccbfPolygonSum(rows *duck.Rows, out *duck.Result) error {
	polygons, err := polygonsOf(rows.Col(1))
	if err != nil {
		return err
	}
	defer polygons.record()
	return ccbfAskSeveral(rows, 2, func(r *ccbfReader) error {
		var polygon *ccbf.Polygon
		meets := func(h *ccbf.Head, i int) (met bool, err error) {
			polygon, met, err = polygons.ask(h, i)
			return met, err
		}
		return r.eachSum(rows, out, meets, sums{
			func(category []byte) (uint64, error) { return polygon.Sum(&r.view, category) },
			func(of ccbf.CategorySet) (uint64, error) { return polygon.SumOf(&r.view, of) },
		})
	})
}

// sums is a sum over an area of the reader's view, for one category and for several.
type sums struct {
	one     func(category []byte) (uint64, error)
	several func(of ccbf.CategorySet) (uint64, error)
}

// eachSum sums over the sketches that a question meets: of the others it reads
// the head only, and their sums are 0.
func (r *ccbfReader) eachSum(rows *duck.Rows, out *duck.Result, meets func(h *ccbf.Head, i int) (bool, error), sum sums) error {
	if r.several.given {
		return r.eachSumOf(rows, out, meets, sum)
	}
	sums := duck.Out[uint64](out)
	return eachValid(rows, out, func(i int) error {
		blob := rows.Col(0).Bytes(i)
		h, err := r.headOf(blob)
		if err != nil {
			return err
		}
		category, err := r.categoryOf(h, i)
		if err != nil {
			return err
		}
		near, err := meets(h, i)
		if err != nil || !near {
			sums[i] = 0
			return err
		}
		if err := r.open(blob); err != nil {
			return err
		}
		sums[i], err = sum.one(category)
		return err
	})
}

// eachSumOf is eachSum for several categories.
func (r *ccbfReader) eachSumOf(rows *duck.Rows, out *duck.Result, meets func(h *ccbf.Head, i int) (bool, error), sum sums) error {
	sums := duck.Out[uint64](out)
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
		near, err := meets(h, i)
		if sums[i] = 0; err != nil {
			return err
		}
		if !near && !r.several.ranges {
			return r.several.readList(h.Class(), out, i) // for its errors
		}
		if err := r.open(blob); err != nil {
			return err
		}
		if err := r.several.read(&r.view, blob, out, i); err != nil || !near {
			return err
		}
		sums[i], err = sum.several(r.several.set)
		return err
	})
}

// headOf is the head of a BLOB: of the view where it is that of this BLOB.
func (r *ccbfReader) headOf(blob []byte) (*ccbf.Head, error) {
	if r.view.Is(blob) {
		return &r.view.Head, nil
	}
	if err := r.head.Reset(blob); err != nil {
		return nil, err
	}
	return &r.head, r.head.CheckCategory(r.has)
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
		if err == nil {
			_ = seen.Look(&h, "box", boxOf(rows, i), 0, answers[i]) // of many sketches most are elsewhere
		}
		return err
	})
}
