package noise

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomDistribution has whole numbers up to most, none of them rarer than
// least.
func randomDistribution(r *rand.Rand, most int, least float64) *distribution {
	d := &distribution{}
	chances := make([]float64, most+1)
	sum := 0.0
	for i := range chances {
		if i == 0 || r.IntN(3) == 0 {
			chances[i] = least*float64(most+1) + r.Float64()
			sum += chances[i]
		}
	}
	tail := 1 - chances[0]/sum
	for i, c := range chances[1:] {
		if c > 0 {
			d.values, d.tails = append(d.values, float64(i+1)), append(d.tails, tail)
			tail -= c / sum
		}
	}
	return d
}

// convolved is the distribution of the sum of n draws, value by value.
func convolved(d *distribution, n int) []float64 {
	sum := []float64{1}
	for range n {
		var next []float64
		d.each(func(value, chance float64) {
			for len(next) < len(sum)+int(value) {
				next = append(next, 0)
			}
			for i, p := range sum {
				next[i+int(value)] += p * chance
			}
		})
		sum = next
	}
	return sum
}

// Sums of draws leave their reach about as rarely as a normal number does, also if there are few. Each does in at most
// 5 of 100 cases, and all together in 1 to 3.
func TestReachOfSums(t *testing.T) {
	r := rand.New(rand.NewPCG(201, 0))
	const sums = 300
	outside := 0.0
	for i := range sums {
		d, n := randomDistribution(r, 2+r.IntN(12), 0.01), 5+r.IntN(60)
		mean, second, third := d.moments(itself)
		mean, second, third = mean*float64(n), second*float64(n), third*float64(n)
		out := 0.0
		for value, chance := range convolved(d, n) {
			if x := float64(value) - mean; x < -Reach(usual, second, -third) || x > Reach(usual, second, third) {
				out += chance
			}
		}
		if outside += out / sums; out > 0.05 {
			t.Errorf("sum %d of %d draws: %v outside", i, n, out)
		}
	}
	if outside < 0.01 || outside > 0.03 {
		t.Errorf("%v outside", outside)
	}
}

// The closed form beside the sum of the terms.
func TestAhead(t *testing.T) {
	for _, less := range []float64{1, 2, 7, 32, 33, 50, 200, 3000} {
		for _, more := range []float64{0, 1, 5, 40, 300, 4000, 1e6} {
			term, want := 1.0, 0.0
			for d := 0.0; d < less; d++ {
				term *= (less - d) / (less + more + 1 + d)
				want += term * term
			}
			if got := ahead(less, less+more); math.Abs(got-want) > 0.05*want {
				t.Errorf("%v and %v: %v, want %v", less, less+more, got, want)
			}
		}
	}
	if got := ahead(1e18, 1e18); math.Abs(got/math.Sqrt(math.Pi*1e18/8)-1) > 0.01 {
		t.Errorf("large and even: %v", got)
	}
	if got := ahead(1e18, 2e18); math.Abs(got-1.0/3) > 0.01 {
		t.Errorf("large: %v", got)
	}
}
