package cbf

import (
	"fmt"
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// passHalves is pass for a hash function and the extra one beside it. Both count in one word, to which
// j of all occurrences come. Given j, the r lower and the r upper halves of the word are filled
// independently. Each occurrence fills a given half with a probability of 1/r.
func (s *shape) passHalves(x float64) float64 {
	r := float64(s.perWord())
	mean := x * r
	p := math.Exp(-mean) // probability that j occurrences come to the word, here for j = 0
	sum := 0.0
	for j := 1.0; j < mean+12*math.Sqrt(mean)+40; j++ {
		p *= mean / j
		miss := 1 - 1/r
		none := math.Pow(miss, j)
		one := j / r * math.Pow(miss, j-1)
		alone := j / r * math.Pow(1-2/r, j-1)
		two := j * (j - 1) / 2 / r / r * math.Pow(miss, j-2)
		half := s.passOf(one, alone, two, none)
		sum += p * half * half
	}
	return sum
}

// The measured false positive rate agrees with the formulas, at every load. The absent keys are a
// binomial sample of the filter's own rate r = p^k. There p, a mean over m counters, has a variance of
// at most p(1-p)/m, because the states of counters are negatively correlated. So r varies by
// r*k*sqrt((1-p)/(p*m)). With halves p is a mean over words whose values are in [0, 1]: p(1-p) over the
// number of words. 4 sigma of both are allowed. The formulas assume a Poisson distribution for a
// binomial one, and k different words. The error of both is at most a fraction k^2/words, 3e-3 of r.
func TestRates(t *testing.T) {
	const capacity, asked = 1 << 15, 1 << 19
	var cases []conform.RateCase[Params, *Sketch]
	for _, p := range []Params{
		{Variant: Plain, K: 3},
		{Variant: Plain, K: 2, CounterBits: 8},
		{Variant: Plain, K: 3, CounterBits: 2},
		{Variant: Increment, K: 2},
		{Variant: Increment, K: 2, Increment: 4},
		{Variant: Increment, K: 2, CounterBits: 8, Increment: 16},
		{Variant: Tandem, K: 2},
		{Variant: Tandem, K: 2, Increment: 4},
		{Variant: Tandem, K: 2, CounterBits: 8},
		{Variant: Plain, K: 2, VariableLength: true},
		{Variant: Plain, K: 1, VariableLength: true, CounterBits: 16, Alpha: 1},
		{Variant: Increment, K: 2, VariableLength: true},
		{Variant: Increment, K: 1, VariableLength: true, Increment: 4, Alpha: 0.75},
		{Variant: Tandem, K: 2, VariableLength: true},
		{Variant: Tandem, K: 1, VariableLength: true, Increment: 4, Alpha: 1},
	} {
		p.Capacity, p.Seed = capacity, 77
		p.Counters = uint64(capacity * float64(p.K) / math.Ln2)
		cases = append(cases, conform.RateCase[Params, *Sketch]{
			Name: fmt.Sprintf("%v K %d bits %d L %d variable %v", p.Variant, p.K, p.CounterBits, p.Increment, p.VariableLength), Params: p,
		})
	}
	conform.Rates(t, Family, capacity, asked, cases, func(t testing.TB, s *Sketch, n int) []conform.Rate {
		if n == capacity && s.variable && s.Halves() != (s.alpha == 1) {
			t.Errorf("halves %v when full", s.Halves())
		}
		mean := s.rate(float64(n))
		if s.Halves() {
			mean = math.Pow(s.passHalves(float64(s.k)*float64(n)/float64(s.counters())), float64(s.k))
		}
		pass, samples := math.Pow(mean, 1/float64(s.k)), float64(s.counters())
		if s.Halves() {
			samples = float64(s.words)
		}
		v, err := NewView(s.Blob())
		if err != nil {
			t.Fatal(err)
		}
		fpp := v.Info().FPP
		return []conform.Rate{
			{By: "the formula", Mean: mean, Sigma: mean * float64(s.k) * math.Sqrt((1-pass)/(pass*samples)), Bias: 3e-3 * mean},
			{By: "Info", Mean: fpp, Bias: 3e-3 * fpp}, // from the counters alone
		}
	})
}
