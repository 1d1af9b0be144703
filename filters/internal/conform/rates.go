package conform

import (
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// RateCase describes a sketch whose false positive rate is measured.
type RateCase[P, S any] struct {
	Name   string
	Params P
	// Change returns the sketch that is measured: s itself, or another sketch made from s. If Change is
	// nil, s is measured.
	Change func(t testing.TB, s S) S
}

// Rate is the false positive rate of a sketch, as a formula predicts it.
type Rate struct {
	By   string  // the name of the formula.
	Mean float64 // the mean rate of all sketches with this number of keys.

	Sigma float64 // the standard deviation of the rates of these sketches.
	Bias  float64 // by how much the formula itself may be wrong.
}

// Near fails if got is further from the mean than the bias and four standard deviations. The deviation
// combines one sketch's rate and a sample of asked keys.
func (r Rate) Near(t testing.TB, name string, got float64, asked int) {
	t.Helper()
	sigma := math.Hypot(r.Sigma, math.Sqrt(r.Mean*(1-r.Mean)/float64(asked)))
	if math.Abs(got-r.Mean) > 4*sigma+r.Bias {
		t.Errorf("%s: measured %.6g, %s says %.6g, sigma %.2g", name, got, r.By, r.Mean, sigma)
	}
}

// Rates fills a sketch of each case to 25, 50, 75, 90 and 100% of the capacity. At each load it compares
// the fraction of absent keys that are found with the rates that predict returns for n keys.
func Rates[P comparable, S keyed.Mergeable[S], V any](
	t *testing.T, f *keyed.Family[P, S, V], capacity, asked int, cases []RateCase[P, S], predict func(t testing.TB, s S, n int) []Rate,
) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s, added := Made(t, f, c.Params), 0
			for _, load := range []int{25, 50, 75, 90, 100} {
				n := capacity * load / 100
				AddKeys(t, f, s, added, n)
				added = n
				measured := s
				if c.Change != nil {
					measured = c.Change(t, s)
				}
				got := Positives(measured, asked)
				for _, r := range predict(t, measured, n) {
					t.Logf("load %d%%: measured %.6g, %s says %.6g", load, got, r.By, r.Mean)
					r.Near(t, r.By, got, asked)
				}
			}
		})
	}
}

// AddKeys adds each integer of [from, to) once, by its hash.
func AddKeys[P comparable, S keyed.Mergeable[S], V any](t testing.TB, f *keyed.Family[P, S, V], s S, from, to int) {
	t.Helper()
	h1s, h2s := Hashes(keyed.BaseOf(s).Seed(), uint64(from), to-from)
	must(t, f.Add(s, h1s, h2s, nil))
}

// Hashes returns the hashes of n integers, beginning with first.
func Hashes(seed, first uint64, n int) (h1s, h2s []uint64) {
	h1s, h2s = make([]uint64, n), make([]uint64, n)
	for i := range h1s {
		h1s[i], h2s[i] = key.HashUint64(seed, first+uint64(i))
	}
	return h1s, h2s
}

// Positives looks up asked integers from 2^40 on, which were never added. It returns the fraction for
// which the sketch has a count.
func Positives(s keyed.Sketch, asked int) float64 {
	const batch = 4096
	found := 0
	for first := 0; first < asked; first += batch {
		h1s, h2s := Hashes(keyed.BaseOf(s).Seed(), 1<<40+uint64(first), min(batch, asked-first))
		if c, ok := s.(interface {
			ContainsHashes(dst []bool, h1s, h2s []uint64)
		}); ok {
			is := make([]bool, len(h1s))
			c.ContainsHashes(is, h1s, h2s)
			for _, there := range is {
				if there {
					found++
				}
			}
			continue
		}
		counts := make([]uint64, len(h1s))
		s.(interface{ CountHashes(dst, h1s, h2s []uint64) }).CountHashes(counts, h1s, h2s)
		for _, n := range counts {
			if n > 0 {
				found++
			}
		}
	}
	return float64(found) / float64(asked)
}

// SmallRates makes many full sketches of each of the parameters, with other seeds. It compares the
// fraction of absent keys that they find with the rates that predict returns, averaged over the
// sketches. The fraction may be at most 1.3 times as high, and four standard deviations of the sample
// more. The function seeded sets the seed.
func SmallRates[P comparable, S keyed.Mergeable[S], V any](
	t *testing.T, f *keyed.Family[P, S, V], sketches int, all []P, capacity func(p P) uint64, seeded func(p P, seed uint64) P,
	predict func(t testing.TB, p P, s S) []Rate,
) {
	t.Helper()
	asked := 2000
	if long() {
		sketches, asked = 1000, 50_000
	}
	for _, p := range all {
		found, means := 0.0, map[string]float64{}
		for seed := range uint64(sketches) {
			s := Made(t, f, seeded(p, seed))
			AddKeys(t, f, s, 0, int(capacity(p)))
			for _, r := range predict(t, p, s) {
				means[r.By] += r.Mean / float64(sketches)
			}
			found += Positives(s, asked) * float64(asked)
		}
		n := float64(sketches * asked)
		for by, mean := range means {
			// Rates vary from sketch to sketch, so the factor 1.3 is allowed.
			if most := 1.3*mean*n + 4*math.Sqrt(1.3*mean*n) + 1; found > most {
				t.Errorf("%+v: %v of %v found, at most %.1f as %s says %.3g", p, found, n, most, by, mean)
			}
		}
	}
}
