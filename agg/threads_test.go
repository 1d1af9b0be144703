package agg

import "testing"

// The end of a sketch may be made by two goroutines only where two threads filled it,
// whatever pages come in between; so never where DuckDB has one.
func TestSeveralThreads(t *testing.T) {
	page := func(threads ...uint64) *ccbfPage {
		var into ccbfPage // as combine begins with: filled by none
		for _, n := range threads {
			into.join(&ccbfPage{thread: n})
		}
		return &into
	}
	for _, of := range []struct {
		parts []*ccbfPage
		want  bool
	}{
		{[]*ccbfPage{page()}, false},
		{[]*ccbfPage{page(7, 7), page(7)}, false},
		{[]*ccbfPage{page(7), page(), page(7)}, false},
		{[]*ccbfPage{page(7), page(9)}, true},
		{[]*ccbfPage{page(9, 7), page(9)}, true},
		{[]*ccbfPage{page(), page(7), page(), page(9)}, true},
	} {
		var into ccbfPage
		for _, p := range of.parts {
			into.join(p)
		}
		if into.several != of.want {
			t.Errorf("%+v: several threads: %v", of.parts, into.several)
		}
	}
}
