package report

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func close2(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestWilson: the ends of the interval are the p whose z-score is 1.96 (the
// interval's definition), and two values worked out in Wilson's interval's
// usual examples: none in 10 gives an upper end of z^2/(n+z^2).
func TestWilson(t *testing.T) {
	const z = 1.959963984540054
	for _, c := range []struct{ hits, n int }{{1, 10}, {5, 10}, {81, 263}, {15, 148}, {999, 1000}} {
		lo, hi := Wilson(c.hits, c.n)
		close2(t, "lower end", ZScore(c.hits, c.n, lo), z, 1e-9)
		close2(t, "upper end", ZScore(c.hits, c.n, hi), -z, 1e-9)
	}
	for _, n := range []int{10, 2_590_590} {
		if lo, _ := Wilson(0, n); lo != 0 {
			t.Errorf("lower end of none in %d: %v", n, lo)
		}
	}
	_, hi := Wilson(0, 10)
	close2(t, "upper end of none", hi, z*z/(10+z*z), 1e-15)
	// Newcombe 1998, table I: 81 of 263 has the interval 0.2553 to 0.3662.
	lo, hi := Wilson(81, 263)
	close2(t, "lower end of 81 in 263", lo, 0.2553, 5e-5)
	close2(t, "upper end of 81 in 263", hi, 0.3662, 5e-5)
}

func TestMoments(t *testing.T) {
	x := []float64{2, 4, 4, 4, 5, 5, 7, 9} // squares of the distances sum to 32
	close2(t, "mean", Mean(x), 5, 0)
	close2(t, "deviation", Deviation(x), math.Sqrt(32.0/7), 1e-15)
	close2(t, "standard error", StandardError(x), math.Sqrt(32.0/7/8), 1e-15)
	close2(t, "median of eight", Median(x), 4.5, 0)
	close2(t, "median of three", Median([]float64{9, 1, 2}), 2, 0)
	close2(t, "deviation of one", Deviation(x[:1]), 0, 0)
	close2(t, "z", ZScore(60, 100, 0.5), 2, 1e-15)
}

func TestParallel(t *testing.T) {
	got := Parallel(100, func(i int) int { return i * i })
	for i, v := range got {
		if v != i*i {
			t.Errorf("result %d is %d", i, v)
		}
	}
	bad := errors.New("bad")
	if err := Try(func() {
		Parallel(10, func(i int) int {
			Require(i != 7, "of %d: %w", i, bad)
			return i
		})
	}); !errors.Is(err, bad) || !strings.HasPrefix(err.Error(), "stats_test.go:") {
		t.Errorf("error is %v", err)
	}
}

// TestTry: what goes wrong within is the error, and nothing else is caught.
func TestTry(t *testing.T) {
	bad := errors.New("bad")
	if err := Try(func() { Check(nil) }); err != nil {
		t.Errorf("error is %v", err)
	}
	if err := Try(func() { Must(1, bad) }); !errors.Is(err, bad) {
		t.Errorf("error is %v", err)
	}
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("a panic of the program became %v", r)
		}
	}()
	_ = Try(func() { panic("other") })
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 0.5: "0.5", 1234.5: "1234", 123.4: "123", 12.34: "12.3", 0.012345: "0.0123", 1.2345e-9: "1.23e-09", -0.25: "-0.25",
	} {
		if got := Num(v); got != want {
			t.Errorf("Num(%v) is %s, want %s", v, got, want)
		}
	}
}
