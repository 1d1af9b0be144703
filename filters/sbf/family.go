package sbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

const id sketch.ID = 3

// Family describes Spectral Bloom Filters. Methods rm and trm gather exact counts while they are built.
// DuckDB builds in parts and in any order, and the filters of such parts could not be added.
var Family = keyed.Define(keyed.Spec[Params, *Sketch, View]{
	ID: id, Name: "sbf", Article: "an", Noun: "Spectral Bloom Filter",
	Title: "Counts of keys in a Bloom filter",
	About: "A Spectral Bloom Filter is a Bloom filter that counts. It is sized for a number of keys; it has the exact count of most of them, and too high a count of a few. " +
		"Methods `ms` and `mi` never return less than the true count. `rm` and `trm` can, rarely, but only if the sketch is changed after `sbf_agg` built it. " +
		"`sbf_empty` takes the options of `sbf_agg`; `sbf_add` and `sbf_remove` take `weight`.",
	Summaries: keyed.Summaries{
		Agg:      "Spectral Bloom Filter of how often each key occurs.",
		Union:    "Union of sketches: the sketch of all their keys. For methods rm and trm, it keeps only the first filter.",
		Remove:   "Returns the sketch with one occurrence of a key removed, or weight occurrences. Not for method mi, and not for products.",
		Subtract: " Not for method mi, and not for products. With rm and trm, a key of the second filter that lost occurrences is then answered by the first filter.",
		Info:     "All parameters of a sketch, its load, error rate, fill and size.",
		Row:      "filter",
	},

	Options: options, Defaults: defaults, New: New, Gather: NewGathering, Empty: Params.empty,
	View: NewView, Check: (*View).check, Sketch: (*View).sketch,

	Questions: []keyed.Question{
		{Kind: keyed.HowOften, Verb: "get", Summary: "Number of occurrences of a key: exact for most keys and never below the true count. With methods rm and trm it can, rarely, be below if the sketch was changed after sbf_agg."},
	},
	Info: keyed.InfoOf((*View).Info,
		keyed.Is("method", func(i *Info) string { return i.Method.String() }),
		keyed.Is("k", func(i *Info) int { return i.K }),
		keyed.Is("counters", func(i *Info) uint64 { return i.Counters }),
		keyed.If("second_counters", func(i *Info) (uint64, bool) { return i.SecondCounters, i.SecondCounters > 0 }),
		keyed.Is("marker", func(i *Info) bool { return i.Marker }),
		keyed.Is("encoding", func(i *Info) string { return i.Encoding.String() }),
		keyed.Is("blocked", func(i *Info) bool { return i.Blocked }),
		keyed.If("range_lo", func(i *Info) (int64, bool) { return i.Range.Lo, i.Range != Range{} }),
		keyed.If("range_hi", func(i *Info) (int64, bool) { return i.Range.Hi, i.Range != Range{} }),
		keyed.Is("product", func(i *Info) bool { return i.Product }),
		keyed.Is("keys", func(i *Info) float64 { return i.Keys }),
		keyed.Is("load", func(i *Info) float64 { return i.Load }),
		keyed.Is("fill", func(i *Info) float64 { return i.Fill }),
		keyed.Is("error_rate", func(i *Info) float64 { return i.ErrorRate }),
		keyed.If("second_fill", func(i *Info) (float64, bool) { return i.SecondFill, i.SecondCounters > 0 }),
		keyed.Is("traps", func(i *Info) int { return i.Traps }),
		keyed.Is("largest", func(i *Info) uint64 { return i.Largest }),
		keyed.Is("counter_bits", func(i *Info) float64 { return i.CounterBits }),
		keyed.Is("saturated", func(i *Info) bool { return i.Saturated }),
	),
	Rows:  (*View).Rows,
	Words: func(v *View) string { return sketch.Count(v.m, "counter") + sketch.Added(v.Total()) },

	// These are the laws of sketches that New makes. Sketches that NewGathering makes have the laws of
	// MS, for all methods except MI. With a Range, a key adds several nodes, which can share counters:
	// Alone is then false.
	Laws: func(p Params) sketch.Laws {
		l := sketch.Laws{UnionCommutes: true, Deletable: p.Method != MI, Below: p.Method.recurring(), Alone: !p.Method.recurring() && p.Range == (Range{})}
		if p.Method == MS {
			l.OrderFree, l.UnionEqualsWhole, l.Restores = true, true, true
		}
		return l
	},
	Samples: []keyed.Sample{
		{Form: "mi", Options: "counters: 16, k: 3, method: 'mi'", Params: Params{Counters: 16, K: 3, Method: MI}, Rows: 20, Keys: 3, Words: "18 counters, 20 added"},
		{Form: "rm", Options: "counters: 18, k: 3, method: 'rm'", Params: Params{Counters: 18, K: 3, Method: RM}, Rows: 20, Keys: 3, Words: "18 counters, 20 added"},
		{Form: "trm", Options: "counters: 12, k: 3, method: 'trm'", Params: Params{Counters: 12, K: 3, Method: TRM}, Rows: 20, Keys: 5, Words: "12 counters, 20 added"},
		{Form: "elias", Options: "counters: 16, k: 3, encoding: 'elias'", Params: Params{Counters: 16, K: 3, Encoding: Elias}, Rows: 20, Keys: 3, Words: "18 counters, 20 added"},
		{Form: "steps, range", Options: "counters: 16, k: 3, encoding: 'steps', range: {lo: 0, hi: 7}", Params: Params{Counters: 16, K: 3, Encoding: Steps, Range: Range{0, 7}}, Rows: 20, Keys: 3, Words: "18 counters, 20 added"},
		{Form: "index", Options: "counters: 16, k: 3, encoding: 'index'", Params: Params{Counters: 16, K: 3, Encoding: Index}, Rows: 20, Keys: 3, Words: "18 counters, 20 added"},
	},
})

// options set Params.
var options = keyed.Options[Params]{
	keyed.WholeOption("capacity", 1, maxCounters, "100000",
		"Number of distinct keys that the filter is sized for. With method ms and k = 5, 1 in 30 of them then has too high a count.",
		func(p *Params) *uint64 { return &p.Capacity }),
	keyed.WholeOption("bytes", 1, MaxBody, "what capacity needs", "Size with counters of 16 bits; smaller counts take half of it. Replaces capacity.",
		func(p *Params) *uint64 { return &p.Bytes }),
	keyed.WholeOptionIn("counters", fmt.Sprintf("from k to %d", maxCounters), "ceil(k * capacity / 0.7)",
		"Number of counters, rounded up to a multiple of k, or of 64 if blocked; methods rm and trm have half as many more in a second filter. Replaces capacity.",
		func(p *Params) *uint64 { return &p.Counters }),
	keyed.WholeOption("k", 1, MaxK, "5", "Counters per key.",
		func(p *Params) *uint64 { return &p.K }),
	keyed.ChoiceOption("method", "'ms': all counters of a key count; keys can be removed. 'mi': only the smallest do; most accurate for data added row by row, but keys cannot be removed. "+
		"It depends on the order of the rows, so with several threads it can differ from run to run: use 'ms', or SET threads = 1, if it must not. "+
		"'rm', 'trm': keys whose count would be wrong are in a second filter. As built by sbf_agg, which keeps the exact counts until then, they are almost exact. "+
		"sbf_agg gives both the same counts in the same number of bytes: 'trm' differs only in what sbf_add does later. "+
		"Use 'ms' for sketches that are merged later: after a union or a subtraction 'rm' and 'trm', which take half as much again, answer as 'ms' does.",
		func(p *Params) *Method { return &p.Method }, MS, MI, RM, TRM),
	optionMarker,
	keyed.ChoiceOption("encoding", "How counters are stored. 'plain': words as wide as the largest counter needs. 'elias', 'steps': codes, which are small if most counts are. "+
		"'index': also small, with lookups in constant time.",
		func(p *Params) *Encoding { return &p.Encoding }, Plain, Elias, Steps, Index),
	keyed.FlagOption("blocked", "Put all counters of a key in one block of 64: faster if the sketch is larger than the cache, but more keys have too high a count, 1 in 22 at capacity.",
		func(p *Params) *bool { return &p.Blocked }),
	optionRange,
	keyed.SeedOption(func(p *Params) *uint64 { return &p.Seed }),
}

// optionMarker has three values, unlike a flag.
var optionMarker = keyed.Option[Params]{
	Option: sketch.Option{Name: "marker", Kind: sketch.FlagKind, Default: "true with rm and trm",
		Summary: "Whether methods rm and trm mark the keys of the second filter, with one more bit per counter. Other methods cannot."},
	Set: func(p *Params, v sketch.Value) error {
		p.Marker = Marked
		if !v.Flag {
			p.Marker = Unmarked
		}
		return nil
	},
}

// optionRange makes sbf_range_sum possible.
var optionRange = keyed.Option[Params]{
	Option: sketch.Option{Name: "range", Kind: sketch.RangeKind, Default: "none",
		Summary: "{lo: ..., hi: ...}, the first and last of all keys, for sbf_range_sum: whole numbers, dates or timestamps. Each key takes as much space as log2(hi - lo) keys."},
	Set: func(p *Params, v sketch.Value) error {
		p.Range, p.RangeClass = Range{v.Lo, v.Hi}, key.Class(v.Class)
		return nil
	},
}

func defaults(p *Params) {
	switch recurring := p.Method.recurring(); {
	case recurring && p.Marker != Unmarked:
		p.Marker = Marked
	case !recurring && p.Marker == Unmarked:
		p.Marker = MarkerDefault
	}
	if p.Capacity == 0 && p.Bytes == 0 && p.Counters == 0 {
		p.Capacity = DefaultCapacity
	}
	if p.K == 0 {
		p.K = DefaultK
	}
}

// Check returns nil for a BLOB that every function of the family accepts.
func Check(blob []byte) error { return Family.Check(blob) }

// Decode makes a sketch from a BLOB, which it does not change: a bad BLOB is an
// error that wraps sketch.ErrInvalid.
func Decode(blob []byte) (*Sketch, error) { return Family.Decode(blob) }

// UnionBlob is Union with the sketch of a BLOB, without a copy. A bad
// BLOB is an error that wraps sketch.ErrInvalid. An error changes nothing.
func (s *Sketch) UnionBlob(blob []byte) error { return Family.UnionBlob(s, blob) }
