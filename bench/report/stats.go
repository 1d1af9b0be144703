package report

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"
)

// Mean returns the arithmetic mean.
func Mean(x []float64) float64 { return stat.Mean(x, nil) }

// Deviation returns the standard deviation of a sample, or 0 for fewer than two values.
func Deviation(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	return stat.StdDev(x, nil)
}

// StandardError returns the standard error of the mean.
func StandardError(x []float64) float64 { return stat.StdErr(Deviation(x), float64(len(x))) }

// Median returns the middle value, or the mean of the two in the middle.
func Median(x []float64) float64 { return Quantile(x, 0.5) }

// Quantile returns the value below which a fraction of a sample lies, by linear interpolation.
func Quantile(x []float64, share float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	c := slices.Sorted(slices.Values(x))
	at := share * float64(len(c)-1)
	i := int(at)
	if i+1 >= len(c) {
		return c[len(c)-1]
	}
	return c[i] + (at-float64(i))*(c[i+1]-c[i])
}

// Wilson returns the 95% score interval of the fraction hits/n. Wilson 1927.
func Wilson(hits, n int) (lo, hi float64) {
	const z = 1.959963984540054
	p, m := float64(hits)/float64(n), float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	lo, hi = centre-half, min(1, centre+half)
	if hits == 0 {
		lo = 0 // centre and half are equal then, except for rounding
	}
	return lo, hi
}

// Parallel calls f with 0 to n-1, on all processors, and returns the results in
// their order.
func Parallel[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error { return Try(func() { out[i] = f(i) }) })
	}
	if err := g.Wait(); err != nil {
		panic(failure{err})
	}
	return out
}

// Timed returns how many seconds f takes.
func Timed(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

// InTurn calls time for 0 to n-1 in several rounds and returns the results by index. Every other
// round runs backwards, so that changes of the machine's load affect all. An additional first round
// is not counted.
func InTurn(rounds, n int, time func(i int) float64) [][]float64 {
	out := make([][]float64, n)
	for round := range rounds + 1 {
		for i := range n {
			if round%2 == 1 {
				i = n - 1 - i
			}
			if took := time(i); round > 0 {
				out[i] = append(out[i], took)
			}
		}
	}
	return out
}

// Column returns f of each element.
func Column[T, U any](x []T, f func(T) U) []U {
	out := make([]U, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

// Count returns the number of elements for which a condition holds.
func Count[T any](x []T, is func(T) bool) (n int) {
	for _, v := range x {
		if is(v) {
			n++
		}
	}
	return n
}

// none is the text for NaN.
const none = "-"

// digits returns a number with n significant digits.
func digits(v float64, n int) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return none
	case a >= 100 || a == 0:
		return fmt.Sprintf("%.0f", v)
	case a >= 10 && n == 2:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.*g", n, v)
}

// Num returns a number with three significant digits.
func Num(v float64) string { return digits(v, 3) }

// Num2 returns a number with two significant digits.
func Num2(v float64) string { return digits(v, 2) }

// Percent returns a fraction in percent.
func Percent(v float64) string {
	if math.IsNaN(v) {
		return none
	}
	return fmt.Sprintf("%.1f%%", 100*v)
}

// Percent2 returns a fraction in percent with two significant digits, for small fractions. It has no
// exponent: 0.000062%.
func Percent2(v float64) string {
	if math.IsNaN(v) {
		return none
	}
	if p := 100 * v; p > 0 && p < 1e-4 {
		return strconv.FormatFloat(p, 'f', 1-int(math.Floor(math.Log10(p))), 64) + "%"
	}
	return Num2(100*v) + "%"
}

// Span returns the smallest and the largest number, with two significant digits.
func Span(x []float64) string {
	if len(x) == 0 {
		return none
	}
	return Num2(slices.Min(x)) + " to " + Num2(slices.Max(x))
}

// Rounds returns the median, the least and the largest of several rounds.
func Rounds(x []float64) string {
	if len(x) == 1 {
		return Num(x[0])
	}
	return fmt.Sprintf("%s (%s to %s)", Num(Median(x)), Num(slices.Min(x)), Num(slices.Max(x)))
}

// failure ends an experiment, as t.Fatal ends a test. Check, Must and Require panic with it, and
// Try returns it as an error.
type failure struct{ error }

// Check ends the experiment if err is not nil.
func Check(err error) {
	if err != nil {
		panic(failure{at(err)})
	}
}

// Must returns the value of a call. An error ends the experiment.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(failure{at(err)})
	}
	return v
}

// Require ends the experiment if a condition is false.
func Require(holds bool, format string, args ...any) {
	if !holds {
		panic(failure{at(fmt.Errorf(format, args...))})
	}
}

// fail ends the program with an error of the user.
func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// at adds the file and line of the experiment to an error.
func at(err error) error {
	_, file, line, _ := runtime.Caller(2)
	return fmt.Errorf("%s:%d: %w", filepath.Base(file), line, err)
}

// Try calls f and returns the error that ended it, or nil.
func Try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	f()
	return nil
}
