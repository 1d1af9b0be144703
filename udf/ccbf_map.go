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

// pixelsOf is the box and the size of the raster of row i, checked.
func pixelsOf(rows *duck.Rows, i int) (b orb.Bound, width, height int, err error) {
	b = boxOf(rows, i)
	width, height = int(duck.Slice[int64](rows.Col(5))[i]), int(duck.Slice[int64](rows.Col(6))[i])
	return b, width, height, ccbf.CheckRaster(b, width, height)
}

var ccbfSpotsType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "x", Type: duck.Double}, duck.Field{Name: "y", Type: duck.Double}, duck.Field{Name: "count", Type: duck.UBigInt},
	duck.Field{Name: "side", Type: duck.Double}))

// ccbfSpots lists cells of a box, by a whole number, the parameter with a name.
func ccbfSpots(name string, find func(v *ccbf.View, box grid.Rect, n uint64, category []byte) ([]ccbf.Spot, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		var seen asked.Areas
		defer asked.Record(&seen)
		return ccbfAsk(rows, 6, func(r *ccbfReader) error {
			listed := 0
			return eachValid(rows, out, func(i int) error {
				category, err := r.row(rows, i)
				if err != nil {
					return err
				}
				area, err := cellsOf(&r.view.Head, rows, i)
				if err != nil {
					return err
				}
				if err := seen.Look(&r.view.Head, "box", boxOf(rows, i), 0, !area.Intersect(r.view.Bounds).Empty()); err != nil {
					return err
				}
				n, err := args.Count(name, rows.Col(5), i)
				if err != nil {
					return err
				}
				spots, err := find(&r.view, area, n, category)
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

func ccbfRaster(rows *duck.Rows, out *duck.Result) error {
	var seen asked.Areas
	defer asked.Record(&seen)
	return ccbfAsk(rows, 7, func(r *ccbfReader) error {
		made := 0
		return eachValid(rows, out, func(i int) error {
			category, err := r.row(rows, i)
			if err != nil {
				return err
			}
			b, width, height, err := pixelsOf(rows, i)
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
			return r.view.Raster(duck.Out[uint64](out.List(i, width*height)), b, width, height, category)
		})
	})
}
