package bloom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// fillSigma returns the standard deviation of the fill with n keys. The number of unset bits of m after
// t = kn/m throws each has the variance m (e^-t - (1+t) e^-2t) (Whang et al. 1990, theorem 2). A
// fraction p of k adds the variance of the number of throws, n p (1-p), each of which sets e^-t of a
// bit.
func fillSigma(f *filter, n float64) float64 {
	m, t := float64(f.kept), f.k*n/float64(f.size)
	p := f.k - math.Floor(f.k)
	z := math.Exp(-t)
	return math.Sqrt((z-(1+t)*z*z)/m + n*p*(1-p)*z*z/m/m)
}

// rateSigma returns the standard deviation of the false positive rate, to the first order: fillSigma
// times the derivative of q^k.
func rateSigma(f *filter, n float64) float64 {
	q := -math.Expm1(n * f.logUnset())
	return f.K() * math.Pow(q, f.K()-1) * fillSigma(f, n)
}

// random adds n random keys, none twice in 2^64.
func random(s *Sketch, r *rand.Rand, n int) {
	h1s, h2s := make([]uint64, n), make([]uint64, n)
	for i := range h1s {
		h1s[i], h2s[i] = r.Uint64(), r.Uint64()|1
	}
	s.AddHashes(h1s, h2s, nil)
}

// The measured rate agrees with the fill and with the formula, for every variant and at every load.
func TestRate(t *testing.T) {
	const capacity = 30_000
	asked := 300_000
	if os.Getenv("CCBF_LONG") == "1" {
		asked = 10_000_000
	}
	shrunk := func(keep float64) func(t testing.TB, s *Sketch) *Sketch {
		return func(t testing.TB, s *Sketch) *Sketch {
			d := s.Clone()
			if err := d.Shrink(start + uint64(keep*float64(len(s.bits)))); err != nil {
				t.Fatal(err)
			}
			return d
		}
	}
	sized := func(p Params) Params {
		p.Capacity, p.FPP = capacity, 0.05
		if p.Variant == Blocks {
			p.FPP, p.Bits = 0, 187_769 // binary digits with gaps: 101101110101111001
		}
		return p
	}
	conform.Rates(t, Family, capacity, asked, []conform.RateCase[Params, *Sketch]{
		{Name: "standard", Params: sized(Params{})},
		{Name: "standard, k 1", Params: sized(Params{K: 1})},
		{Name: "rational", Params: sized(Params{Variant: Rational})},
		{Name: "rational, k 2.5", Params: sized(Params{K: 2.5, Variant: Rational})},
		{Name: "rational by position", Params: sized(Params{Variant: Rational, Activation: ByPosition})},
		{Name: "rational by position, k 1.5", Params: sized(Params{K: 1.5, Variant: Rational, Activation: ByPosition})},
		{Name: "blocks", Params: sized(Params{Variant: Blocks})},
		{Name: "blocks, k 3", Params: sized(Params{K: 3, Variant: Blocks})},
		{Name: "shrunk to 3 of 4", Params: sized(Params{Variant: Blocks}), Change: shrunk(0.75)},
		{Name: "shrunk to 1 of 2", Params: sized(Params{Variant: Blocks}), Change: shrunk(0.5)},
	}, func(_ testing.TB, s *Sketch, n int) []conform.Rate {
		return []conform.Rate{
			{By: "FPP", Mean: s.FPP()},
			{By: "FPPAt", Mean: s.FPPAt(float64(n)), Sigma: rateSigma(&s.filter, float64(n))},
		}
	})
}

// At a low rate and few bits, double hashing has several times the rate of the
// formula. 4*10^6 keys at 1e-5 make a sigma of
// 16%.
func TestLowRate(t *testing.T) {
	const asked = 4_000_000
	for _, p := range []Params{
		{Capacity: 1000, FPP: 1e-5},
		{Capacity: 1000, FPP: 1e-5, Variant: Blocks},
		{Capacity: 1366, Bits: 1 << 15, K: 17, Variant: Blocks},
	} {
		s := mustNew(t, p)
		conform.AddKeys(t, Family, s, 0, int(s.capacity))
		conform.Rate{By: "FPP", Mean: s.FPP()}.Near(t, fmt.Sprintf("%+v", p), conform.Positives(s, asked), asked)
	}
}

// The estimate is within 4 standard errors, and its bias of (e^t-1-t)/(2k)
// keys (Whang et al. 1990, theorem 3), for every variant, before and after
// unions and a shrink.
func TestCardinality(t *testing.T) {
	for _, p := range []Params{
		{Bits: 100_003},
		{Bits: 100_003, K: 2},
		{Bits: 100_003, K: 2.4, Variant: Rational},
		{Bits: 100_003, K: 0.5, Variant: Rational, Activation: ByPosition},
		{Bits: 100_003, K: 2.4, Variant: Blocks},
		{Bits: 100_003, K: 0.3, Variant: Blocks},
	} {
		p.Capacity = 20_000
		a, b := mustNew(t, p), mustNew(t, p)
		r := rand.New(rand.NewPCG(11, uint64(p.K*10)))
		check := func(what string, s *Sketch, n float64) {
			t.Helper()
			load := s.k * n / float64(s.size)
			frac := s.k - math.Floor(s.k)
			sigma := math.Sqrt(float64(s.size)/float64(s.kept)*float64(s.size)*(math.Expm1(load)-load)+n*frac*(1-frac)) / s.k
			bias := (math.Expm1(load) - load) / 2 / s.k * float64(s.size) / float64(s.kept)
			if d := math.Abs(s.Cardinality() - n); d > 4*sigma+bias {
				t.Errorf("%s, %+v: %.1f of %v keys, sigma %.1f", what, p, s.Cardinality(), n, sigma)
			}
		}
		for _, n := range []int{100, 5000, 20_000} {
			before := n
			if total, _ := a.Total(); total > 0 {
				before -= int(total)
			}
			random(a, r, before)
			check("keys", a, float64(n))
		}
		random(b, r, 7000)
		if err := a.Union(b); err != nil {
			t.Fatal(err)
		}
		check("a union", a, 27_000)
		if p.Variant == Blocks {
			if err := a.Shrink(start + 5000); err != nil {
				t.Fatal(err)
			}
			check("shrunk", a, 27_000)
		}
	}
}

func TestEstimatesAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		p                      Params
		empty, full            float64 // Cardinality
		emptyFPP, fullFPP, one float64 // FPP; FPPAt one key
	}{
		{Params{Bits: 1, K: 1}, 0, math.Inf(1), 0, 1, 1},
		{Params{Bits: 1, K: 64}, 0, math.Inf(1), 0, 1, 1},
		{Params{Bits: 1, K: 0.25, Variant: Rational}, 0, math.Inf(1), 0.75, 1, 0.75 + 0.25*0.25},
		{Params{Bits: 1, K: 0.25, Variant: Blocks}, 0, math.Inf(1), 0.75, 1, 0.75 + 0.25*0.25},
		{Params{Bits: 1, K: 2.5, Variant: Blocks}, 0, math.Inf(1), 0, 1, 1},
		{Params{Bits: 7, K: NoHashes, Variant: Rational}, math.Inf(1), math.Inf(1), 1, 1, 1},
		{Params{Bits: 7, K: NoHashes, Variant: Blocks}, math.Inf(1), math.Inf(1), 1, 1, 1},
		{Params{Bits: 3, K: 3, Variant: Blocks}, 0, math.Inf(1), 0, 1, 0.625}, // of 2 bits: both by half, otherwise a quarter
	} {
		s := mustNew(t, c.p)
		if n, r := s.Cardinality(), s.FPP(); n != c.empty || r != c.emptyFPP {
			t.Errorf("%+v, empty: %v keys, rate %v", c.p, n, r)
		}
		if r := s.FPPAt(1); math.Abs(r-c.one) > 1e-15 {
			t.Errorf("%+v: rate %v with one key, want %v", c.p, r, c.one)
		}
		if r := s.FPPAt(0); r != c.emptyFPP {
			t.Errorf("%+v: rate %v without keys", c.p, r)
		}
		for i := range s.kept {
			s.bits[i/8] |= 1 << (i % 8)
		}
		if n, r := s.Cardinality(), s.FPP(); n != c.full || r != c.fullFPP {
			t.Errorf("%+v, full: %v keys, rate %v", c.p, n, r)
		}
	}
}
