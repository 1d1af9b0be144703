package sbf

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func mustNew(t testing.TB, p Params) *Sketch { t.Helper(); return conform.Made(t, Family, p) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestShape(t *testing.T) {
	ten := Range{1, 10}
	for _, c := range []struct {
		p             Params
		first, second uint64
		err           string
	}{
		{p: Params{}, first: 714290}, // ceil(5 * 100000 / 0.7), in rows of the same length
		{p: Params{Capacity: 1000}, first: 7145},
		{p: Params{Capacity: 1000, K: 7}, first: 10003},
		{p: Params{Capacity: 1, K: 1}, first: 2},
		{p: Params{Capacity: 1, Method: RM}, first: 10, second: 5},
		{p: Params{Counters: 900, Method: RM}, first: 900, second: 450},
		{p: Params{Counters: 901, Method: TRM, Marker: Unmarked}, first: 905, second: 455},
		{p: Params{Bytes: 1 << 20}, first: 1<<19 + 2},
		// 16 bits for each of 1.5 times the first filter's counters, and a bit:
		// 25 bits for 2^20 bytes are 335544 counters.
		{p: Params{Bytes: 1 << 20, Method: RM}, first: 335545, second: 167775},
		{p: Params{Bytes: 1 << 20, Method: RM, Marker: Unmarked}, first: 349530, second: 174765},
		{p: Params{Bytes: 1}, first: 5},
		{p: Params{Bytes: MaxBody / 4}, first: maxCounters - 3}, // rounded down
		{p: Params{Counters: 65, Blocked: true}, first: 128},
		{p: Params{Counters: 300, Blocked: true, Method: RM}, first: 320, second: 192},
		// 10 keys are in 10 nodes of 1, 5 of 2, 3 of 4 and 2 of 8. 3 keys are in at most 3 + 3 + 3 + 2
		// of them.
		{p: Params{Capacity: 1000, Range: ten}, first: 145},
		{p: Params{Capacity: 3, Range: ten}, first: 80},
		{p: Params{Counters: 5, Range: Range{math.MinInt64, math.MaxInt64}}, first: 5},
		{p: Params{Marker: Marked}, err: `option "marker" is true in a sketch of method ms`},
		{p: Params{Counters: 1 << 27, Method: RM}, err: `option "counters" is 134217728, must be from "k" 5 to 89478484`},
		{p: Params{K: 33}, err: `option "k" is 33, must be from 1 to 32`},
		{p: Params{Capacity: 1, Bytes: 2}, err: `option "capacity" is 1 and "bytes" is 2: give one of them`},
		{p: Params{Capacity: 1, Counters: 2}, err: `option "capacity" is 1 and "counters" is 2: give one of them`},
		{p: Params{Bytes: 1, Counters: 2}, err: `option "bytes" is 1 and "counters" is 2: give one of them`},
		{p: Params{Counters: 4}, err: `option "counters" is 4, must be from "k" 5 to 134217728`},
		{p: Params{Counters: 1<<27 + 1}, err: `option "counters" is 134217729, must be from "k" 5 to 134217728`},
		{p: Params{Bytes: 1<<30 + 1}, err: `option "bytes" is 1073741825, must be from 1 to 1073741824`},
		{p: Params{Bytes: 1 << 29}, err: `option "bytes" is 536870912, at most 134217728 counters are allowed`},
		{p: Params{Capacity: 1 << 27}, err: `option "capacity" is 134217728, which needs 9.59e+08 counters, at most 134217728 are allowed`},
		{p: Params{Capacity: math.MaxUint64}, err: `option "capacity" is 18446744073709551615, must be from 1 to 134217728`},
		{p: Params{Capacity: 1e6, Range: Range{math.MinInt64, math.MaxInt64}}, err: `option "capacity" is 1000000, which needs 3.29e+08 counters, at most 134217728 are allowed`},
		{p: Params{Method: 4}, err: `option "method" is 4, must be from 0 to 3`},
		{p: Params{Encoding: 4}, err: `option "encoding" is 4, must be from 0 to 3`},
		{p: Params{Range: Range{5, 5}}, err: `option "range" is 5 to 5, must begin below its end`},
		{p: Params{Range: Range{5, -5}}, err: `option "range" is 5 to -5, must begin below its end`},
	} {
		s, err := c.p.shape()
		if c.err != "" {
			if !errors.Is(err, sketch.ErrOption) || !strings.HasSuffix(err.Error(), c.err) {
				t.Errorf("%+v: %v, want %s", c.p, err, c.err)
			}
			if s, err := New(c.p); s != nil || err == nil {
				t.Errorf("%+v: New accepts it", c.p)
			}
			continue
		}
		if err != nil || s.m != c.first || s.secondM != c.second {
			t.Errorf("%+v: %d and %d counters, error %v, want %d and %d", c.p, s.m, s.secondM, err, c.first, c.second)
		}
	}
}

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

// TestRows: the counters sum to k for every occurrence, because method ms adds one to each.
func TestRows(t *testing.T) {
	for _, e := range []Encoding{Plain, Elias, Steps, Index} {
		s, err := New(Params{Counters: 1000, K: 3, Encoding: e})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(500) {
			s.Add(i<<32, i<<1|1, i%7)
		}
		v, err := NewView(s.Blob())
		must(t, err)
		rows, err := v.Rows()
		must(t, err)
		total, _ := s.Total()
		sum := uint64(0)
		for _, n := range rows[0] {
			sum += n
		}
		if sum != 3*total {
			t.Errorf("%v: counters sum to %d, want %d", e, sum, 3*total)
		}
	}
}
