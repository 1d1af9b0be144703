package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// SBF are the aggregate functions of the Spectral Bloom Filter.
func SBF() []duck.Function {
	return SBFKeyed.aggregates(
		"Spectral Bloom Filter of how often each key occurs.",
		"SELECT sbf_get(sbf_agg(word), 'to') FROM (VALUES ('to'), ('be'), ('or'), ('not'), ('to'), ('be')) t(word)",
		"Union of sketches: the sketch of all their keys together. Of methods rm and trm it keeps the first filter alone.",
		"SELECT sbf_get(sbf_union_agg(s), 3) FROM (SELECT sbf_agg(x % 5) s FROM range(10) t(x) GROUP BY x % 2)")
}

// SBFKeyed is the family to what all families of keyed sketches share. rm and
// trm gather exact counts while they are built: DuckDB builds in parts and in
// any order, and their filters cannot be added.
var SBFKeyed = &Keyed[sbf.Params, *sbf.Sketch]{
	Name: "sbf",
	Settings: []Setting[sbf.Params]{
		whole("capacity", "100000", "Different keys that the filter is laid out for, from 1. With method ms and k = 5, 1 in 30 of them then has too high a count.",
			func(p *sbf.Params) *uint64 { return &p.Capacity }),
		whole("bytes", "what capacity needs", "Size with counters of 16 bits; smaller counts take half of it. In place of capacity.",
			func(p *sbf.Params) *uint64 { return &p.Bytes }),
		whole("counters", "ceil(k * capacity / 0.7)", "Number of counters, from k; methods rm and trm share them between two filters. In place of capacity.",
			func(p *sbf.Params) *uint64 { return &p.Counters }),
		whole("k", "5", "Counters of a key, from 1 to 32.",
			func(p *sbf.Params) *uint64 { return &p.K }),
		choice("method", "'ms': every counter of a key counts; keys can be removed. 'mi': only the least ones do; closest for what is added row by row, nothing can be removed. "+
			"'rm', 'trm': keys whose count would be wrong are in a second filter. Built by sbf_agg they are next to exact, and it keeps the exact counts until then.",
			func(p *sbf.Params) *sbf.Method { return &p.Method }, sbf.MS, sbf.MI, sbf.RM, sbf.TRM),
		sbfMarker,
		choice("encoding", "How counters are written. 'plain': words as wide as the largest needs. 'elias', 'steps': codes, small where most counts are. "+
			"'index': small too, with lookups in constant time.",
			func(p *sbf.Params) *sbf.Encoding { return &p.Encoding }, sbf.Plain, sbf.Elias, sbf.Steps, sbf.Index),
		flag("blocked", "All counters of a key in one block of 64: faster where the sketch is larger than the cache, and more keys have too high a count, 1 in 22 of the capacity.",
			func(p *sbf.Params) *bool { return &p.Blocked }),
		sbfRange,
		seed(func(p *sbf.Params) *uint64 { return &p.Seed }),
	},
	Defaults: func(p *sbf.Params) {
		if p.Capacity == 0 && p.Bytes == 0 && p.Counters == 0 {
			p.Capacity = sbf.DefaultCapacity
		}
		if p.K == 0 {
			p.K = sbf.DefaultK
		}
	},
	New: sbf.NewGathering, Decode: sbf.Decode,
	Add: unfailing((*sbf.Sketch).AddHashes),
}

// sbfMarker is yes by default, unlike a flag.
var sbfMarker = Setting[sbf.Params]{
	args.Option{Name: "marker", Kind: args.Flag, Default: "true",
		Summary: "Whether methods rm and trm mark the keys of the second filter, in one more bit per counter."},
	func(p *sbf.Params, o *args.Options, i, row int) error {
		if !o.Bool(i, row, true) {
			p.Marker = sbf.Unmarked
		}
		return nil
	},
}

// sbfRange is the option that makes sbf_range_sum possible.
var sbfRange = Setting[sbf.Params]{
	args.Option{Name: "range", Kind: args.Range, Default: "none",
		Summary: "{lo: ..., hi: ...}, the first and the last of all integer keys, for sbf_range_sum. Each key takes as much room as log2(hi - lo) keys."},
	func(p *sbf.Params, o *args.Options, i, row int) error {
		lo, hi, err := o.Range(i, row)
		p.Range = sbf.Range{Lo: lo, Hi: hi}
		return err
	},
}
