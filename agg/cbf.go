package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// CBF are the aggregate functions of the counting Bloom filter.
func CBF() []duck.Function {
	return CBFKeyed.aggregates(
		"Counting Bloom filter: a set of keys that can be removed again.",
		"SELECT cbf_contains(cbf_agg(word), 'or') FROM (VALUES ('to'), ('be'), ('or'), ('not'), ('to'), ('be')) t(word)",
		"Union of filters: the filter of all their keys together.",
		"SELECT cbf_contains(cbf_union_agg(s), 3) FROM (SELECT cbf_agg(x % 5) s FROM range(10) t(x) GROUP BY x % 2)")
}

// CBFKeyed is the family to what all families of keyed sketches share.
var CBFKeyed = &Keyed[cbf.Params, *cbf.Sketch]{
	Name: "cbf",
	Settings: []Setting[cbf.Params]{
		whole("capacity", "100000", "Keys that the filter is made for, each counted as often as it is added, from 1 to 2^40. With more of them more absent keys are found.",
			func(p *cbf.Params) *uint64 { return &p.Capacity }),
		number("fpp", "0.01", "Probability that an absent key is found when the filter is full. Between 0 and 1.",
			func(p *cbf.Params) *float64 { return &p.FPP }),
		whole("counters", "what capacity and fpp need", "Number of counters, rounded up to whole words of 64 bits. In place of fpp.",
			func(p *cbf.Params) *uint64 { return &p.Counters }),
		whole("k", "the best for the rest", "Counters per key, from 1 to 32.",
			func(p *cbf.Params) *uint64 { return &p.K }),
		whole("counter_bits", "4", "Bits of a counter: 2, 4, 8 or 16; at least 4 for the variants other than 'plain' and for variable_length, "+
			"at least 8 for both together, then 8 by default.",
			func(p *cbf.Params) *uint64 { return &p.CounterBits }),
		choice("variant", "What a key adds to its counters. 'plain': 1. 'increment': a number that its hash chooses, so that a counter also says which keys "+
			"it cannot be of. 'tandem': such a number, and more of the key where it is alone in two counters.",
			func(p *cbf.Params) *cbf.Variant { return &p.Variant }, cbf.Plain, cbf.Increment, cbf.Tandem),
		whole("increment", "2 for 4 bits, 8 for 8, 64 for 16", "L: numbers are from L to 2L-1. A power of two from 2 to 64 and to a quarter of what a counter holds, "+
			"or half a counter with variable_length. Larger ones find fewer absent keys and make more counters stuck.",
			func(p *cbf.Params) *uint64 { return &p.Increment }),
		flag("variable_length", "Cut counters in two halves, for twice as many counters per key, while not more than alpha times capacity keys are there.",
			func(p *cbf.Params) *bool { return &p.VariableLength }),
		number("alpha", "0.5", "Part of the capacity up to which variable_length uses halves. Above 0, at most 1.",
			func(p *cbf.Params) *float64 { return &p.Alpha }),
		seed(func(p *cbf.Params) *uint64 { return &p.Seed }),
	},
	Defaults: func(p *cbf.Params) {
		if p.Counters == 0 {
			if p.Capacity == 0 {
				p.Capacity = cbf.DefaultCapacity
			}
			if p.FPP == 0 {
				p.FPP = cbf.DefaultFPP
			}
		}
		if p.VariableLength && p.Alpha == 0 {
			p.Alpha = cbf.DefaultAlpha
		}
	},
	New: cbf.New, Decode: cbf.Decode,
	Add: unfailing((*cbf.Sketch).AddHashes),
}
