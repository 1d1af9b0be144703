package ccbf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// TestErrorAgainstMeasurement compares Error with the counts of absent keys. The number of those
// with a count is binomial with the stated probability; their mean has the measured standard
// deviation. In mode standard, both are within 4 sigma and 3% of the estimate. The 3% are for
// positions of a key, which are distinct and follow from two numbers. Closer modes must be below.
func TestErrorAgainstMeasurement(t *testing.T) {
	const asked = 200_000
	for _, c := range []struct {
		name   string
		params Params
		points int
		upper  bool // the estimate is only an upper one
	}{
		{"standard, sparse", Params{Dense: true, Mode: Standard, Bytes: 1 << 16}, 20_000, false},
		{"standard, full", Params{Dense: true, Mode: Standard, Bytes: 1 << 13}, 20_000, false},
		{"standard, k 2", Params{Dense: true, Mode: Standard, Bytes: 1 << 13, K: 2}, 20_000, false},
		{"standard, k 8", Params{Dense: true, Mode: Standard, Bytes: 1 << 15, K: 8}, 20_000, false},
		{"standard, packed", Params{Dense: true, Mode: Standard, Widths: []int{4, 12, 16}, Counters: []uint64{1 << 14, 1 << 12, 1 << 10}}, 20_000, false},
		{"mi", Params{Dense: true, Bytes: 1 << 13}, 20_000, true},
		{"maximum", Params{Bytes: 1 << 13, Overflow: ToCounters}, 20_000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(111, 0))
			p := hot(r, c.points, 4000)
			if !c.params.Dense { // cells that do not fit
				p = scattered(r, c.points, 4000)
			}
			v := viewOf(t, blobOf(t, builderOf(t, config(t, c.params), p)))
			e := v.Error().Empty
			wrong, sum, squares := 0.0, 0.0, 0.0
			for i := range int64(asked) {
				n := float64(v.Count(grid.Cell{X: 1<<40 + i, Y: i}, nil))
				if n > 0 {
					wrong++
				}
				sum, squares = sum+n, squares+n*n
			}
			mean := sum / asked
			sigmaP := math.Sqrt(e.Probability * (1 - e.Probability) / asked)
			sigmaE := math.Sqrt((squares/asked - mean*mean) / asked)
			t.Logf("probability %.5f, measured %.5f; excess %.4f, measured %.4f", e.Probability, wrong/asked, e.Excess, mean)
			check := func(what string, estimate, measured, sigma float64) {
				t.Helper()
				low, high := estimate*0.97-4*sigma, estimate*1.03+4*sigma
				if measured > high || !c.upper && measured < low {
					t.Errorf("%s %v, measured %v, which is not within %v and %v", what, estimate, measured, low, high)
				}
			}
			check("probability", e.Probability, wrong/asked, sigmaP)
			check("excess", e.Excess, mean, sigmaE)
		})
	}
}

// Values beyond the histogram of Error: its tail is an upper bound.
func TestErrorOfLargeValues(t *testing.T) {
	cfg := config(t, Params{Dense: true, Mode: Standard, K: 1, Widths: []int{32}, Counters: []uint64{100}})
	var p points
	for i := range int64(30) {
		p.add(spot{grid.Cell{X: i}, plain}, 5000+uint64(i)*1000)
	}
	v := viewOf(t, blobOf(t, builderOf(t, cfg, p)))
	total, _ := v.Total()
	e := v.Error().Empty
	// With k = 1 the mean excess is the mean of all counters.
	if want := float64(total) / 100; math.Abs(e.Excess-want) > want*1e-9 {
		t.Errorf("excess %v, want %v", e.Excess, want)
	}
}

func TestInfoAndErrorOfExactAndEmpty(t *testing.T) {
	r := rand.New(rand.NewPCG(112, 0))
	v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), hot(r, 100, 50))))
	if e := v.Error(); e != (Error{Exact: true, Certain: true, Known: true}) {
		t.Errorf("exact: %+v", e)
	}
	v = viewOf(t, blobOf(t, NewBuilder(config(t, Params{Dense: true}), nil)))
	if e := v.Error(); e != (Error{Known: true}) {
		t.Errorf("empty: %+v", e)
	}
	if i := v.Info(); i.Exact || i.Additive || i.Saturated || i.Fill != 0 || i.Cells != 0 {
		t.Errorf("empty: %+v", i)
	}
	// 7 keys of 3 counters each, all apart.
	cfg := config(t, Params{Dense: true, Mode: Standard, K: 3, Widths: []int{5, 9}, Counters: []uint64{1 << 20, 1 << 10}})
	var p points
	for i := range int64(7) {
		p.add(spot{grid.Cell{X: i}, plain}, 20)
	}
	i := viewOf(t, blobOf(t, builderOf(t, cfg, p))).Info()
	if i.Fill != 21.0/(1<<20) || !i.Additive || i.Exact || i.Saturated {
		t.Errorf("%+v", i)
	}
}
