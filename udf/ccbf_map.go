package udf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/asked"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/paulmach/orb"
)

// inBox are the parameters of a question about a sketch inside a box.
func inBox(more ...duck.Param) []duck.Param {
	return append(append(params(paramSketch), box...), more...)
}

// boxOf is the box of row i, in the columns after the sketch.
func boxOf(rows *duck.Rows, i int) orb.Bound {
	edge := func(j int) float64 { return duck.Slice[float64](rows.Col(1 + j))[i] }
	return orb.Bound{Min: orb.Point{edge(0), edge(1)}, Max: orb.Point{edge(2), edge(3)}}
}

// pixels are the parameters of the size of a raster, after those of its box.
var pixels = []duck.Param{{Name: "width", Type: duck.BigInt}, {Name: "height", Type: duck.BigInt}}

// pixelsOf is the box and the size of the raster of row i, checked: the bounds of the
// sketch where the call has no box.
func pixelsOf(h *ccbf.Head, rows *duck.Rows, isBox bool, i int) (b orb.Bound, width, height int, err error) {
	at := 1
	if isBox {
		b, at = boxOf(rows, i), 5
	} else {
		b = boundOf(h)
	}
	width, height = int(duck.Slice[int64](rows.Col(at))[i]), int(duck.Slice[int64](rows.Col(at + 1))[i])
	return b, width, height, ccbf.CheckRaster(b, width, height)
}

// boundOf is the box around all points of a sketch; a cell where there are none.
func boundOf(h *ccbf.Head) orb.Bound {
	if h.Bounds.Empty() {
		return h.Grid.Bound(grid.Rect{})
	}
	return h.Grid.Bound(h.Bounds)
}

var ccbfSpotsType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "x", Type: duck.Double}, duck.Field{Name: "y", Type: duck.Double}, duck.Field{Name: "count", Type: duck.UBigInt},
	duck.Field{Name: "side", Type: duck.Double}))

// spotOverloads are the ways to list cells, by a whole number, the parameter with a name: of
// all of a sketch, of a polygon, or of a box.
func spotOverloads(fn duck.Function, name string) duck.Function {
	o := fn.Overloads[0]
	fn.Overloads = nil
	add := func(same bool, ps ...duck.Param) {
		o.Params, o.Same = append(params(paramSketch), ps...), same
		fn.Overloads = append(fn.Overloads, o)
	}
	number := duck.Param{Name: name, Type: duck.Any}
	add(false, number)
	add(false, number, paramCategory)
	add(true, paramPolygon, number) // DuckDB sees no difference
	add(false, paramPolygon, number, paramCategory)
	edges := append(box[:len(box):len(box)], number)
	add(false, edges...)
	add(false, append(edges, paramCategory)...)
	return fn
}

// spotQuestion is what the columns of a call say: where, how many, of which categories.
type spotQuestion struct {
	polygons   *polygonColumn // nil for a box and for all
	isBox      bool
	number     *duck.Vector
	categories *duck.Vector // nil for all
}

func spotQuestionOf(rows *duck.Rows) (q spotQuestion, err error) {
	at := 1
	switch n := rows.NumCols(); {
	case n > 5:
		q.isBox, at = true, 5
	case n == 4 || n == 3 && isArea(rows.Col(1).Type()):
		if q.polygons, err = polygonsOf(rows.Col(1)); err != nil {
			return q, err
		}
		at = 2
	}
	q.number, q.categories = rows.Col(at), optional(rows, at+1)
	return q, nil
}

// isArea reports whether a value stands for an area and not for a number.
func isArea(t duck.Type) bool {
	return t.ID() == duck.VarcharID || t.ID() == duck.BlobID || t.IsGeometry()
}

// area is where row i asks.
func (q *spotQuestion) area(h *ccbf.Head, rows *duck.Rows, seen *asked.Areas, i int) (ccbf.Area, error) {
	switch {
	case q.polygons != nil:
		area, _, err := q.polygons.ask(h, i)
		return area, err
	case !q.isBox:
		return ccbf.Box(h.Bounds), nil
	}
	area, err := cellsOf(h, rows, i)
	if err != nil {
		return ccbf.Area{}, err
	}
	return ccbf.Box(area), seen.Look(h, "box", boxOf(rows, i), 0, !area.Intersect(h.Bounds).Empty())
}

// ccbfSpots lists cells of an area, by a whole number, the parameter with a name.
func ccbfSpots(name string, find func(v *ccbf.View, a ccbf.Area, n uint64, of ccbf.Categories) ([]ccbf.Spot, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		q, err := spotQuestionOf(rows)
		if err != nil {
			return err
		}
		var seen asked.Areas
		defer func() {
			asked.Record(&seen)
			if q.polygons != nil {
				q.polygons.record()
			}
		}()
		return ccbfAskOf(q.categories, func(r *ccbfReader) error {
			listed := 0
			return r.each(rows, out, func(i int, of ccbf.Categories) error {
				area, err := q.area(&r.view.Head, rows, &seen, i)
				if err != nil {
					return err
				}
				n, err := args.Count(name, q.number, i)
				if err != nil {
					return err
				}
				_, bytes := r.view.Listed(area, of)
				if err := out.Charge(bytes); err != nil {
					return err
				}
				spots, err := find(&r.view, area, n, of)
				out.Discharge(bytes)
				if err != nil {
					return err
				}
				if listed += len(spots); listed > ccbf.MaxSpots {
					return fmt.Errorf("the lists of a chunk of rows have more than %d cells in total (use fewer cells per row, or fewer rows)", ccbf.MaxSpots)
				}
				// As listed here, and as DuckDB's list.
				if err := out.Charge(64 * int64(len(spots))); err != nil {
					return err
				}
				list := out.List(i, len(spots))
				xs, ys, counts, sides := duck.Out[float64](list.Field(0)), duck.Out[float64](list.Field(1)), duck.Out[uint64](list.Field(2)), duck.Out[float64](list.Field(3))
				for j, s := range spots {
					xs[j], ys[j], sides[j] = s.Square(r.view.Grid)
					counts[j] = s.Count
				}
				return nil
			})
		})
	}
}

// lookAt is asked.Areas.Look for a box that is drawn.
func lookAt(seen *asked.Areas, h *ccbf.Head, box orb.Bound) error {
	return seen.Look(h, "box", box, 0, !h.Bounds.Empty() && h.Grid.Bound(h.Bounds).Intersects(box))
}

// maxRasters is the most pixels that the rasters of a chunk of rows may have
// together: 256 MiB.
const maxRasters = 2 * ccbf.MaxPixels

// rasterOverloads are the ways to call ccbf_raster: with a box, or for all of a sketch.
func rasterOverloads(fn duck.Function) duck.Function {
	o := fn.Overloads[0]
	fn.Overloads = nil
	for _, ps := range [][]duck.Param{append(params(paramSketch), pixels...), inBox(pixels...)} {
		for _, more := range [][]duck.Param{nil, {paramCategory}} {
			o.Params = append(ps[:len(ps):len(ps)], more...)
			fn.Overloads = append(fn.Overloads, o)
		}
	}
	return fn
}

func ccbfRaster(rows *duck.Rows, out *duck.Result) error {
	var seen asked.Areas
	defer asked.Record(&seen)
	isBox, at := rows.NumCols() > 4, 3
	if isBox {
		at = 7
	}
	return ccbfAsk(rows, at, func(r *ccbfReader) error {
		made := 0
		return r.each(rows, out, func(i int, of ccbf.Categories) error {
			b, width, height, err := pixelsOf(&r.view.Head, rows, isBox, i)
			if err != nil {
				return err
			}
			if err := lookAt(&seen, &r.view.Head, b); err != nil {
				return err
			}
			if made += width * height; made > maxRasters {
				return fmt.Errorf("the rasters of a chunk of rows have more than %d pixels in total (use smaller ones, or fewer rows)", maxRasters)
			}
			if err := out.Charge(8 * int64(width*height)); err != nil {
				return err
			}
			return r.view.Raster(duck.Out[uint64](out.List(i, width*height)), b, width, height, of)
		})
	})
}
