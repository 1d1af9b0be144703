package udf

import "github.com/ccbfsql/ccbfsql/internal/duck"

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
	return ccbfAsk(rows, 2, func(r *ccbfReader) error {
		return eachValid(rows, out, func(i int) error {
			category, err := r.row(rows, i)
			if err != nil {
				return err
			}
			polygon, err := polygons.toAsk(i)
			if err != nil {
				return err
			}
			bytes := r.view.EstimateBytes()
			if err := out.Charge(bytes); err != nil {
				return err
			}
			e, err := polygon.Estimate(&r.view, category)
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
