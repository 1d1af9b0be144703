package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/asked"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

var ccbfEstimateType = duck.StructOf(
	duck.Field{Name: "estimate", Type: duck.Double},
	duck.Field{Name: "low", Type: duck.UBigInt},
	duck.Field{Name: "high", Type: duck.UBigInt},
	duck.Field{Name: "certain", Type: duck.Boolean},
	duck.Field{Name: "cells", Type: duck.UBigInt},
)

func ccbfPolygonEstimate(rows *duck.Rows, out *duck.Result) error {
	polygons, err := polygonsOf(rows.Col(1))
	if err != nil {
		return err
	}
	defer polygons.record()
	return ccbfEstimates(rows, out, 2, func(r *ccbfReader, i int, category []byte) (ccbf.Estimate, error) {
		polygon, _, err := polygons.ask(&r.view.Head, i)
		if err != nil {
			return ccbf.Estimate{}, err
		}
		if r.several.given {
			return polygon.EstimateOf(&r.view, r.several.set)
		}
		return polygon.Estimate(&r.view, category)
	})
}

// ccbfBoxEstimate estimates the box that rect makes of the columns from 1 to edges.
func ccbfBoxEstimate(edges int, rect func(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		var seen asked.Areas
		defer asked.Record(&seen)
		return ccbfEstimates(rows, out, 1+edges, func(r *ccbfReader, i int, category []byte) (ccbf.Estimate, error) {
			box, err := rect(&r.view.Head, rows, i)
			if err == nil && edges == 4 { // no place, which may be anywhere
				err = seen.Look(&r.view.Head, "box", boxOf(rows, i), 0, !box.Intersect(r.view.Bounds).Empty())
			}
			if err != nil {
				return ccbf.Estimate{}, err
			}
			if r.several.given {
				return r.view.BoxEstimateOf(box, r.several.set)
			}
			return r.view.BoxEstimate(box, category)
		})
	}
}

// cellAt is the cell of the place of row i, as a box.
func cellAt(h *ccbf.Head, rows *duck.Rows, i int) (grid.Rect, error) {
	c, err := h.Grid.Cell(duck.Slice[float64](rows.Col(1))[i], duck.Slice[float64](rows.Col(2))[i])
	return grid.Rect{MinX: c.X, MinY: c.Y, MaxX: c.X, MaxY: c.Y}, err
}

// ccbfEstimates writes the estimates that estimate makes of each row, whose category,
// if there is one, is column at.
func ccbfEstimates(rows *duck.Rows, out *duck.Result, at int, estimate func(r *ccbfReader, i int, category []byte) (ccbf.Estimate, error)) error {
	return ccbfAskSeveral(rows, at, func(r *ccbfReader) error {
		row := func(i int, category []byte) error {
			bytes := r.view.EstimateBytes()
			if err := out.Charge(bytes); err != nil {
				return err
			}
			e, err := estimate(r, i, category)
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
		}
		if r.several.given {
			return r.eachOf(rows, out, func(i int, _ ccbf.CategorySet) error { return row(i, nil) })
		}
		return eachValid(rows, out, func(i int) error {
			category, err := r.row(rows, i)
			if err != nil {
				return err
			}
			return row(i, category)
		})
	})
}
