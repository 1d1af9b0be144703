package top

import (
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

const id sketch.ID = 7

// DefaultK is the number of counters if no option sets it; MaxK is the largest.
const (
	DefaultK = 100
	MaxK     = 1 << 24
)

// Params are the parameters of New. The zero value is the default.
type Params struct {
	K uint64 // counters: how many keys are kept
}

func defaults(p *Params) {
	if p.K == 0 {
		p.K = DefaultK
	}
}

var options = keyed.Options[Params]{
	keyed.WholeOption("k", 1, MaxK, "100",
		"Number of keys that are kept. Every key with more than 1/(k+1) of all occurrences is among them. The bounds of a count are at most 1/(k+1) of all occurrences apart.",
		func(p *Params) *uint64 { return &p.K }),
}

// Family describes sketches of frequent keys.
var Family = keyed.Define(keyed.Spec[Params, *Sketch, View]{
	ID: id, Name: "top", Article: "a", Noun: "sketch of frequent keys",
	Title: "Frequent keys",
	About: "A sketch of frequent keys keeps up to k keys as values, among them every key with more than 1/(k+1) of all occurrences. " +
		"Each has a low and a high bound, between which its true count always is. High minus low is at most 1/(k+1) of all occurrences, also after unions. With at most k different keys all counts are exact. " +
		"The order of rows and the number of threads decide which rarer keys are kept, and how wide the bounds are within that limit. " +
		"`top_empty` takes the options of `top_agg`; `top_add` takes `weight`.",
	Summaries: keyed.Summaries{
		Agg:       "Sketch of the most frequent keys, with bounds of their counts.",
		Union:     "Union of sketches: the most frequent keys of all of them.",
		Info:      "All parameters of a sketch, the number of keys in it, and max_error, the difference between the bounds of a count.",
		InfoField: "keys",
		Row:       "key",
	},

	Options: options, Defaults: defaults, New: New,
	View: NewView, Check: (*View).check, Sketch: (*View).sketch,

	Questions: []keyed.Question{
		{Kind: keyed.HowOften, Verb: "count", Summary: "Number of occurrences of a key, never below the true number and at most total/(k+1) above it. top_keys has the lower bound too."},
	},
	Info: keyed.InfoOf((*View).Info,
		keyed.Is("k", func(i *Info) uint64 { return i.K }),
		keyed.Is("keys", func(i *Info) uint64 { return i.Keys }),
		keyed.Is("max_error", func(i *Info) uint64 { return i.MaxError }),
	),
	Rows: (*View).Rows,
	Words: func(v *View) string {
		return sketch.Count(v.n, "key") + " of at most " + sketch.Number(v.k) + sketch.Added(v.Total())
	},

	Laws: func(Params) sketch.Laws { return sketch.Laws{} },
	Samples: []keyed.Sample{
		{Form: "exact", Options: "k: 4", Params: Params{K: 4}, Rows: 20, Keys: 3, Words: "3 keys of at most 4, 20 added"},
		{Form: "with an error", Options: "k: 2", Params: Params{K: 2}, Rows: 20, Keys: 3, Words: "2 keys of at most 2, 20 added"},
	},
})

// Check returns nil for a BLOB that every function of the family accepts.
func Check(blob []byte) error { return Family.Check(blob) }

// Decode makes a sketch from a BLOB, which it does not change: a bad BLOB is an error that wraps
// sketch.ErrInvalid.
func Decode(blob []byte) (*Sketch, error) { return Family.Decode(blob) }

// UnionBlob is Union with the sketch of a BLOB. A bad BLOB is an error that wraps sketch.ErrInvalid. An
// error changes nothing.
func (s *Sketch) UnionBlob(blob []byte) error { return Family.UnionBlob(s, blob) }
