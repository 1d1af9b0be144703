package cbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

const id sketch.ID = 4

// Family describes counting Bloom filters.
var Family = keyed.Define(keyed.Spec[Params, *Sketch, View]{
	ID: id, Name: "cbf", Article: "a", Noun: "counting Bloom filter",
	Title: "Sets of keys that can be removed",
	About: "A counting Bloom filter tells whether a key is in a set, and keys can be removed. A key in the set is always found; " +
		"any other key is found with a small probability. A key added several times stays until it has been removed as often. One that fills its counters stays forever, so use more bits per counter if keys occur often. Counters of the default 4 bits are full after 15 times. Their halves with `variable_length` are full after 3 times. With increments in 4 bits, this takes `5 to 8` times. " +
		"`cbf_empty` takes the options of `cbf_agg`; `cbf_add` and `cbf_remove` take `weight`.",
	Summaries: keyed.Summaries{
		Agg:       "Counting Bloom filter: a set from which keys can be removed.",
		Union:     "Union of filters: the filter of all their keys.",
		Remove:    "Returns the filter with one occurrence of a key removed, or weight occurrences. It is an error if the key is not there.",
		Subtract:  " Full counters stay full.",
		Info:      "All parameters of a filter, its load, fill, stuck counters and the current probability that an absent key is found.",
		InfoField: "k",
	},

	Options: options, Defaults: defaults, New: New, Empty: Params.empty,
	View: NewView, Check: (*View).check, Sketch: (*View).sketch,

	Questions: []keyed.Question{
		{Kind: keyed.Whether, Verb: "contains", Summary: "Whether a key may be in the set: always true for a key that was added more often than removed."},
	},
	Info: keyed.InfoOf((*View).Info,
		keyed.Is("variant", func(i *Info) string { return i.Variant.String() }),
		keyed.Is("capacity", func(i *Info) uint64 { return i.Capacity }),
		keyed.Is("counters", func(i *Info) uint64 { return i.Counters }),
		keyed.Is("k", func(i *Info) uint64 { return i.K }),
		keyed.Is("counter_bits", func(i *Info) uint64 { return i.CounterBits }),
		keyed.Is("increment", func(i *Info) uint64 { return i.Increment }),
		keyed.Is("variable_length", func(i *Info) bool { return i.VariableLength }),
		keyed.If("alpha", func(i *Info) (float64, bool) { return i.Alpha, i.VariableLength }),
		keyed.Is("halves", func(i *Info) bool { return i.Halves }),
		keyed.Is("load", func(i *Info) float64 { return i.Load }),
		keyed.Is("fill", func(i *Info) float64 { return i.Fill }),
		keyed.Is("fpp", func(i *Info) float64 { return i.FPP }),
		keyed.Is("bits_per_key", func(i *Info) float64 { return i.BitsPerKey }),
		keyed.Is("stuck", func(i *Info) uint64 { return i.Stuck }),
		keyed.Is("saturated", func(i *Info) bool { return i.Saturated }),
	),
	Rows:  (*View).Rows,
	Words: func(v *View) string { return "for " + sketch.Count(v.capacity, "key") + sketch.Added(v.Total()) },

	// Counters are sums up to their ceiling. A pair's signature depends on its occurrences and not on
	// their order. So additions commute and unite exactly. With variable length, the result past the
	// threshold depends on which counters were stuck when the upper halves were dropped, so on the
	// order.
	Laws: func(p Params) sketch.Laws {
		l := sketch.Laws{Set: true, Alone: true, Deletable: true}
		if !p.VariableLength {
			l.OrderFree, l.UnionCommutes, l.UnionEqualsWhole = true, true, true
		}
		return l
	},
	Samples: []keyed.Sample{
		{Form: "plain", Options: "counters: 32, k: 3", Params: Params{Counters: 32, K: 3}, Rows: 20, Keys: 3, Words: "for 7 keys, 20 added"},
		{Form: "tandem, variable length", Options: "capacity: 40, counters: 16, k: 2, variant: 'tandem', variable_length: true", Params: Params{Capacity: 40, Counters: 16, K: 2, Variant: Tandem, VariableLength: true}, Rows: 9, Keys: 3, Words: "for 40 keys, 9 added"},
	},
})

// options set Params.
var options = keyed.Options[Params]{
	keyed.WholeOption("capacity", 1, MaxCapacity, "100000",
		"Number of keys that the filter is sized for, each counted as often as it is added. With more keys, more absent keys are found.",
		func(p *Params) *uint64 { return &p.Capacity }),
	keyed.NumberOption("fpp", keyed.Interval{Least: 0, Most: 1, AboveLeast: true, Below: true}, "0.01",
		"Probability that an absent key is found when the filter is full.",
		func(p *Params) *float64 { return &p.FPP }),
	keyed.WholeOptionIn("counters", fmt.Sprintf("from 1 to %d of 4 bits", uint64(8*MaxBody/4)), "what capacity and fpp need",
		"Number of counters, rounded up to whole words of 64 bits. Replaces fpp.",
		func(p *Params) *uint64 { return &p.Counters }),
	keyed.WholeOption("k", 1, MaxK, "the best for the other options", "Counters per key.",
		func(p *Params) *uint64 { return &p.K }),
	keyed.WholeOptionIn("counter_bits", "2, 4, 8 or 16", "4",
		"Bits per counter. At least 4 for variants other than 'plain' and for variable_length; at least 8, which is then the default, for both together.",
		func(p *Params) *uint64 { return &p.CounterBits }),
	keyed.ChoiceOption("variant", "What a key adds to its counters. 'plain': 1. 'increment': a number chosen by its hash, so that a counter also tells which keys "+
		"it cannot belong to. 'tandem': such a number, and more of the key if it is alone in two counters.",
		func(p *Params) *Variant { return &p.Variant }, Plain, Increment, Tandem),
	keyed.WholeOptionIn("increment", "a power of two from 2 to 64", "2 for 4 bits, 8 for 8, 64 for 16",
		"L: numbers are from L to 2L-1. At most a quarter of what a counter holds, "+
			"or half a counter with variable_length. With larger values, fewer absent keys are found and more counters get stuck.",
		func(p *Params) *uint64 { return &p.Increment }).With("variant: 'increment', counter_bits: 16"),
	keyed.FlagOption("variable_length", "Split counters in two halves, for twice as many counters per key, while the filter has at most alpha times capacity keys. "+
		"Avoid it with variants 'increment' and 'tandem' in a filter that will hold more: past alpha, with the defaults, it finds 5 to 40 times as many absent keys as "+
		"without it in the same number of bytes with counters of 8 bits, and about 100 times as many, or more, as with counters of 4 bits. "+
		"Which counters get stuck depends on the order of rows.",
		func(p *Params) *bool { return &p.VariableLength }),
	keyed.NumberOption("alpha", keyed.Interval{Least: 0, Most: 1, AboveLeast: true}, "0.5",
		"Fraction of the capacity up to which variable_length uses halves.",
		func(p *Params) *float64 { return &p.Alpha }).With("variable_length: true"),
	keyed.SeedOption(func(p *Params) *uint64 { return &p.Seed }),
}

func defaults(p *Params) {
	if p.Counters == 0 {
		if p.Capacity == 0 {
			p.Capacity = DefaultCapacity
		}
		if p.FPP == 0 {
			p.FPP = DefaultFPP
		}
	}
	if p.VariableLength && p.Alpha == 0 {
		p.Alpha = DefaultAlpha
	}
}

// Check returns nil for a BLOB that every function of the family accepts.
func Check(blob []byte) error { return Family.Check(blob) }

// Decode makes a filter from a BLOB, which it does not change. A bad BLOB is an error that wraps
// sketch.ErrInvalid. It allocates at most len(blob).
func Decode(blob []byte) (*Sketch, error) { return Family.Decode(blob) }

// UnionBlob is Union with the filter of a BLOB, without a copy. A bad
// BLOB is an error that wraps sketch.ErrInvalid. An error changes nothing.
func (s *Sketch) UnionBlob(blob []byte) error { return Family.UnionBlob(s, blob) }
