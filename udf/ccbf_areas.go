package udf

import (
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/notes"
	"github.com/paulmach/orb"
)

// areaForm is a way to give an area in SQL.
type areaForm struct {
	params []duck.Param
	// area returns the area of row i, and whether the sketch may have points in it. The error says that
	// the area is certainly a mistake.
	area func(q *question, h *ccbf.Head, i int) (area ccbf.Area, met bool, err error)
}

// The forms of areas.
var (
	everywhere = &areaForm{nil, func(_ *question, h *ccbf.Head, _ int) (ccbf.Area, bool, error) {
		return ccbf.Box(h.Bounds), true, nil
	}}
	inPolygon = &areaForm{params(paramPolygon), (*question).polygonArea}
	inBox     = &areaForm{box, (*question).box}
	inTile    = &areaForm{params(duck.Param{Name: "z", Type: duck.BigInt}, duck.Param{Name: "x", Type: duck.BigInt}, duck.Param{Name: "y", Type: duck.BigInt}), (*question).tile}
	inCell    = &areaForm{params(paramX, paramY), (*question).cell}
)

// with returns the parameters of a function of a sketch, an area of this form, and more.
func (f *areaForm) with(more ...duck.Param) []duck.Param {
	return slices.Concat(params(paramSketch), f.params, more)
}

// question is a call that asks sketches about areas, and perhaps about categories. A row has a sketch, an
// area, arguments of the function's own, and categories.
type question struct {
	*call
	form    *areaForm
	own     int     // index of the first argument after the area
	polygon polygon // the polygon of the row

	selection selection // the categories
	has       bool      // the call has an argument for categories.
	option    int       // index of the option that is this argument, or -1.
	listing   bool      // the function lists categories: sketches must have some.

	view     ccbf.View // the sketch of the row; it stays open while rows have the same BLOB.
	viewed   []byte    // the BLOB of view; nil before the first one
	noted    []byte    // the BLOB for which the category that all rows have was noted last.
	head     ccbf.Head // the head of a sketch that is not open.
	verifies bool      // sketches are verified when they are opened, as the function reads all bytes anyway.
}

// questionOf reads the arguments of a call with areas of a form, and with a column of categories, or nil.
func questionOf(c *call, form *areaForm, categories *duck.Vector) (q *question, err error) {
	q = &question{call: c, form: form, own: 1 + len(form.params), has: categories != nil, option: -1}
	bridge.LimitAreas(&q.view) // limit the work for areas, as a user cannot interrupt a chunk
	if q.has {
		if err := q.selection.reset(categories); err != nil {
			return nil, fmt.Errorf("category: %w", err)
		}
	}
	if form == inPolygon {
		err = checkPolygons(c.Col(1).Type())
	}
	return q, err
}

// ask is a function of a sketch and an area.
type ask = func(q *question) error

// asking adds the signatures of a function that run computes: for each form of the area, without and with
// categories. Between area and categories are the parameters own.
func asking(fn duck.Function, returns duck.Type, run ask, own []duck.Param, forms ...*areaForm) duck.Function {
	for _, form := range forms {
		for _, optional := range [][]duck.Param{nil, {paramCategory}} {
			o := overload(form.with(slices.Concat(own, optional)...), returns, nil, func(c *call) error {
				q, err := questionOf(c, form, c.Optional(1+len(form.params)+len(own)))
				if err != nil {
					return err
				}
				return run(q)
			})
			scalar := o.Scalar
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
	return t.ID() == duck.VarcharID || t.ID() == duck.BlobID || t.ID() == duck.GeometryID
}

// each calls f for the rows without a NULL, with their sketch open in the view, and the categories
// that they select. Other rows are NULL.
func (q *question) each(f func(i int, of ccbf.Categories) error) error {
	return q.call.each(func(i int) error {
		given := q.has
		if q.option >= 0 {
			given = q.options.Given(q.option, i)
		}
		if q.option >= 0 && q.options.Null(q.option, i) || given && !q.selection.valid(i) {
			q.out.SetNull(i)
			return nil
		}
		of, err := q.open(q.Col(0).Bytes(i), given, i)
		if err != nil {
			return err
		}
		return f(i, of)
	})
}

// open opens a sketch in the view, and returns the categories that row i selects in it if they are given.
func (q *question) open(blob []byte, given bool, i int) (of ccbf.Categories, err error) {
	if err := q.show(blob); err != nil {
		return of, err
	}
	if err := q.view.CheckCategory(given || q.listing); err != nil || !given {
		return of, err
	}
	of, err = q.selection.read(&q.view, blob, q.out, i)
	if err == nil && q.selection.fixed && (q.selection.several() || !sameBytes(blob, q.noted)) {
		q.noted = blob
		notes.Categories(&q.view, of)
	}
	return of, err
}

// noteCategory notes the category of a row's query to the view. near says whether its area may hold points of the
// sketch, and some whether it found some.
func (q *question) noteCategory(of ccbf.Categories, near, some bool) {
	if near && !q.selection.fixed {
		notes.Category(&q.view, of, some)
	}
}

// show opens a sketch in the view, unless it is there already.
func (q *question) show(blob []byte) error {
	if sameBytes(blob, q.viewed) {
		return nil
	}
	q.viewed = nil
	err := q.view.Reset(blob)
	if err == nil && q.verifies {
		err = sketch.Verify(blob)
	}
	if err == nil {
		q.viewed = blob
	}
	return err
}

// headOf returns the head of a sketch, without opening it.
func (q *question) headOf(blob []byte) (*ccbf.Head, error) {
	if sameBytes(blob, q.viewed) {
		return &q.view.Head, nil
	}
	if err := bridge.ReadHead(&q.head, blob); err != nil {
		return nil, err
	}
	return &q.head, q.head.CheckCategory(q.has)
}

// at is the form's area.
func (q *question) at(h *ccbf.Head, i int) (area ccbf.Area, met bool, err error) {
	return q.form.area(q, h, i)
}

func (q *question) polygonArea(h *ccbf.Head, i int) (area ccbf.Area, met bool, err error) {
	p := &q.polygon
	if err := p.read(q.Col(1).Bytes(i)); err != nil {
		return area, false, err
	}
	_, met, _ = cellsIn(h, p.bound) // the bound of an empty polygon is no box
	return p.prepared.Area(), met, notes.Area(h, "polygon", p.bound, p.srid, met)
}

func (q *question) box(h *ccbf.Head, i int) (ccbf.Area, bool, error) { return boxArea(h, q.boxOf(i)) }

// boxArea is areaForm.area for a box.
func boxArea(h *ccbf.Head, box orb.Bound) (area ccbf.Area, met bool, err error) {
	cells, met, err := cellsIn(h, box)
	if err != nil {
		return area, false, err
	}
	return ccbf.Box(cells), met, notes.Area(h, "box", box, 0, met)
}

// cellsIn returns the cells in a box, and whether the sketch may have points in them.
func cellsIn(h *ccbf.Head, b orb.Bound) (cells grid.Rect, met bool, err error) {
	cells, err = h.Grid.Box(b.Min[0], b.Min[1], b.Max[0], b.Max[1])
	return cells, !cells.Intersect(h.Bounds).Empty(), err
}

// tile is the cells in a map tile, which is never certainly a mistake: the tile comes from other rows.
func (q *question) tile(h *ccbf.Head, i int) (ccbf.Area, bool, error) {
	z, x, y := zoom(q.Col(1), i), duck.Slice[int64](q.Col(2))[i], duck.Slice[int64](q.Col(3))[i]
	cells, err := h.Grid.Tile(z, x, y)
	if err != nil {
		return ccbf.Area{}, false, err
	}
	met := !cells.Intersect(h.Bounds).Empty()
	var b orb.Bound
	if !met {
		b.Min[0], b.Min[1], b.Max[0], b.Max[1], _ = grid.TileBounds(z, x, y) // checked above
	}
	_ = notes.Area(h, "tile", b, 0, met)
	return ccbf.Box(cells), met, nil
}

// cell is the cell of a place, which can be anywhere.
func (q *question) cell(h *ccbf.Head, i int) (ccbf.Area, bool, error) {
	c, err := h.Grid.Cell(duck.Slice[float64](q.Col(1))[i], duck.Slice[float64](q.Col(2))[i])
	return ccbf.Box(c.Square(0)), true, err
}

// boxOf returns the box of row i, which is in the columns after the sketch.
func (q *question) boxOf(i int) orb.Bound {
	edge := func(j int) float64 { return duck.Slice[float64](q.Col(1 + j))[i] }
	return orb.Bound{Min: orb.Point{edge(0), edge(1)}, Max: orb.Point{edge(2), edge(3)}}
}

// drawn returns the box of row i to draw. Without a box, it is the bounds of the sketch, or one cell if
// the sketch has no points.
func (q *question) drawn(i int) orb.Bound {
	switch h := &q.view.Head; {
	case q.form == inBox:
		return q.boxOf(i)
	case h.Bounds.Empty():
		return h.Grid.Bound(grid.Rect{})
	default:
		return h.Grid.Bound(h.Bounds)
	}
}

// check returns an error for a raster of a box that is too large, or whose box is certainly a mistake.
func (q *question) check(box orb.Bound, width, height int) error {
	if err := bridge.CheckRaster(box, width, height); err != nil {
		return err
	}
	return notes.Box(&q.view.Head, box)
}

// ccbfOverlaps computes ccbf_bbox_overlaps.
func ccbfOverlaps(c *call) error {
	answers := duck.Out[bool](c.out)
	q, err := questionOf(c, inBox, nil)
	if err != nil {
		return err
	}
	return c.each(func(i int) error {
		if err := bridge.ReadHead(&q.head, c.Col(0).Bytes(i)); err != nil {
			return err
		}
		b := q.boxOf(i)
		var err error
		if _, answers[i], err = cellsIn(&q.head, b); err != nil {
			return err
		}
		_ = notes.Area(&q.head, "box", b, 0, answers[i]) // no error: most sketches may lie elsewhere
		return nil
	})
}
