package bloom

import (
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// exactFillPower is fillPower by the distribution of the bits set, one throw after the other.
func exactFillPower(m, throws int, power float64) (sum float64) {
	p := make([]float64, m+1)
	p[0] = 1
	for range throws {
		for s := m; s >= 0; s-- {
			p[s] *= float64(s) / float64(m)
			if s > 0 {
				p[s] += p[s-1] * float64(m-s+1) / float64(m)
			}
		}
	}
	for s, v := range p {
		sum += v * math.Pow(float64(s)/float64(m), power)
	}
	return sum
}

func TestFillPower(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 8, 16, 32, 100} {
		for _, k := range []int{1, 2, 4, 7, 10, 14, 20, 30} {
			for _, m := range []int{64, 128, 192, 512, 960, 1472} {
				want := exactFillPower(m, n*k, float64(k))
				got := fillPower(float64(m), float64(k), float64(n), float64(k))
				if got < want*(1-1e-9) || want >= 1e-7 && got > 1.25*want || got > 2.2*want && want > 1e-15 {
					t.Errorf("%d keys, k %d, %d bits: %.4g, exactly %.4g", n, k, m, got, want)
				}
			}
		}
	}
}

// Small filters keep their FPP, and the rate that their parameters name.
func TestSmallFilters(t *testing.T) {
	var all []Params
	for _, p := range []Params{{}, {Variant: Rational}, {Variant: Rational, Activation: ByPosition}, {Variant: Blocks}} {
		for _, p.Capacity = range []uint64{1, 2, 4, 8, 16, 32, 100} {
			for _, p.FPP = range []float64{0.9, 0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9} {
				all = append(all, p)
			}
		}
	}
	conform.SmallRates(t, Family, 200, all, func(p Params) uint64 { return p.Capacity },
		func(p Params, seed uint64) Params { p.Seed = seed; return p },
		func(_ testing.TB, p Params, s *Sketch) []conform.Rate {
			return []conform.Rate{{By: "FPP", Mean: s.FPP()}, {By: "the option fpp", Mean: p.FPP}}
		})
}
