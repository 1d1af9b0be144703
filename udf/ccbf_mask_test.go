package udf

import (
	"math"
	"testing"
)

// TestByChance compares byChance with the binomial distribution. Numbers of hits that are not by
// chance have a probability below certainty.
func TestByChance(t *testing.T) {
	for _, n := range []int{1, 5, 16, 64, 1600} {
		for _, p := range []float64{0, 1e-6, 0.01, 0.3, 1} {
			for k := range n + 1 {
				atLeast := 0.0
				for j := k; j <= n; j++ {
					a, _ := math.Lgamma(float64(n + 1))
					b, _ := math.Lgamma(float64(j + 1))
					c, _ := math.Lgamma(float64(n - j + 1))
					log := a - b - c
					if j > 0 {
						log += float64(j) * math.Log(p)
					}
					if j < n {
						log += float64(n-j) * math.Log1p(-p)
					}
					atLeast += math.Exp(log)
				}
				if chance := byChance(k, n, p); !chance && atLeast > certainty || k > 0 && p == 0 && chance {
					t.Errorf("%d of %d at %v: chance %v, probability %v", k, n, p, chance, atLeast)
				}
			}
		}
	}
	if byChance(64, 64, 0.01) || byChance(8, 64, 0.001) {
		t.Error("numbers that cannot be chance count as chance")
	}
}
