package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/notes"
)

var ccbfEstimateType = duck.StructOf(
	duck.Field{Name: "estimate", Type: duck.Double},
	duck.Field{Name: "low", Type: duck.UBigInt},
	duck.Field{Name: "high", Type: duck.UBigInt},
	duck.Field{Name: "certain", Type: duck.Boolean},
	duck.Field{Name: "cells", Type: duck.UBigInt},
)

// ccbfPolygonEstimate computes ccbf_polygon_estimate.
func ccbfPolygonEstimate(rows *duck.Rows, out *duck.Result) error {
	polygons, err := polygonsOf(rows.Col(1))
	if err != nil {
		return err
	}
	defer polygons.record()
	return ccbfEstimates(rows, out, 2, func(h *ccbf.Head, i int) (ccbf.Area, error) {
		area, _, err := polygons.area(h, i)
		return area, err
	})
}

// ccbfBoxEstimate returns a function that estimates the count in a rectangle of cells. rect returns the
// rectangle of row i in the grid of h, from the arguments in columns 1 to edges.
func ccbfBoxEstimate(edges int, rect func(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		var seen notes.Areas
		defer notes.Record(&seen)
		return ccbfEstimates(rows, out, 1+edges, func(h *ccbf.Head, i int) (ccbf.Area, error) {
			box, err := rect(h, rows, i)
			if err == nil && edges == 4 { // only a box can be a mistake: a place can be anywhere
				err = seen.Check(h, "box", boxOf(rows, i), 0, !box.Intersect(h.Bounds).Empty())
			}
			return ccbf.Box(box), err
		})
	}
}

// cellAt returns the cell of the place of row i, as a box.
func cellAt(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error) {
	c, err := h.Grid.Cell(duck.Slice[float64](rows.Col(1))[i], duck.Slice[float64](rows.Col(2))[i])
	return grid.Rect{MinX: c.X, MinY: c.Y, MaxX: c.X, MaxY: c.Y}, err
}

// ccbfEstimates writes the estimate of the area of each row. Categories are in column at, if the call
// has it.
func ccbfEstimates(rows *duck.Rows, out *duck.Result, at int, areaOf func(h *ccbf.Head, i int) (ccbf.Area, error)) error {
	return withReader(rows, at, func(r *ccbfReader) error {
		return r.each(rows, out, func(i int, of ccbf.Categories) error {
			area, err := areaOf(&r.view.Head, i)
			if err != nil {
				return err
			}
			bytes := bridge.EstimateBytes(&r.view)
			if err := out.Charge(bytes); err != nil {
				return err
			}
			e, err := r.view.Estimate(area, of)
			out.Discharge(bytes)
			if err != nil {
				return err
			}
			f := fields{out: out, row: i}
			f.float(e.Value)
			f.count(e.Low)
			f.count(e.High)
			f.flag(e.Certain)
			f.count(e.Cells)
			return nil
		})
	})
}
