package cms

import (
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

const id sketch.ID = 2

// Family describes Count-Min Sketches.
var Family = keyed.Define(keyed.Spec[Params, *Sketch, View]{
	ID: id, Name: "cms", Article: "a", Noun: "Count-Min Sketch",
	Title: "Counts of keys",
	About: "A Count-Min Sketch counts how often each key occurs, in a fixed number of counters. Answers can be too high, but never too low. " +
		"`cms_empty` takes the options of `cms_agg`; `cms_add` and `cms_remove` take `weight`.",
	Summaries: keyed.Summaries{
		Agg:      "Count-Min Sketch of how often each key occurs.",
		Remove:   "Returns the sketch with one occurrence of a key removed, or weight occurrences. Not for conservative sketches.",
		Subtract: " Not for conservative sketches.",
		Info:     "All parameters of a sketch, its error bound, fill and size.",
		Row:      "row",
	},

	Options: options, Defaults: defaults, New: New, Empty: Params.empty,
	View: NewView, Check: (*View).check, Sketch: (*View).sketch,

	Questions: []keyed.Question{
		{Kind: keyed.HowOften, Verb: "get", Summary: "Number of occurrences of a key: never below the true count."},
	},
	Info: keyed.InfoOf((*View).Info,
		keyed.Is("width", func(i *Info) uint64 { return i.Width }),
		keyed.Is("depth", func(i *Info) uint64 { return i.Depth }),
		keyed.Is("epsilon", func(i *Info) float64 { return i.Epsilon }),
		keyed.Is("delta", func(i *Info) float64 { return i.Delta }),
		keyed.Is("conservative", func(i *Info) bool { return i.Conservative }),
		keyed.Is("error_bound", func(i *Info) float64 { return i.ErrorBound }),
		keyed.Is("saturated", func(i *Info) bool { return i.Saturated }),
		keyed.Is("counter_bits", func(i *Info) int { return i.CounterBits }),
		keyed.Is("fill", func(i *Info) float64 { return i.Fill }),
	),
	Rows: (*View).Rows,
	Words: func(v *View) string {
		return sketch.Number(v.Width()) + " x " + sketch.Number(v.Depth()) + " counters" + sketch.Added(v.Total())
	},

	Laws: func(p Params) sketch.Laws {
		if p.Conservative {
			return sketch.Laws{UnionCommutes: true, Alone: true}
		}
		return sketch.Laws{OrderFree: true, UnionCommutes: true, UnionEqualsWhole: true, Deletable: true, Restores: true, Alone: true}
	},
	Samples: []keyed.Sample{
		{Form: "plain", Options: "width: 8, depth: 3", Params: Params{Width: 8, Depth: 3}, Rows: 2000, Keys: 3, Words: "8 x 3 counters, 2,000 added"},
		{Form: "conservative", Options: "width: 8, depth: 3, conservative: true", Params: Params{Width: 8, Depth: 3, Conservative: true}, Rows: 20, Keys: 3, Words: "8 x 3 counters, 20 added"},
	},
})

// options set Params.
var options = keyed.Options[Params]{
	keyed.NumberOption("epsilon", part, "0.001", "An estimate is too high by at most epsilon times the total with a probability of 1 - delta.",
		func(p *Params) *float64 { return &p.Epsilon }),
	keyed.NumberOption("delta", part, "0.01", "Probability that an estimate is too high by more than that.",
		func(p *Params) *float64 { return &p.Delta }),
	keyed.WholeOption("width", 1, maxCounters, "ceil(e / epsilon)", "Number of counters per row. Replaces epsilon.",
		func(p *Params) *uint64 { return &p.Width }),
	keyed.WholeOption("depth", 1, MaxDepth, "ceil(ln(1 / delta))", "Number of rows of counters. Replaces delta.",
		func(p *Params) *uint64 { return &p.Depth }),
	keyed.FlagOption("conservative", "Increment only the counters that bound the estimate: more accurate, but without cms_remove and cms_join_size. "+
		"Depends on the order of the rows, so with several threads it can differ from run to run: SET threads = 1 if it must not.",
		func(p *Params) *bool { return &p.Conservative }),
	keyed.SeedOption(func(p *Params) *uint64 { return &p.Seed }),
}

// part is the interval of a fraction.
var part = keyed.Interval{Least: 0, Most: 1, AboveLeast: true, Below: true}

func defaults(p *Params) {
	if p.Epsilon == 0 && p.Width == 0 {
		p.Epsilon = DefaultEpsilon
	}
	if p.Delta == 0 && p.Depth == 0 {
		p.Delta = DefaultDelta
	}
}

// Check returns nil for a BLOB that every function of the family accepts.
func Check(blob []byte) error { return Family.Check(blob) }

// Decode makes a sketch from a BLOB, which it does not change. A bad BLOB is an error that wraps
// sketch.ErrInvalid. It allocates at most len(blob).
func Decode(blob []byte) (*Sketch, error) { return Family.Decode(blob) }

// UnionBlob is Union with the sketch of a BLOB, without a copy. A bad
// BLOB is an error that wraps sketch.ErrInvalid. An error changes nothing.
func (s *Sketch) UnionBlob(blob []byte) error { return Family.UnionBlob(s, blob) }
