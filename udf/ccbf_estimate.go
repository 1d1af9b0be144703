package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

var ccbfEstimateType = duck.StructOf(
	duck.Field{Name: "estimate", Type: duck.Double},
	duck.Field{Name: "low", Type: duck.UBigInt},
	duck.Field{Name: "high", Type: duck.UBigInt},
	duck.Field{Name: "certain", Type: duck.Boolean},
	duck.Field{Name: "cells", Type: duck.UBigInt},
)

// ccbfEstimate writes the estimate of the area of each row.
func ccbfEstimate(q *question) error {
	return q.each(func(i int, of ccbf.Categories) error {
		area, _, err := q.at(&q.view.Head, i)
		if err != nil {
			return err
		}
		bytes := bridge.EstimateBytes(&q.view)
		if err := q.out.Charge(bytes); err != nil {
			return err
		}
		e, err := q.view.Estimate(area, of)
		q.out.Discharge(bytes)
		if err != nil {
			return err
		}
		f := fields{out: q.out, row: i}
		f.float(e.Value)
		f.count(e.Low)
		f.count(e.High)
		f.flag(e.Certain)
		f.count(e.Cells)
		return nil
	})
}
