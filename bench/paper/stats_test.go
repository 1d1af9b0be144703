package main

import (
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

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
			if z := report.ZScore(got, draws, math.Pow(float64(i+1), -skew)/norm); math.Abs(z) > 4 {
				t.Errorf("skew %v: rank %d came %d times, z %.1f", skew, i+1, got, z)
			}
		}
	}
}

// TestBloomRate: a filter with half of its bits set finds an absent key with a
// chance of 2^-k.
func TestBloomRate(t *testing.T) {
	if got := bloomRate(1000, 100*math.Ln2, 10); math.Abs(got-1.0/1024) > 1e-15 {
		t.Errorf("rate is %v, want %v", got, 1.0/1024)
	}
}
