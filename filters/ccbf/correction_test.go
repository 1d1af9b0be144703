package ccbf

import (
	"math"
	"math/rand/v2"
	"testing"
)

// meanEstimate is the mean estimate of cells with f points, by the chances of the
// ghosts of their class.
func (c *correction) meanEstimate(f float64) float64 {
	k := &c.classes[0]
	for i := 1; f >= k.to; i++ {
		k = &c.classes[i]
	}
	mean := 0.0
	k.ghosts.each(func(ghost, chance float64) { mean += chance * c.estimate(c.reading(f, ghost)) })
	return mean
}

// Estimates are right in the mean: of the larger of both for every count, and of
// sums for the least count of each class, beyond which those of one class have
// nothing above. This is how they are meant, summed up over the chances of ghosts
// themselves and not by the formulas that estimates are made of.
func TestEstimatesAreRightInTheMean(t *testing.T) {
	r := rand.New(rand.NewPCG(220, 0))
	several, skipped := 0, 0
	for _, params := range []Params{
		{Widths: []int{16, 16}, Counters: []uint64{4096, 256}, K: 8},
		{Widths: []int{8, 16, 32}, Counters: []uint64{4096, 1024, 64}},
		{Widths: []int{8, 16, 32}, Counters: []uint64{4096, 1024, 64}, K: 1},
		{Widths: []int{4, 6, 12, 24}, Counters: []uint64{8192, 4096, 1024, 256}, K: 3},
		{Widths: []int{32}, Counters: []uint64{1000}, K: 2},
	} {
		for _, params.Mode = range []Mode{Standard, MinimalIncrement} {
			params.Dense = true
			v := viewOf(t, blobOf(t, builderOf(t, config(t, params), hot(r, 20_000, 800))))
			sums, larger := v.correction(true), v.correction(false)
			for _, c := range []*correction{sums, larger} {
				if len(c.classes) > 1 {
					several++
				}
				for i, k := range c.classes {
					if p := k.ghosts.tail(1); i == 0 && p > surest {
						t.Fatalf("%+v: ghosts of 1 or more have a chance of %v", params, p)
					}
				}
			}
			for _, k := range sums.classes {
				if got := sums.meanEstimate(k.from); math.Abs(got-k.from) > 1e-6*(1+k.from) {
					t.Errorf("%+v: sums of %v come out as %v", params, k.from, got)
				}
			}
			for f := range 3000 {
				f := float64(f)
				if certain(larger, f) {
					skipped++
					continue
				}
				if got := larger.meanEstimate(f); math.Abs(got-f) > 1e-6*(1+f) {
					t.Fatalf("%+v: the larger of %v comes out as %v", params, f, got)
				}
			}
		}
	}
	if several < 4 || skipped > 3000 {
		t.Errorf("%d corrections with several classes, %d of 30,000 counts skipped", several, skipped)
	}
}

// certain reports whether cells with f points read more with nearly every ghost of
// their class: then nothing can be said of them.
func certain(c *correction, f float64) bool {
	for _, k := range c.classes {
		if f < k.to {
			return k.ghosts.tail(f+1) > surest
		}
	}
	return false
}
