package bloom

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

const id sketch.ID = 5

// Family describes Bloom filters.
var Family = keyed.Define(keyed.Spec[Params, *Sketch, View]{
	ID: id, Name: "bloom", Article: "a", Noun: "Bloom filter",
	Title: "Sets of keys",
	About: "A Bloom filter tells which keys are in a set, in about 10 bits per key at a false positive rate of 1%. A key that was added is always found, any other key is found at that rate. " +
		"`bloom_empty` takes the options of `bloom_agg`; `bloom_add` takes `weight`.",
	Summaries: keyed.Summaries{
		Agg:       "Bloom filter of the keys: a set in about 10 bits per key.",
		Union:     "Union of filters: the filter of all their keys.",
		Info:      "All parameters of a filter, its fill, and the number of distinct keys and the false positive rate that follow from it.",
		InfoField: "cardinality",
	},

	Options: options, Defaults: defaults, New: New, Gather: NewGathering, Empty: Params.empty,
	View: NewView, Check: (*View).check, Sketch: (*View).sketch,

	Questions: []keyed.Question{
		{Kind: keyed.Whether, Verb: "contains", Summary: "Whether a key may be in the set: always true for a key that was added, true with probability bloom_fpp for any other."},
	},
	Info: keyed.InfoOf((*View).Info,
		keyed.Is("variant", func(i *Info) string { return i.Variant.String() }),
		keyed.If("activation", func(i *Info) (string, bool) { return i.Activation.String(), i.Variant == Rational }),
		keyed.Is("bits", func(i *Info) uint64 { return i.Bits }),
		keyed.Is("k", func(i *Info) float64 { return i.K }),
		keyed.If("blocks", func(i *Info) ([]uint64, bool) { return i.Blocks, i.Variant == Blocks }),
		keyed.If("shrunk_from", func(i *Info) (uint64, bool) { return i.Made, i.Made != i.Bits }),
		keyed.Is("capacity", func(i *Info) uint64 { return i.Capacity }),
		keyed.Is("bits_per_key", func(i *Info) float64 { return i.BitsPerKey }),
		keyed.Is("fpp_at_capacity", func(i *Info) float64 { return i.FPPAtCapacity }),
		keyed.Is("cardinality", func(i *Info) float64 { return i.Cardinality }),
		keyed.Is("fill", func(i *Info) float64 { return i.Fill }),
		keyed.Is("fpp", func(i *Info) float64 { return i.FPP }),
	),
	Rows: (*View).Rows,
	Words: func(v *View) string {
		words := "for " + sketch.Count(v.capacity, "key") + sketch.Added(v.Total())
		if i := v.Info(); i.FPP > 2*i.FPPAtCapacity {
			words += fmt.Sprintf(", overfull: %.0f%% false positives", 100*i.FPP)
		}
		return words
	},

	Laws: func(Params) sketch.Laws {
		return sketch.Laws{OrderFree: true, UnionCommutes: true, UnionEqualsWhole: true, Set: true}
	},
	Samples: []keyed.Sample{
		{Form: "standard", Options: "bits: 64, k: 3", Params: Params{Bits: 64, K: 3}, Rows: 20, Keys: 3, Words: "for 14 keys, 20 added"},
		{Form: "rational", Options: "bits: 61, k: 2.5, variant: 'rational'", Params: Params{Bits: 61, K: 2.5, Variant: Rational}, Rows: 20, Keys: 3, Words: "for 16 keys, 20 added"},
		{Form: "blocks, shrunk", Options: "bits: 200, k: 2.5, variant: 'blocks'", Params: Params{Bits: 200, K: 2.5, Variant: Blocks}, Rows: 20, Keys: 3, Words: "for 55 keys, 20 added",
			Change: func(s keyed.Sketch) error { return s.(*Sketch).Shrink(120) }},
	},
})

// options set Params.
var options = keyed.Options[Params]{
	keyed.WholeOption("capacity", 1, math.MaxUint64, "100000; with bits and k, ln(2) * bits / k",
		"Number of distinct keys that the filter is sized for. With more keys, more absent keys are found.",
		func(p *Params) *uint64 { return &p.Capacity }),
	keyed.NumberOption("fpp", keyed.Interval{Least: MinFPP, Most: 1, Below: true}, "0.01",
		"False positive rate: the probability that an absent key is found when the filter is full.",
		func(p *Params) *float64 { return &p.FPP }),
	keyed.WholeOption("bits", 1, MaxBits, "what capacity and fpp need", "Length of the filter. Replaces fpp.",
		func(p *Params) *uint64 { return &p.Bits }),
	optionK,
	keyed.ChoiceOption("variant", "'standard': k is a whole number. 'rational': k is any number; its fractional part is the fraction of the keys that use one more hash function. "+
		"'blocks': as 'rational', in blocks of powers of two, which bloom_shrink can drop.",
		func(p *Params) *Variant { return &p.Variant }, Standard, Rational, Blocks),
	keyed.ChoiceOption("activation", "What decides whether a key uses the last hash function if the variant is 'rational': 'hash', bits of the hash that no position depends on, "+
		"or 'position', the previous position.",
		func(p *Params) *Activation { return &p.Activation }, ByHash, ByPosition).With("variant: 'rational'"),
	keyed.FlagOption("grow", "If the number of keys is not known: bloom_agg makes the filter as large as its keys need at fpp, and at most twice that. capacity is then the minimum. "+
		"The hashes of all distinct keys are kept while it is built, 21 to 43 bytes each. Filters with the same fpp combine whatever their sizes, but a finished filter does not grow when keys are added: "+
		"give a capacity to filters that will be united.",
		func(p *Params) *bool { return &p.Grow }),
	keyed.SeedOption(func(p *Params) *uint64 { return &p.Seed }),
}

// optionK is the option k, which can be 0. Its range depends on the variant.
var optionK = keyed.Option[Params]{
	Option: sketch.Option{Name: "k", Kind: sketch.NumberKind, Range: "from 0 to 64", Beside: "variant: 'rational', bits: 1000", Default: "ln(2) * bits / capacity",
		Summary: "Number of hash functions. A whole number from 1 if the variant is 'standard', whose default is rounded up; otherwise any number from 0."},
	Set: func(p *Params, v sketch.Value) error {
		p.K = v.Number
		switch p.K {
		case 0:
			p.K = NoHashes
		case NoHashes:
			return sketch.OptionError("k", "is -1, must be from 0 to %d", MaxK)
		}
		return nil
	},
}

func defaults(p *Params) {
	if p.Capacity == 0 && !p.Grow && (p.Bits == 0 || p.K == 0) {
		p.Capacity = DefaultCapacity
	}
	if p.FPP == 0 && p.Bits == 0 {
		p.FPP = DefaultFPP
	}
}

// Check returns nil for a BLOB that every function of the family accepts.
func Check(blob []byte) error { return Family.Check(blob) }

// Decode makes a filter from a BLOB, which it does not change. A bad BLOB is an error that wraps
// sketch.ErrInvalid. It allocates at most len(blob), and the plan of positions of Blocks.
func Decode(blob []byte) (*Sketch, error) { return Family.Decode(blob) }

// UnionBlob is Union with the filter of a BLOB, without a copy. A bad
// BLOB is an error that wraps sketch.ErrInvalid. An error changes nothing.
func (s *Sketch) UnionBlob(blob []byte) error { return Family.UnionBlob(s, blob) }
