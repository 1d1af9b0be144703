package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

var ccbfEstimateFields = keyed.InfoOf(func(e *ccbf.Estimate) ccbf.Estimate { return *e },
	keyed.Is("estimate", func(e *ccbf.Estimate) float64 { return e.Value }),
	keyed.Is("low", func(e *ccbf.Estimate) uint64 { return e.Low }),
	keyed.Is("high", func(e *ccbf.Estimate) uint64 { return e.High }),
	keyed.Is("certain", func(e *ccbf.Estimate) bool { return e.Certain }),
	keyed.Is("cells", func(e *ccbf.Estimate) uint64 { return e.Cells }),
)

// ccbfEstimate writes the estimate of the area of each row.
func ccbfEstimate(q *question) error {
	var values []sketch.Value
	return q.each(func(i int, of ccbf.Categories) error {
		area, met, err := q.at(&q.view.Head, i)
		if err != nil {
			return err
		}
		if met {
			decodedSketches.useNoise(&q.view, q.Col(0).Bytes(i))
		}
		e, err := q.view.Estimate(area, of)
		if err != nil {
			return err
		}
		f := fields{out: q.out, row: i}
		values = ccbfEstimateFields.Append(values[:0], &e)
		f.values(ccbfEstimateFields.Fields, values)
		return nil
	})
}
