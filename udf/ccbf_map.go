package udf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/notes"
	"github.com/paulmach/orb"
)

// inBox returns the parameters of a function of a sketch and a box, with more parameters.
func inBox(more ...duck.Param) []duck.Param {
	return append(append(params(paramSketch), box...), more...)
}

// boxOf returns the box of row i, which is in the columns after the sketch.
func boxOf(rows *duck.Rows, i int) orb.Bound {
	edge := func(j int) float64 { return duck.Slice[float64](rows.Col(1 + j))[i] }
	return orb.Bound{Min: orb.Point{edge(0), edge(1)}, Max: orb.Point{edge(2), edge(3)}}
}

// pixels is the parameters of the size of a raster.
var pixels = []duck.Param{{Name: "width", Type: duck.BigInt}, {Name: "height", Type: duck.BigInt}}

// pixelsOf returns the box and the size of the raster of row i. Without a box, it returns the bounds of
// the sketch, or one cell if the sketch has no points. An invalid box or size is an error.
func pixelsOf(h *ccbf.Head, rows *duck.Rows, isBox bool, i int) (b orb.Bound, width, height int, err error) {
	at := 1
	if isBox {
		b, at = boxOf(rows, i), 5
	} else {
		b = boundOf(h)
	}
	width, height = int(duck.Slice[int64](rows.Col(at))[i]), int(duck.Slice[int64](rows.Col(at + 1))[i])
	return b, width, height, bridge.CheckRaster(b, width, height)
}

// boundOf returns the box around all points of a sketch, or a cell if it has none.
func boundOf(h *ccbf.Head) orb.Bound {
	if h.Bounds.Empty() {
		return h.Grid.Bound(grid.Rect{})
	}
	return h.Grid.Bound(h.Bounds)
}

var ccbfSpotsType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "x", Type: duck.Double}, duck.Field{Name: "y", Type: duck.Double}, duck.Field{Name: "count", Type: duck.UBigInt},
	duck.Field{Name: "side", Type: duck.Double}))

// spotOverloads adds the signatures of functions that list cells: of a whole sketch, of a polygon,
// or of a box. name is the name of a parameter that is a whole number.
func spotOverloads(fn duck.Function, name string) duck.Function {
	number := duck.Param{Name: name, Type: duck.Any}
	fn = withSignatures(fn, params(paramSketch, number), params(paramSketch, number, paramCategory),
		params(paramSketch, paramPolygon, number), params(paramSketch, paramPolygon, number, paramCategory),
		inBox(number), inBox(number, paramCategory))
	fn.Overloads[2].Same = true // for DuckDB, its types equal those of overload 1
	return fn
}

// areaColumns is the areas of a chunk, in the columns after the sketch: polygons, boxes, or none for
// whole sketches.
type areaColumns struct {
	polygons *polygonColumn // nil for boxes and whole sketches
	isBox    bool           // the area is a box, given by four numbers
	next     int            // index of the column after the area
	seen     notes.Areas
}

// areasOf reads the areas of a call with n arguments after them.
func areasOf(rows *duck.Rows, n int) (a areaColumns, err error) {
	switch a.next = rows.NumCols() - n; a.next {
	case 1:
	case 2:
		a.polygons, err = polygonsOf(rows.Col(1))
	default:
		a.isBox = true
	}
	return a, err
}

// isArea reports whether values of a type are areas and not numbers.
func isArea(t duck.Type) bool {
	return t.ID() == duck.VarcharID || t.ID() == duck.BlobID || t.IsGeometry()
}

// at returns the area of row i. The error says that it is certainly a mistake.
func (a *areaColumns) at(h *ccbf.Head, rows *duck.Rows, i int) (ccbf.Area, error) {
	switch {
	case a.polygons != nil:
		area, _, err := a.polygons.area(h, i)
		return area, err
	case !a.isBox:
		return ccbf.Box(h.Bounds), nil
	}
	area, err := cellsOf(h, rows, i)
	if err != nil {
		return ccbf.Area{}, err
	}
	return ccbf.Box(area), a.seen.Check(h, "box", boxOf(rows, i), 0, !area.Intersect(h.Bounds).Empty())
}

// record records the notes of the chunk.
func (a *areaColumns) record() {
	notes.Record(&a.seen)
	if a.polygons != nil {
		a.polygons.record()
	}
}

// spotColumns is the fields of a list of type ccbfSpotsType.
type spotColumns struct {
	xs, ys, sides []float64
	counts        []uint64
}

// spotColumnsOf returns the fields of the elements of a list.
func spotColumnsOf(list *duck.Result) spotColumns {
	return spotColumns{duck.Out[float64](list.Field(0)), duck.Out[float64](list.Field(1)), duck.Out[float64](list.Field(3)), duck.Out[uint64](list.Field(2))}
}

// set writes element i: the square of a cell or leaf, and its count.
func (c *spotColumns) set(i int, g grid.Grid, s *ccbf.Spot) {
	c.xs[i], c.ys[i], c.sides[i] = s.Square(g)
	c.counts[i] = s.Count
}

// ccbfSpots returns a function that lists cells of an area. They are the result of find for a whole
// number n, the parameter with this name.
func ccbfSpots(name string, find func(v *ccbf.View, a ccbf.Area, n uint64, of ccbf.Categories) ([]ccbf.Spot, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		after := 1 // number of arguments after the area: n, and in some overloads categories
		if n := rows.NumCols(); n == 7 || n == 4 || n == 3 && !isArea(rows.Col(1).Type()) {
			after = 2
		}
		areas, err := areasOf(rows, after)
		if err != nil {
			return err
		}
		defer areas.record()
		return withReader(rows, areas.next+1, func(r *ccbfReader) error {
			listed := 0
			return r.each(rows, out, func(i int, of ccbf.Categories) error {
				area, err := areas.at(&r.view.Head, rows, i)
				if err != nil {
					return err
				}
				n, err := args.Count(name, rows.Col(areas.next), i)
				if err != nil {
					return err
				}
				_, bytes := bridge.Listed(&r.view, area, of)
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
				// Charge spots, and DuckDB's list of them.
				if err := out.Charge(64 * int64(len(spots))); err != nil {
					return err
				}
				list := spotColumnsOf(out.List(i, len(spots)))
				for j := range spots {
					list.set(j, r.view.Grid, &spots[j])
				}
				return nil
			})
		})
	}
}

// checkDrawn calls Check for a box that is drawn.
func checkDrawn(seen *notes.Areas, h *ccbf.Head, box orb.Bound) error {
	return seen.Check(h, "box", box, 0, !h.Bounds.Empty() && h.Grid.Bound(h.Bounds).Intersects(box))
}

// maxRasters is the largest number of pixels of all rasters of a chunk: 256 MiB.
const maxRasters = 2 * ccbf.MaxPixels

// rasterOverloads adds the signatures of ccbf_raster: all of a sketch, or a box.
func rasterOverloads(fn duck.Function) duck.Function {
	withCategory := append(pixels[:2:2], paramCategory)
	return withSignatures(fn, append(params(paramSketch), pixels...), append(params(paramSketch), withCategory...),
		inBox(pixels...), inBox(withCategory...))
}

// ccbfRaster computes ccbf_raster.
func ccbfRaster(rows *duck.Rows, out *duck.Result) error {
	var seen notes.Areas
	defer notes.Record(&seen)
	isBox, at := rows.NumCols() > 4, 3
	if isBox {
		at = 7
	}
	return withReader(rows, at, func(r *ccbfReader) error {
		made := 0
		return r.each(rows, out, func(i int, of ccbf.Categories) error {
			b, width, height, err := pixelsOf(&r.view.Head, rows, isBox, i)
			if err != nil {
				return err
			}
			if err := checkDrawn(&seen, &r.view.Head, b); err != nil {
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
