package cuckoo

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

const id sketch.ID = 6

// Family describes cuckoo filters.
var Family = keyed.Define(keyed.Spec[Params, *Sketch, View]{
	ID: id, Name: "cuckoo", Article: "a", Noun: "cuckoo filter",
	Title: "Cuckoo filters",
	About: "A cuckoo filter tells which keys are in a set, in a few bits each. A key that was added is always found, any other key rarely. " +
		"It is a set or, with `duplicates: true`, a multiset, from which keys can be removed. It has room for `capacity` keys; it is an error if keys do not fit. " +
		"`cuckoo_empty` takes the options of `cuckoo_agg`; `cuckoo_add` and `cuckoo_remove` take `weight`.",
	Summaries: keyed.Summaries{
		Agg:       "Cuckoo filter of the keys: a set or, with duplicates, a multiset from which keys can be removed. It is an error if the filter is full.",
		Union:     "Union of filters: the filter of all their keys. It is an error if they do not fit.",
		Remove:    "Returns the filter with one occurrence of a key removed, or weight occurrences. Only for multisets, and only for keys that were added.",
		Subtract:  " Only for multisets.",
		Info:      "All parameters of a filter, how full it is, its bits per key and its false positive rate.",
		InfoField: "stored",
		Row:       "bucket",
	},

	Options: options, Defaults: func(p *Params) { *p = p.WithDefaults() }, New: New, Empty: Params.empty,
	RemoveFrom: multiset,
	View:       NewView, Check: (*View).check, Sketch: (*View).sketch,

	Questions: []keyed.Question{
		{Kind: keyed.Whether, Verb: "contains", Summary: "Whether a key may be in the filter: always true for a key that was added and not removed."},
		{Kind: keyed.HowOften, Verb: "count", Summary: "Number of occurrences of a key in a multiset: never below the true number; 1 or 0 in a set.", Options: multiset},
	},
	Info: keyed.InfoOf((*View).Info,
		keyed.Is("variant", func(i *Info) string { return i.Params.Variant.String() }),
		keyed.Is("variable_length", func(i *Info) bool { return i.Params.VariableLength }),
		keyed.Is("duplicates", func(i *Info) bool { return i.Params.Duplicates }),
		keyed.Is("capacity", func(i *Info) uint64 { return i.Params.Capacity }),
		keyed.Is("fingerprint_bits", func(i *Info) uint64 { return i.Params.FingerprintBits }),
		keyed.Is("slots", func(i *Info) uint64 { return i.Params.Slots }),
		keyed.Is("buckets", func(i *Info) uint64 { return i.Buckets }),
		keyed.Is("stored", func(i *Info) uint64 { return i.Stored }),
		keyed.Is("load", func(i *Info) float64 { return i.Load }),
		keyed.Is("fill", func(i *Info) float64 { return i.Fill }),
		keyed.Is("bits_per_key", func(i *Info) float64 { return i.BitsPerKey }),
		keyed.Is("fpp", func(i *Info) float64 { return i.FPP }),
	),
	Rows: (*View).Rows,
	Words: func(v *View) string {
		return "for " + sketch.Count(v.params.Capacity, "key") + sketch.Added(v.Total())
	},

	// Another order of the same keys can put fingerprints into other buckets. So OrderFree and the laws
	// of unions are false.
	Laws: func(p Params) sketch.Laws {
		return sketch.Laws{Set: true, Alone: true, Fills: true, Deletable: p.Duplicates}
	},
	Samples: []keyed.Sample{
		{Form: "set", Options: "capacity: 12", Params: Params{Capacity: 12}, Rows: 20, Keys: 3, Words: "for 12 keys, 20 added"},
		{Form: "tagged, variable length", Options: "capacity: 12, variant: 'tagged', variable_length: true, duplicates: true", Params: Params{Capacity: 12, Variant: Tagged, VariableLength: true, Duplicates: true}, Rows: 9, Keys: 5, Words: "for 12 keys, 9 added"},
	},
})

// multiset is the option that makes a multiset.
const multiset = "{duplicates: true}"

// options set Params.
var options = keyed.Options[Params]{
	keyed.WholeOption("capacity", 1, math.MaxUint64, "100000", "Number of distinct keys or, with duplicates, occurrences that fit.",
		func(p *Params) *uint64 { return &p.Capacity }),
	keyed.WholeOption("buckets", 2, math.MaxUint64, "what capacity needs",
		"Number of buckets of slots keys each, instead of capacity: a power of two if the variant is 'plain', otherwise even.",
		func(p *Params) *uint64 { return &p.Buckets }),
	keyed.WholeOption("fingerprint_bits", MinFingerprintBits, MaxFingerprintBits, "12",
		"Bits per key: an absent key is found with a probability of about 2 * slots / 2^fingerprint_bits when the filter is full.",
		func(p *Params) *uint64 { return &p.FingerprintBits }),
	keyed.WholeOption("slots", 1, MaxSlots, "4", "Number of keys per bucket. With more slots, the filter can be filled better, and more absent keys are found.",
		func(p *Params) *uint64 { return &p.Slots }),
	keyed.ChoiceOption("variant", "'plain': the number of buckets is a power of two. 'tagged': any even number, so the filter takes no more bytes than capacity needs.",
		func(p *Params) *Variant { return &p.Variant }, Plain, Tagged),
	keyed.FlagOption("variable_length", "Keys use bits that others do not use yet: fewer absent keys are found while the filter is not full. Needs 2 slots.",
		func(p *Params) *bool { return &p.VariableLength }),
	keyed.FlagOption("duplicates", "Make a multiset: every occurrence takes a slot, so that keys can be counted and removed. A key can occur at most 2 * slots times. "+
		"With 4 slots, keys that occur 2, 3 or 4 times each fill about 88%, 68% or 45% of the slots before the filter is full, and far less beyond that. "+
		"If keys occur more often, use cbf_agg or sbf_agg.",
		func(p *Params) *bool { return &p.Duplicates }),
	keyed.WholeOption("max_kicks", 1, MostKicks, "500",
		"Number of keys that an insertion moves before the filter counts as full. It holds while the filter is built: a BLOB does not keep it, so functions on it take the default.",
		func(p *Params) *uint64 { return &p.MaxKicks }),
	keyed.SeedOption(func(p *Params) *uint64 { return &p.Seed }),
}

// Check returns nil for a BLOB that every function of the family accepts.
func Check(blob []byte) error { return Family.Check(blob) }

// Decode makes a filter from a BLOB, which it does not change. A bad BLOB is an error that wraps
// sketch.ErrInvalid. It allocates at most len(blob).
func Decode(blob []byte) (*Sketch, error) { return Family.Decode(blob) }

// UnionBlob is Union with the filter of a BLOB, without a copy. A bad
// BLOB is an error that wraps sketch.ErrInvalid. An error changes nothing.
func (s *Sketch) UnionBlob(blob []byte) error { return Family.UnionBlob(s, blob) }
