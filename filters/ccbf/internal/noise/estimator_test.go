package noise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

func shapeOf(t *testing.T, widths []int, sizes []uint64, k int) cascade.Shape {
	t.Helper()
	s, err := cascade.NewShape(k, widths)
	if err == nil {
		err = s.SetCounters(sizes)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// meanEstimate is the mean estimate of cells with f points, by the chances of the
// surpluses of their class.
func meanEstimate(c *Estimator, f float64) float64 {
	k := &c.classes[0]
	for i := 1; f >= k.to; i++ {
		k = &c.classes[i]
	}
	mean := 0.0
	k.surpluses.each(func(surplus, chance float64) { mean += chance * c.estimate(c.count(f, surplus)) })
	return mean
}

// Estimates have no bias. For the larger of both this holds for every count. For sums it holds for the
// least count of each class, since larger counts of a class have no class above.
//
// The mean is taken over the probabilities of the surpluses, not by the formulas of the estimates.
func TestEstimatesAreRightInTheMean(t *testing.T) {
	r := rand.New(rand.NewPCG(220, 0))
	several, skipped := 0, 0
	for _, params := range []struct {
		widths []int
		sizes  []uint64
		k      int
	}{
		{[]int{16, 16}, []uint64{4096, 256}, 8},
		{[]int{8, 16, 32}, []uint64{4096, 1024, 64}, 4},
		{[]int{8, 16, 32}, []uint64{4096, 1024, 64}, 1},
		{[]int{4, 6, 12, 24}, []uint64{8192, 4096, 1024, 256}, 3},
		{[]int{32}, []uint64{1000}, 2},
	} {
		for _, of := range []bool{true, false} {
			d := cascade.New(shapeOf(t, params.widths, params.sizes, params.k))
			z := rand.NewZipf(r, 1.2, 2, 799)
			for range 20_000 {
				h1, h2 := key.HashCell(0, int64(z.Uint64()), 0)
				d.Insert(of, []uint64{h1}, []uint64{h2}, nil)
			}
			m := New(d, of, cascade.Origin{})
			sums, larger := m.Estimator(true), m.Estimator(false)
			for _, c := range []*Estimator{sums, larger} {
				if len(c.classes) > 1 {
					several++
				}
				for i, k := range c.classes {
					if p := k.surpluses.tail(1); i == 0 && p > surest {
						t.Fatalf("%+v: surpluses of 1 or more have a chance of %v", params, p)
					}
				}
			}
			for _, k := range sums.classes {
				if got := meanEstimate(sums, k.from); math.Abs(got-k.from) > 1e-6*(1+k.from) {
					t.Errorf("%+v: sums of %v come out as %v", params, k.from, got)
				}
			}
			for f := range 3000 {
				f := float64(f)
				if certain(larger, f) {
					skipped++
					continue
				}
				if got := meanEstimate(larger, f); math.Abs(got-f) > 1e-6*(1+f) {
					t.Fatalf("%+v: the larger of %v comes out as %v", params, f, got)
				}
			}
		}
	}
	if several < 4 || skipped > 3000 {
		t.Errorf("%d corrections with several classes, %d of 30,000 counts skipped", several, skipped)
	}
}

// certain reports whether cells with f points read more with nearly every surplus of
// their class: then nothing can be said of them.
func certain(c *Estimator, f float64) bool {
	for _, k := range c.classes {
		if f < k.to {
			return k.surpluses.tail(f+1) > surest
		}
	}
	return false
}
