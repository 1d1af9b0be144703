package report

import (
	"fmt"
	"math"
	"slices"
)

// Num is a number with three digits that count.
func Num(v float64) string {
	if a := math.Abs(v); a >= 100 || a == 0 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// Percent is a share in percent.
func Percent(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) }

// Percent2 is Percent with two digits that count, for small shares.
func Percent2(v float64) string { return Num2(100*v) + "%" }

// Interval is Wilson's, as text.
func Interval(hits, n int) string {
	lo, hi := Wilson(hits, n)
	return fmt.Sprintf("[%s, %s]", Num(lo), Num(hi))
}

// Span is from where to where numbers go, with two digits that count.
func Span(x []float64) string { return Num2(slices.Min(x)) + " to " + Num2(slices.Max(x)) }

// Spread is a mean and a standard deviation, with digits to fit.
func Spread(x []float64) string { return fmt.Sprintf("%s ± %s", Num(Mean(x)), Num2(Deviation(x))) }

// SpreadPercent is Spread of shares, in percent.
func SpreadPercent(x []float64) string {
	return fmt.Sprintf("%s%% ± %s", Num(100*Mean(x)), Num2(100*Deviation(x)))
}

// Num2 is a number with two digits that count.
func Num2(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2g", v)
	}
}
