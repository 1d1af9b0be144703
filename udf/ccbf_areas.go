package udf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/notes"
	"github.com/paulmach/orb"
)

// areaForm is a way to give an area in SQL.
type areaForm struct {
	params []duck.Param
	// area returns the area of row i, and whether the sketch may have points in it. The error says that
	// the area is certainly a mistake.
	area func(a *areas, h *ccbf.Head, i int) (area ccbf.Area, met bool, err error)
}

// The forms of areas.
var (
	everywhere = &areaForm{nil, func(_ *areas, h *ccbf.Head, _ int) (ccbf.Area, bool, error) {
		return ccbf.Box(h.Bounds), true, nil
	}}
	inPolygon = &areaForm{params(paramPolygon), (*areas).polygon}
	inBox     = &areaForm{box, (*areas).box}
	inTile    = &areaForm{params(duck.Param{Name: "z", Type: duck.BigInt}, duck.Param{Name: "x", Type: duck.BigInt}, duck.Param{Name: "y", Type: duck.BigInt}), (*areas).tile}
	inCell    = &areaForm{params(paramX, paramY), (*areas).cell}
)

// with returns the parameters of a function of a sketch, an area of this form, and more.
func (f *areaForm) with(more ...duck.Param) []duck.Param {
	return slices.Concat(params(paramSketch), f.params, more)
}

// areas is the areas of a chunk, in the columns after the sketch.
type areas struct {
	form     *areaForm
	rows     *duck.Rows
	polygons *polygonColumn // nil for other forms
	seen     notes.Areas    // areas that may be mistakes
}

// areasOf reads the areas of a chunk.
func areasOf(form *areaForm, rows *duck.Rows) (a areas, err error) {
	a = areas{form: form, rows: rows}
	if form == inPolygon {
		a.polygons, err = polygonsOf(rows.Col(1))
	}
	return a, err
}

// at is the form's area.
func (a *areas) at(h *ccbf.Head, i int) (area ccbf.Area, met bool, err error) {
	return a.form.area(a, h, i)
}

func (a *areas) polygon(h *ccbf.Head, i int) (area ccbf.Area, met bool, err error) {
	polygon, err := a.polygons.prepare(i)
	if err != nil {
		return area, false, err
	}
	if met, err = bridge.Meets(h, polygon); err != nil {
		return area, false, err
	}
	return polygon.Area(), met, a.seen.Check(h, "polygon", a.polygons.bound, a.polygons.srid, met)
}

func (a *areas) box(h *ccbf.Head, i int) (ccbf.Area, bool, error) {
	b, cells, err := a.boxCells(h, i)
	if err != nil {
		return ccbf.Area{}, false, err
	}
	met := !cells.Intersect(h.Bounds).Empty()
	return ccbf.Box(cells), met, a.seen.Check(h, "box", b, 0, met)
}

// boxCells returns the box of row i, and the cells in it.
func (a *areas) boxCells(h *ccbf.Head, i int) (b orb.Bound, cells grid.Rect, err error) {
	b = boxOf(a.rows, i)
	cells, err = h.Grid.Box(b.Min[0], b.Min[1], b.Max[0], b.Max[1])
	return b, cells, err
}

// tile is the cells in a map tile, which is never a mistake.
func (a *areas) tile(h *ccbf.Head, i int) (ccbf.Area, bool, error) {
	cells, err := h.Grid.Tile(zoom(a.rows.Col(1), i), duck.Slice[int64](a.rows.Col(2))[i], duck.Slice[int64](a.rows.Col(3))[i])
	return ccbf.Box(cells), !cells.Intersect(h.Bounds).Empty(), err
}

// cell is the cell of a place, which can be anywhere.
func (a *areas) cell(h *ccbf.Head, i int) (ccbf.Area, bool, error) {
	c, err := h.Grid.Cell(duck.Slice[float64](a.rows.Col(1))[i], duck.Slice[float64](a.rows.Col(2))[i])
	return ccbf.Box(grid.Rect{MinX: c.X, MinY: c.Y, MaxX: c.X, MaxY: c.Y}), true, err
}

// boxOf returns the box of row i, which is in the columns after the sketch.
func boxOf(rows *duck.Rows, i int) orb.Bound {
	edge := func(j int) float64 { return duck.Slice[float64](rows.Col(1 + j))[i] }
	return orb.Bound{Min: orb.Point{edge(0), edge(1)}, Max: orb.Point{edge(2), edge(3)}}
}

// drawn returns the box of row i to draw. Without a box, it is the bounds of the sketch, or one cell if
// the sketch has no points.
func (a *areas) drawn(h *ccbf.Head, i int) orb.Bound {
	switch {
	case a.form == inBox:
		return boxOf(a.rows, i)
	case h.Bounds.Empty():
		return h.Grid.Bound(grid.Rect{})
	}
	return h.Grid.Bound(h.Bounds)
}

// check returns an error for a raster of a box that is too large, or whose box is certainly a mistake.
func (a *areas) check(h *ccbf.Head, box orb.Bound, width, height int) error {
	if err := bridge.CheckRaster(box, width, height); err != nil {
		return err
	}
	return checkDrawn(&a.seen, h, box)
}

// checkDrawn calls Check for a box that is drawn.
func checkDrawn(seen *notes.Areas, h *ccbf.Head, box orb.Bound) error {
	return seen.Check(h, "box", box, 0, !h.Bounds.Empty() && h.Grid.Bound(h.Bounds).Intersects(box))
}

// question is a chunk of rows that ask sketches about areas. A row has a sketch, an area, arguments of
// the function's own, and perhaps categories.
type question struct {
	*ccbfReader
	areas
	out *duck.Result
	own int // index of the first argument after the area
}

// ask returns a function of a sketch and an area. It has signatures for each form of the area, without
// and with categories. Between area and categories are the parameters own.
func ask(fn duck.Function, returns duck.Type, run func(q *question) error, own []duck.Param, forms ...*areaForm) duck.Function {
	for _, form := range forms {
		for _, optional := range [][]duck.Param{nil, {paramCategory}} {
			scalar := func(rows *duck.Rows, out *duck.Result) error {
				q, err := questionOf(form, len(own), rows, out)
				if err != nil {
					return err
				}
				defer q.seen.Record()
				return run(q)
			}
			o := duck.Overload{Params: form.with(slices.Concat(own, optional)...), Returns: returns, Scalar: scalar}
			for j := range fn.Overloads {
				if earlier := &fn.Overloads[j]; slices.EqualFunc(earlier.Params, o.Params, sameType) { // the type of the argument after the sketch tells
					other := earlier.Scalar
					o.Same, earlier.Scalar = true, func(rows *duck.Rows, out *duck.Result) error {
						if isArea(rows.Col(1).Type()) {
							return scalar(rows, out)
						}
						return other(rows, out)
					}
				}
			}
			fn.Overloads = append(fn.Overloads, o)
		}
	}
	return fn
}

func sameType(p, q duck.Param) bool { return p.Type == q.Type }

// isArea reports whether values of a type are areas and not numbers.
func isArea(t duck.Type) bool {
	return t.ID() == duck.VarcharID || t.ID() == duck.BlobID || t.IsGeometry()
}

// questionOf reads the arguments of a chunk, with n arguments between area and categories.
func questionOf(form *areaForm, n int, rows *duck.Rows, out *duck.Result) (*question, error) {
	own := 1 + len(form.params)
	r, err := newReader(optional(rows, own+n))
	if err != nil {
		return nil, err
	}
	a, err := areasOf(form, rows)
	return &question{ccbfReader: r, areas: a, out: out, own: own}, err
}

// each calls f for the rows without a NULL, with their sketch open in the view, and the categories
// that they select. Other rows are NULL.
func (q *question) each(f func(i int, of ccbf.Categories) error) error {
	return q.ccbfReader.each(q.rows, q.out, f)
}

// ccbfOverlaps computes ccbf_bbox_overlaps.
func ccbfOverlaps(rows *duck.Rows, out *duck.Result) error {
	answers := duck.Out[bool](out)
	a := areas{form: inBox, rows: rows}
	defer a.seen.Record()
	var h ccbf.Head
	return eachValid(rows, out, func(i int) error {
		if err := bridge.ReadHead(&h, rows.Col(0).Bytes(i)); err != nil {
			return err
		}
		b, cells, err := a.boxCells(&h, i)
		if err != nil {
			return err
		}
		answers[i] = !cells.Intersect(h.Bounds).Empty()
		_ = a.seen.Check(&h, "box", b, 0, answers[i]) // no error: most sketches may lie elsewhere
		return nil
	})
}
