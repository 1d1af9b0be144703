package sbf

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// absentRate returns the probability that a key that was never added has a count, and its standard
// deviation in one sketch. The k counters of n keys are in m (section 2.1, claim 1). The number of
// empty ones has the variance m*e^-g*(1 - (1+g)*e^-g) for g = n*k/m (occupancy of m urns).
func absentRate(n, m, k float64) (mean, deviation float64) {
	fill := 1 - math.Pow(1-1/m, k*n)
	g := n * k / m
	dfill := math.Sqrt(math.Exp(-g) * (1 - (1+g)*math.Exp(-g)) / m)
	return math.Pow(fill, k), k * math.Pow(fill, k-1) * dfill
}

// blockedRate is absentRate for blocks of 64. The number j of keys in a block has a binomial
// distribution. After j keys with k counters each, inclusion and exclusion give the probability that k
// different counters of 64 are all used.
func blockedRate(n, blocks int, k int) (mean, deviation float64) {
	choose := func(n, k int) float64 {
		c := 1.0
		for i := range k {
			c *= float64(n-i) / float64(i+1)
		}
		return c
	}
	q := 1 / float64(blocks)
	p, square := math.Pow(1-q, float64(n)), 0.0
	for j := range min(n, 200) {
		rate := 0.0
		for i := range k + 1 {
			rate += math.Pow(-1, float64(i)) * choose(k, i) * math.Pow(choose(64-i, k)/choose(64, k), float64(j))
		}
		mean += p * rate
		square += p * rate * rate
		p *= float64(n-j) / float64(j+1) * q / (1 - q)
	}
	return mean, math.Sqrt((square - mean*mean) / float64(blocks))
}

// The measured rate of false positives agrees with the formula, for every method and at all loads.
func TestFalsePositives(t *testing.T) {
	const capacity, asked = 20_000, 100_000
	sized := func(p Params) Params { p.Capacity = capacity; return p }
	conform.Rates(t, Family, capacity, asked, []conform.RateCase[Params, *Sketch]{
		{Name: "ms", Params: sized(Params{})},
		{Name: "mi", Params: sized(Params{Method: MI})},
		{Name: "rm", Params: sized(Params{Method: RM})},
		{Name: "trm", Params: sized(Params{Method: TRM, Marker: Unmarked})},
		{Name: "k 3", Params: sized(Params{K: 3})},
		{Name: "k 8", Params: sized(Params{K: 8})},
		{Name: "blocked", Params: sized(Params{Blocked: true})},
		{Name: "blocked mi", Params: sized(Params{Method: MI, Blocked: true})},
	}, func(_ testing.TB, s *Sketch, n int) []conform.Rate {
		mean, sigma := absentRate(float64(n), float64(s.m), float64(s.k))
		if s.blocked {
			mean, sigma = blockedRate(n, int(s.m/64), s.k)
		}
		return []conform.Rate{{By: "the formula", Mean: mean, Sigma: sigma}}
	})
}

// The boosted estimate is the median of the means of the groups, each made unbiased by itself (lemma 3). In a
// range, every level counts a key.
func TestBoosted(t *testing.T) {
	for _, c := range []struct {
		p      Params
		levels float64
	}{{Params{}, 1}, {Params{Method: RM}, 1}, {Params{Range: Range{0, 63}}, 6}} {
		c.p.Counters, c.p.K = 105, 7
		s := mustNew(t, c.p)
		for v := range int64(50) {
			must(t, s.AddInt(v, uint64(v*v%17)))
		}
		total, _ := s.Total()
		for v := range uint64(50) {
			h1, h2 := key.HashUint64(0, v)
			pos := s.firstPositions(new([MaxK]uint32), h1, h2)
			for groups, parts := range map[int][]int{1: {7}, 2: {3, 4}, 3: {2, 2, 3}, 7: {1, 1, 1, 1, 1, 1, 1}} {
				var means []float64
				at := 0
				for _, n := range parts {
					sum := 0.0
					for _, p := range pos[at : at+n] {
						sum += float64(s.first.at(p))
					}
					means = append(means, (sum/float64(n)-7*c.levels*float64(total)/105)/(1-7./105))
					at += n
				}
				slices.Sort(means)
				want := (means[(groups-1)/2] + means[groups/2]) / 2
				if got, err := s.Unbiased(h1, h2, groups); err != nil || math.Abs(got-want) > 1e-9*math.Abs(want)+1e-9 {
					t.Fatalf("%+v: key %d in %d groups: %v, error %v, want %v", c.p, v, groups, got, err, want)
				}
			}
		}
	}
	s := mustNew(t, Params{Counters: 105, K: 7})
	for _, groups := range []int{0, 8} {
		if _, err := s.Unbiased(1, 1, groups); !errors.Is(err, sketch.ErrOption) {
			t.Errorf("%d groups: %v", groups, err)
		}
	}
	if _, err := mustNew(t, Params{Counters: 5}).Unbiased(1, 1, 1); !errors.Is(err, sketch.ErrOption) {
		t.Errorf("as many counters as k: %v", err)
	}
}

// Sums over every range of a small domain are exact where counters are not
// shared, and never below the truth where they are.
func TestRangeSum(t *testing.T) {
	for _, span := range []Range{{-13, 50}, {0, 1}, {-7, 29}, {math.MinInt64, math.MinInt64 + 40}, {math.MaxInt64 - 33, math.MaxInt64}} {
		n := int(span.Hi - span.Lo + 1)
		wide, narrow := mustNew(t, Params{Counters: 1 << 20, Range: span}), mustNew(t, Params{Counters: 100, Method: MI, Range: span})
		truth := make([]uint64, n)
		r := rand.New(rand.NewPCG(2, 2))
		for range 100 {
			i, w := r.IntN(n), r.Uint64N(5)
			truth[i] += w
			must(t, wide.AddInt(span.Lo+int64(i), w))
			must(t, narrow.AddInt(span.Lo+int64(i), w))
		}
		view, err := NewView(narrow.Blob())
		must(t, err)
		for i := range n {
			sum := uint64(0)
			for j := i; j < n; j++ {
				sum += truth[j]
				lo, hi := span.Lo+int64(i), span.Lo+int64(j)
				if got, err := wide.RangeSum(lo, hi); err != nil || got != sum {
					t.Fatalf("%v: sum from %d to %d is %d, error %v, want %d", span, lo, hi, got, err, sum)
				}
				got, err := narrow.RangeSum(lo, hi)
				if err != nil || got < sum {
					t.Fatalf("%v: sum from %d to %d is %d, error %v, there are %d", span, lo, hi, got, err, sum)
				}
				if other, err := view.RangeSum(lo, hi); err != nil || other != got {
					t.Fatalf("%v: sum from %d to %d is %d on the BLOB, error %v, %d decoded", span, lo, hi, other, err, got)
				}
			}
		}
		total, _ := wide.Total()
		if got, err := wide.RangeSum(math.MinInt64, math.MaxInt64); err != nil || got != total {
			t.Errorf("%v: the sum of all is %d, error %v, want %d", span, got, err, total)
		}
		if _, err := wide.RangeSum(span.Hi, span.Lo); !errors.Is(err, sketch.ErrOption) || !strings.Contains(err.Error(), "above \"hi\"") {
			t.Errorf("%v, reversed: %v", span, err)
		}
	}
}

func TestRangeErrors(t *testing.T) {
	s := mustNew(t, Params{Range: Range{10, 20}})
	for v, want := range map[int64]string{9: "key 9 is outside the range 10 to 20", 21: "key 21 is outside the range 10 to 20"} {
		if err := s.AddInt(v, 1); !errors.Is(err, ErrOutside) || err.Error() != want {
			t.Error(err)
		}
		if err := s.RemoveInt(v, 1); !errors.Is(err, ErrOutside) || err.Error() != want {
			t.Error(err)
		}
	}
	if err := s.AddKey(key.AppendUint64(nil, 1<<63), 1); !errors.Is(err, ErrOutside) {
		t.Error(err)
	}
	if _, err := mustNew(t, Params{}).RangeSum(1, 2); !errors.Is(err, sketch.ErrOption) ||
		err.Error() != `option "range" is not set, must be given when the sketch is built, for sums over a range` {
		t.Error(err)
	}
	defer func() {
		if r := recover(); fmt.Sprint(r) != "sbf: a sketch with a range takes keys, not hashes" {
			t.Errorf("a hash added to a sketch with a range: %v", r)
		}
	}()
	s.Add(1, 1, 1)
}

// A range takes few counts, whatever its length: 2*log2 of it (theorem 11).
func TestRangePieces(t *testing.T) {
	s := mustNew(t, Params{Range: Range{math.MinInt64, math.MaxInt64}, Counters: 100})
	r := rand.New(rand.NewPCG(5, 5))
	for range 20_000 {
		lo, hi := int64(r.Uint64()), int64(r.Uint64())
		if r.IntN(2) == 0 {
			hi = lo + int64(r.Uint64()>>(1+r.UintN(63)))
		}
		if lo > hi {
			continue
		}
		pieces := 0
		s.span.cover(lo, hi, func(int, uint64) { pieces++ })
		if most := max(1, 2*math.Ceil(math.Log2(float64(uint64(hi)-uint64(lo))+1))); float64(pieces) > most {
			t.Fatalf("from %d to %d: %d pieces, at most %v", lo, hi, pieces, most)
		}
	}
}
