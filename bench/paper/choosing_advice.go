package main

import (
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/advise"
)

// manyKeys are enough for the error of a sketch to be little by chance.
const manyKeys = 1000

// toldSum is how well advice was that was told one thing.
type toldSum struct {
	settings, inside int
	regrets          []float64
	said, were       [4]int // by advise.Exactness
}

func (t *toldSum) within() string { return fmt.Sprintf("%d of %d", t.inside, t.settings) }

// toldSums are they, by what was told.
type toldSums [len(told)]toldSum

// certain is how many sketches said to be exact for certain were.
func (t *toldSums) certain() string {
	said, were := 0, 0
	for i := range t {
		said += t[i].said[advise.Certain]
		were += t[i].were[advise.Certain]
	}
	return fmt.Sprintf("%d of %d", were, said)
}

// adviceTable is a row for each use and way to tell the counts, and another table of
// how sure the advice was of exactness.
func adviceTable(s *report.Section, all []comparison) (sums toldSums) {
	s.Text("The advice, told the skew (the slope of the counts over the ranks, in logarithms), or a sample of the counts and the larger side of the box around the points. "+
		"Sketches for cells that need no counters have no error and are not counted here. \"Within\" is at how many settings the measured error was from error_low to error_high, and the width the median of error_high / error_low where error_low is not 0. The last two columns are of data with %d keys and more: with fewer, which keys meet which is chance.", manyKeys)
	t := s.Table("use", "told", "within", "width", "expected / measured error, median", "80% of them", "all", "BLOB / expected bytes", "error of the advised / of the best, median", "largest")
	for i, u := range uses {
		for by, name := range told {
			var ratios, bytes, regrets, widths []float64
			sum := &sums[by]
			inside := 0
			for j := range all {
				r := &all[j].of[i]
				a := &r.advised[by]
				if !u.keys {
					sum.said[a.Exact]++
					if r.tried[0].exact() {
						sum.were[a.Exact]++
					}
				}
				if r.tried[0].exact() {
					continue
				}
				if a.err >= a.ErrorLow && a.err <= a.ErrorHigh {
					inside++
				}
				ratios = append(ratios, off(a.Error, a.err))
				if a.ErrorLow > 0 {
					widths = append(widths, off(a.ErrorHigh, a.ErrorLow))
				}
				bytes = append(bytes, a.bytes/float64(a.Advice.Bytes))
				if all[j].keys >= manyKeys {
					regrets = append(regrets, off(a.err, r.least()))
				}
			}
			t.Row(u.name, name, fmt.Sprintf("%d of %d", inside, len(ratios)), orNone(report.Median, widths), report.Num2(report.Median(ratios)),
				report.Num2(report.Quantile(ratios, 0.1))+" to "+report.Num2(report.Quantile(ratios, 0.9)), report.Num2(slices.Min(ratios))+" to "+report.Num2(slices.Max(ratios)),
				report.Num2(slices.Min(bytes))+" to "+report.Num2(slices.Max(bytes)), orNone(report.Median, regrets), orNone(slices.Max[[]float64], regrets))
			sum.settings += len(ratios)
			sum.inside += inside
			sum.regrets = append(sum.regrets, regrets...)
		}
	}
	s.Text("How sure it was that sketches for cells are exact, and how many of those were.")
	sure := s.Table("said", "told "+told[0], "were exact", "told "+told[1], "were exact")
	for _, e := range []advise.Exactness{advise.Certain, advise.Likely, advise.Open, advise.Unlikely} {
		sure.Row(e.String(), sums[0].said[e], sums[0].were[e], sums[1].said[e], sums[1].were[e])
	}
	return sums
}

// orNone is a figure of numbers, where there are any.
func orNone(f func([]float64) float64, of []float64) string {
	if len(of) == 0 {
		return "-"
	}
	return report.Num2(f(of))
}
