package cbf

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func mustNew(t testing.TB, p Params) *Sketch { t.Helper(); return conform.Made(t, Family, p) }

// forms returns the six forms of a filter, at sizes that a few hundred keys fill.
func forms() (ps []Params) {
	for _, v := range []Variant{Plain, Increment, Tandem} {
		for _, variable := range []bool{false, true} {
			ps = append(ps, Params{Capacity: 400, Counters: 1600, K: 3, Variant: v, VariableLength: variable, Seed: 3})
		}
	}
	return ps
}

func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		p                    Params
		bits, inc, capacity  uint64
		leastFull, mostWhole float64 // of the predicted rate when full
	}{
		{Params{}, 4, 1, 100_000, 0.0099, 0.01},
		{Params{Variant: Increment}, 4, 2, 100_000, 0.0099, 0.01},
		{Params{Variant: Tandem, FPP: 1e-5}, 4, 2, 100_000, 0.99e-5, 1e-5},
		{Params{VariableLength: true, Capacity: 5000, FPP: 0.001}, 4, 1, 5000, 0.98e-3, 1e-3},
		{Params{Variant: Increment, VariableLength: true, K: 2}, 8, 2, 100_000, 0.0099, 0.01},
		{Params{Variant: Tandem, CounterBits: 8}, 8, 8, 100_000, 0.0099, 0.01},
		{Params{Variant: Tandem, CounterBits: 16}, 16, 64, 100_000, 0.0099, 0.01},
		{Params{Variant: Tandem, CounterBits: 16, VariableLength: true}, 16, 8, 100_000, 0.0099, 0.01},
		{Params{Counters: 1000, K: 7, CounterBits: 8}, 8, 1, 99, 0, 1},
		{Params{Counters: 1000}, 4, 1, 174, 0, 1},
	} {
		s := mustNew(t, c.p)
		if s.width != c.bits || s.inc != c.inc || s.capacity != c.capacity {
			t.Errorf("%+v: %d bits, L %d, capacity %d", c.p, s.width, s.inc, s.capacity)
		}
		if r := s.rate(float64(s.capacity)); r < c.leastFull || r > c.mostWhole {
			t.Errorf("%+v: rate %v when full", c.p, r)
		}
	}
	// The textbook's sizes: k = log2(1/fpp), m = n*k/ln 2 for the best k.
	s := mustNew(t, Params{Capacity: 1_000_000, FPP: 0.01})
	if m := float64(s.Counters()); s.K() != 7 || math.Abs(m/9_585_059-1) > 0.003 {
		t.Errorf("a million keys at 1%%: %v counters, k %d; textbook 9,585,059 (for k = 6.64) and 7", m, s.K())
	}
	// The best k for a size: m/n*ln 2 = 6.9.
	if s := mustNew(t, Params{Capacity: 1000, Counters: 10_000}); s.K() != 7 {
		t.Errorf("10 counters per key: k %d", s.K())
	}
}

func TestOptionErrors(t *testing.T) {
	for want, p := range map[string]Params{
		`option "fpp" is 0.1 and "counters" is 5: give one of them`:                                                             {FPP: 0.1, Counters: 5},
		`option "fpp" is 1, must be between 0 and 1`:                                                                            {FPP: 1},
		`option "fpp" is -0.5, must be between 0 and 1`:                                                                         {FPP: -0.5},
		`option "fpp" is NaN, must be between 0 and 1`:                                                                          {FPP: math.NaN()},
		`option "k" is 33, must be from 1 to 32`:                                                                                {K: 33},
		`option "capacity" is 1099511627777, must be from 1 to 1099511627776`:                                                   {Capacity: 1<<40 + 1},
		`option "capacity" is 1000000000, at "fpp" 0.01 that is 9.59e+09 counters of 4 bits, at most 2147483648 are allowed`:    {Capacity: 1e9},
		`option "counters" is 2147483649, must be from 1 to 2147483648 of 4 bits`:                                               {Counters: 1<<31 + 1},
		`option "counters" is 18446744073709551615, must be from 1 to 536870912 of 16 bits`:                                     {Counters: math.MaxUint64, CounterBits: 16},
		`option "counter_bits" is 5, must be 2, 4, 8 or 16 for the variant 'plain'`:                                             {CounterBits: 5},
		`option "counter_bits" is 32, must be 2, 4, 8 or 16 for the variant 'plain'`:                                            {CounterBits: 32},
		`option "counter_bits" is 2, must be 4, 8 or 16 for the variant 'plain' with variable length`:                           {CounterBits: 2, VariableLength: true},
		`option "counter_bits" is 2, must be 4, 8 or 16 for the variant 'tandem'`:                                               {CounterBits: 2, Variant: Tandem},
		`option "counter_bits" is 4, must be 8 or 16 for the variant 'increment' with variable length`:                          {CounterBits: 4, Variant: Increment, VariableLength: true},
		`option "increment" is 3, must be a power of two from 2 to 4 for "counter_bits" 4 for the variant 'tandem'`:             {Increment: 3, Variant: Tandem},
		`option "increment" is 1, must be a power of two from 2 to 64 for "counter_bits" 16 for the variant 'increment'`:        {Increment: 1, Variant: Increment, CounterBits: 16},
		`option "increment" is 8, must be a power of two from 2 to 4 for "counter_bits" 8 for the variant 'increment' with var`: {Increment: 8, Variant: Increment, CounterBits: 8, VariableLength: true},
		`option "increment" is 2, but the variant is 'plain'`:                                                                   {Increment: 2},
		`option "alpha" is 0.5, but "variable_length" is false`:                                                                 {Alpha: 0.5},
		`option "alpha" is 1.5, must be above 0 and at most 1`:                                                                  {Alpha: 1.5, VariableLength: true},
		`option "alpha" is NaN, must be above 0 and at most 1`:                                                                  {Alpha: math.NaN(), VariableLength: true},
		`option "variant" is variant 7, must be 'plain', 'increment' or 'tandem'`:                                               {Variant: 7},
	} {
		_, err := New(p)
		if !errors.Is(err, sketch.ErrOption) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", p, err, want)
		}
	}
}

// The upper halves go with the first occurrence beyond alpha*capacity, and
// never come back.
func TestThreshold(t *testing.T) {
	for _, v := range []Variant{Plain, Increment, Tandem} {
		s := mustNew(t, Params{Capacity: 100, Counters: 1000, K: 3, Variant: v, VariableLength: true, Alpha: 0.29})
		for i := range uint64(28) { // 0.29*100 is 28.999999999999996
			h1, h2 := key.HashUint64(0, i)
			s.Add(h1, h2, 1)
		}
		if !s.Halves() {
			t.Errorf("%v: 28 of 29: dropped", v)
		}
		h1, h2 := key.HashUint64(0, 0)
		if err := s.Remove(h1, h2, 1); err != nil {
			t.Fatal(err)
		}
		s.Add(h1, h2, 1)
		if !s.Halves() {
			t.Errorf("%v: dropped after a removal and an addition", v)
		}
		s.Add(h1, h2, 2)
		if s.Halves() {
			t.Errorf("%v: 30 of 29: kept", v)
		}
		for i := range uint64(28) {
			h1, h2 := key.HashUint64(0, i)
			if err := s.Remove(h1, h2, 1); err != nil {
				t.Fatal(err)
			}
		}
		if s.Halves() || s.K() != 3 {
			t.Errorf("%v: halves came back", v)
		}
		h1, h2 = key.HashUint64(0, 1)
		s = mustNew(t, Params{Capacity: 100, Counters: 1000, K: 3, Variant: v, VariableLength: true, Alpha: 1})
		s.Add(h1, h2, math.MaxUint64)
		s.Add(h1, h2, 2)
		if _, known := s.Total(); known || s.Halves() {
			t.Errorf("%v: total known %v, halves %v beyond 2^64", v, known, s.Halves())
		}
	}
}

func TestRefusedRemovals(t *testing.T) {
	all := forms()
	for i := range all {
		all[i].Counters, all[i].K = 64, 8
	}
	conform.RefusedRemovals(t, Family, 2, all)
}

func TestUnionsThatDiffer(t *testing.T) {
	base := Params{Capacity: 100, Counters: 1000, K: 3, CounterBits: 8, Variant: Tandem, Increment: 4, VariableLength: true}
	conform.Differing(t, Family, base, map[string]func(p *Params){
		"variant tandem vs increment":   func(p *Params) { p.Variant = Increment },
		"counter bits 8 vs 16":          func(p *Params) { p.CounterBits = 16 },
		"counters 1000 vs 1008":         func(p *Params) { p.Counters = 1001 },
		"k 3 vs 4":                      func(p *Params) { p.K = 4 },
		"increment 4 vs 2":              func(p *Params) { p.Increment = 2 },
		"variable length true vs false": func(p *Params) { p.VariableLength = false },
		"alpha 0.5 vs 0.75":             func(p *Params) { p.Alpha = 0.75 },
		"capacity 100 vs 101":           func(p *Params) { p.Capacity = 101 },
		"seed 0 vs 1":                   func(p *Params) { p.Seed = 1 },
	})
}

// A union of filters in different phases is in the second phase. A union of two in the first phase
// stays there as long as both together are few enough.
func TestUnionOfPhases(t *testing.T) {
	for _, v := range []Variant{Plain, Increment, Tandem} {
		p := Params{Capacity: 200, Counters: 4000, K: 3, Variant: v, VariableLength: true}
		part := func(from, n uint64) *Sketch {
			s := mustNew(t, p)
			h1s, h2s := conform.Hashes(0, from, int(n))
			s.AddHashes(h1s, h2s, nil)
			return s
		}
		for _, c := range []struct {
			a, b   uint64
			halves bool
		}{{40, 60, true}, {40, 61, false}, {10, 150, false}, {150, 10, false}, {120, 130, false}, {0, 100, true}} {
			for _, blob := range []bool{false, true} {
				a, b := part(0, c.a), part(1000, c.b)
				err := error(nil)
				if blob {
					err = a.UnionBlob(b.Blob())
				} else {
					err = a.Union(b)
				}
				if err != nil || a.Halves() != c.halves {
					t.Errorf("%v: %d and %d: halves %v, error %v", v, c.a, c.b, a.Halves(), err)
				}
				for _, of := range [][2]uint64{{0, c.a}, {1000, c.b}} {
					h1s, h2s := conform.Hashes(0, of[0], int(of[1]))
					for i, h1 := range h1s {
						if !a.Contains(h1, h2s[i]) {
							t.Fatalf("%v: %d and %d: key %d is missing", v, c.a, c.b, i)
						}
					}
				}
				if err := Check(a.Blob()); err != nil {
					t.Error(err)
				}
			}
		}
		s := part(0, 70)
		if err := s.Union(s); err != nil || s.Halves() {
			t.Errorf("%v: a union with itself: halves %v, error %v", v, s.Halves(), err)
		}
		h1, h2 := key.HashUint64(0, 5)
		if err := s.Remove(h1, h2, 2); err != nil {
			t.Errorf("%v: twice in a union with itself: %v", v, err)
		}
	}
}

// Past the threshold too, the order of additions and unions leaves no trace
// where no half was stuck.
func TestOrderPastThreshold(t *testing.T) {
	for _, v := range []Variant{Plain, Increment, Tandem} {
		p := Params{Capacity: 400, Counters: 2400, K: 3, CounterBits: 16, Variant: v, VariableLength: true, Seed: 3}
		h1s, h2s := conform.Hashes(p.Seed, 0, int(500))
		whole := mustNew(t, p)
		whole.AddHashes(h1s, h2s, nil)
		back := mustNew(t, p)
		for i := len(h1s) - 1; i >= 0; i-- {
			back.Add(h1s[i], h2s[i], 1)
		}
		united := mustNew(t, p)
		for i := 0; i < len(h1s); i += 50 {
			part := mustNew(t, p)
			part.AddHashes(h1s[i:i+50], h2s[i:i+50], nil)
			if err := united.UnionBlob(part.Blob()); err != nil {
				t.Fatal(err)
			}
		}
		if whole.Halves() || whole.Saturated() {
			t.Errorf("%v: halves %v, stuck %v", v, whole.Halves(), whole.Saturated())
		}
		if !bytes.Equal(whole.Blob(), back.Blob()) || !bytes.Equal(whole.Blob(), united.Blob()) {
			t.Errorf("%v: the order shows", v)
		}
	}
}

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
