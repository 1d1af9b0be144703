package main

import (
	"errors"
	"math"
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
		lo, hi := wilson(c.hits, c.n)
		close2(t, "lower end", zScore(c.hits, c.n, lo), z, 1e-9)
		close2(t, "upper end", zScore(c.hits, c.n, hi), -z, 1e-9)
	}
	lo, hi := wilson(0, 10)
	close2(t, "lower end of none", lo, 0, 1e-15)
	close2(t, "upper end of none", hi, z*z/(10+z*z), 1e-15)
	// Newcombe 1998, table I: 81 of 263 has the interval 0.2553 to 0.3662.
	lo, hi = wilson(81, 263)
	close2(t, "lower end of 81 in 263", lo, 0.2553, 5e-5)
	close2(t, "upper end of 81 in 263", hi, 0.3662, 5e-5)
}

func TestMoments(t *testing.T) {
	x := []float64{2, 4, 4, 4, 5, 5, 7, 9} // squares of the distances sum to 32
	close2(t, "mean", mean(x), 5, 0)
	close2(t, "deviation", deviation(x), math.Sqrt(32.0/7), 1e-15)
	close2(t, "standard error", standardError(x), math.Sqrt(32.0/7/8), 1e-15)
	close2(t, "median of eight", median(x), 4.5, 0)
	close2(t, "median of three", median([]float64{9, 1, 2}), 2, 0)
	close2(t, "deviation of one", deviation(x[:1]), 0, 0)
	close2(t, "z", zScore(60, 100, 0.5), 2, 1e-15)
	close2(t, "rate at half full", bloomRate(1000, 100*math.Ln2, 10), 1.0/1024, 1e-15)
}

// TestZipf: frequencies follow the law within 4 standard errors.
func TestZipf(t *testing.T) {
	const n, draws = 50, 200_000
	for _, skew := range []float64{0, 0.5, 1, 2} {
		norm := 0.0
		for i := range n {
			norm += math.Pow(float64(i+1), -skew)
		}
		seen := make([]int, n)
		for _, i := range newZipf(n, skew).stream(random(1, 2), draws) {
			seen[i]++
		}
		for i, got := range seen {
			if z := zScore(got, draws, math.Pow(float64(i+1), -skew)/norm); math.Abs(z) > 4 {
				t.Errorf("skew %v: rank %d came %d times, z %.1f", skew, i+1, got, z)
			}
		}
	}
}

func TestParallel(t *testing.T) {
	got, err := parallel(100, func(i int) (int, error) { return i * i, nil })
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v != i*i {
			t.Errorf("result %d is %d", i, v)
		}
	}
	bad := errors.New("bad")
	if _, err := parallel(10, func(i int) (int, error) {
		if i == 7 {
			return 0, bad
		}
		return i, nil
	}); !errors.Is(err, bad) {
		t.Errorf("error is %v", err)
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 0.5: "0.5", 1234.5: "1234", 123.4: "123", 12.34: "12.3", 0.012345: "0.0123", 1.2345e-9: "1.23e-09", -0.25: "-0.25",
	} {
		if got := num(v); got != want {
			t.Errorf("num(%v) is %s, want %s", v, got, want)
		}
	}
}
