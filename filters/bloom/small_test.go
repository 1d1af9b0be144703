package bloom

import (
	"math"
	"math/rand/v2"
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

// Positions by double hashing from numbers of few bits are not good enough. Far more often than the
// rate, all positions of a key coincide with those of another key.
func TestDoubleHashingWouldFail(t *testing.T) {
	s := mustNew(t, Params{Capacity: 1, FPP: 1e-7})
	r := rand.New(rand.NewPCG(42, 0))
	var bits [64]bool
	double := func(h1, h2 uint64, visit func(p uint64) bool) bool {
		for i := range s.n {
			if !visit((h1 + (i+1)*h2) >> 58) {
				return false
			}
		}
		return true
	}
	found := 0
	for range 100 {
		clear(bits[:])
		double(r.Uint64(), r.Uint64()|1, func(p uint64) bool { bits[p] = true; return true })
		for range 10_000 {
			if double(r.Uint64(), r.Uint64()|1, func(p uint64) bool { return bits[p] }) {
				found++
			}
		}
	}
	if found < 10 { // of 10^6, where 0.1 are allowed
		t.Errorf("%d of 10^6 found", found)
	}
}
