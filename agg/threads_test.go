package agg

import "testing"

// The end of a sketch may be made by two goroutines only where two threads filled it,
// whatever pages come in between; so never where DuckDB has one.
func TestSeveralThreads(t *testing.T) {
	page := func(numbers ...uint64) threads {
		var into threads // as combine begins with: filled by none
		for _, n := range numbers {
			into.add(threads{first: n})
		}
		return into
	}
	for _, of := range []struct {
		parts []threads
		want  bool
	}{
		{[]threads{page()}, false},
		{[]threads{page(7, 7), page(7)}, false},
		{[]threads{page(7), page(), page(7)}, false},
		{[]threads{page(7), page(9)}, true},
		{[]threads{page(9, 7), page(9)}, true},
		{[]threads{page(), page(7), page(), page(9)}, true},
	} {
		var into threads
		for _, p := range of.parts {
			into.add(p)
		}
		if into.several != of.want {
			t.Errorf("%+v: several threads: %v", of.parts, into.several)
		}
	}
}
