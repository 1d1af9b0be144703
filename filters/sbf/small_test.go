package sbf

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// Info.ErrorRate of a small sketch is the measured rate.
func TestErrorRateOfSmallSketches(t *testing.T) {
	var all []Params
	for _, p := range []Params{{}, {Method: MI}, {Method: RM}, {Blocked: true}} {
		for _, p.Capacity = range []uint64{1, 2, 4, 8, 16, 32, 100} {
			for _, p.K = range []uint64{1, 2, 5, 8, 16, 32} {
				all = append(all, p)
			}
		}
	}
	conform.SmallRates(t, Family, 100, all, func(p Params) uint64 { return p.Capacity },
		func(p Params, seed uint64) Params { p.Seed = seed; return p },
		func(t testing.TB, _ Params, s *Sketch) []conform.Rate {
			v, err := NewView(s.Blob())
			must(t, err)
			return []conform.Rate{{By: "ErrorRate", Mean: v.Info().ErrorRate}}
		})
}

// TestValues: the counters sum to k for every occurrence, because method ms adds one to each. An index
// has parts, which sum to its memory.
func TestValues(t *testing.T) {
	for _, e := range []Encoding{Plain, Elias, Steps, Index} {
		s, err := New(Params{Counters: 1000, K: 3, Encoding: e})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(500) {
			s.Add(i<<32, i<<1|1, i%7)
		}
		total, _ := s.Total()
		sum := uint64(0)
		for _, v := range s.Values() {
			sum += v
		}
		if sum != 3*total {
			t.Errorf("%v: counters sum to %d, want %d", e, sum, 3*total)
		}
		parts, ok := s.IndexParts()
		if ok != (e == Index) {
			t.Errorf("%v: parts %v", e, ok)
		}
		if ok && parts.Total() != 8*uint64(s.first.bytes()) {
			t.Errorf("parts sum to %d bits of %d bytes", parts.Total(), s.first.bytes())
		}
	}
}
