package keyed

import (
	"errors"
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func TestInterval(t *testing.T) {
	for _, c := range []struct {
		in     Interval
		text   string
		has    []float64
		hasNot []float64
	}{
		{Interval{Least: 0, Most: 1, AboveLeast: true, Below: true}, "between 0 and 1", []float64{1e-300, 0.5}, []float64{0, 1, -1, math.NaN(), math.Inf(1)}},
		{Interval{Least: 0, Most: 1, AboveLeast: true}, "above 0 and at most 1", []float64{0.5, 1}, []float64{0, 1.1, math.NaN()}},
		{Interval{Least: 1e-18, Most: 1, Below: true}, "from 1e-18 to below 1", []float64{1e-18}, []float64{1e-19, 1}},
		{Interval{Least: 2, Most: 3}, "from 2 to 3", []float64{2, 3}, []float64{1.9, 3.1}},
	} {
		if c.in.String() != c.text {
			t.Errorf("%q, want %q", c.in, c.text)
		}
		for _, v := range c.has {
			if !c.in.Has(v) {
				t.Errorf("%v has no %v", c.in, v)
			}
		}
		for _, v := range c.hasNot {
			if c.in.Has(v) {
				t.Errorf("%v has %v", c.in, v)
			}
		}
	}
}

type params struct {
	Width   uint64
	Epsilon float64
	Seed    uint64
}

// The range that an option states is the one that it and New check, and the one
// in the words of the reference.
func TestOptions(t *testing.T) {
	options := Options[params]{
		WholeOption("width", 1, 32, "7", "Counters.", func(p *params) *uint64 { return &p.Width }),
		NumberOption("epsilon", Interval{Least: 0, Most: 1, AboveLeast: true}, "0.1", "Part.", func(p *params) *float64 { return &p.Epsilon }),
		SeedOption(func(p *params) *uint64 { return &p.Seed }),
	}
	if got := options[0].Range; got != "from 1 to 32" {
		t.Errorf("range %q", got)
	}
	for want, p := range map[string]params{
		`option "width" is 33, must be from 1 to 32`:             {Width: 33},
		`option "epsilon" is -1, must be above 0 and at most 1`:  {Epsilon: -1},
		`option "epsilon" is NaN, must be above 0 and at most 1`: {Epsilon: math.NaN()},
		``: {Width: 32, Epsilon: 1, Seed: math.MaxUint64},
	} {
		err := options.Check(p)
		if want == "" && err == nil {
			continue
		}
		if !errors.Is(err, sketch.ErrOption) || err.Error() != want {
			t.Errorf("%+v: %v, want %s", p, err, want)
		}
	}
	s := &settings[params]{options: options, defaults: func(p *params) { p.Epsilon = 0.5 }}
	if err := s.Set(0, sketch.Value{}); err == nil || err.Error() != `option "width" is 0, must be from 1 to 32` {
		t.Error(err)
	}
	s.Reset()
	if err := s.Set(0, sketch.Value{Whole: 5}); err != nil {
		t.Fatal(err)
	}
	first := s.Params()
	if first != any(params{Width: 5, Epsilon: 0.5}) {
		t.Errorf("%+v", first)
	}
	// Rows with the same options cost no allocation.
	if n := testing.AllocsPerRun(100, func() {
		s.Reset()
		_ = s.Set(0, sketch.Value{Whole: 5})
		if s.Params() != first {
			t.Error("other params")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
