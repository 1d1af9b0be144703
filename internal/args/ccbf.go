package args

import (
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The options of ccbf_agg and ccbf_empty, in the order of CCBFOptions.
const (
	ccbfBytes = iota
	ccbfExact
	ccbfOverflow
	ccbfK
	ccbfMode
	ccbfLayers
	ccbfCounters
	ccbfLevels
	ccbfSeed
	ccbfTotals
	CCBFCategory
	CCBFWeight
	ccbfAtLeast
)

// settings is the options of ccbf_agg, in the order of the constants, and the fields that they set.
var settings = keyed.Options[ccbf.Params]{
	ccbfBytes: keyed.WholeOptionIn("bytes", fromTo(ccbf.MinBytes, ccbf.MaxBytes), "1048576",
		"Maximum size of the BLOB's body in bytes, without the header. At least 372 with the default layers.",
		func(p *ccbf.Params) *uint64 { return &p.Bytes }).With("layers: [8]"),
	ccbfExact: {Option: sketch.Option{Name: "exact", Kind: sketch.FlagKind, Default: "true",
		Summary: "Keep an exact list of cells as long as it fits into bytes. false: counters (overflow: 'counters') from the first row."},
		Set: func(p *ccbf.Params, v sketch.Value) error { p.Dense = !v.Flag; return nil }},
	ccbfOverflow: func() keyed.Option[ccbf.Params] {
		o := keyed.ChoiceOption("overflow",
			"What the sketch becomes when its cells no longer fit. 'tree': nested squares with counts, large where there are few points; bounds of sums always hold. With more than 16 * bytes cells, or with little memory, a tree depends on the order of rows, and so on the number of threads (docs/BUDGET.md). 'counters': a layered counting Bloom filter, as in the paper. Categories whose names need about half of bytes become counters in any case. A tree and counters do not combine.",
			func(p *ccbf.Params) *ccbf.Overflow { return &p.Overflow }, ccbf.ToTree, ccbf.ToCounters)
		o.Default = "'tree'; 'counters' with exact: false, k, mode, layers, counters, levels"
		return o
	}(),
	ccbfK: {Option: sketch.Option{Name: "k", Kind: sketch.WholeKind, Range: fromTo(1, ccbf.MaxK), Default: "4",
		Summary: "Counters per cell, if counters are used."},
		Set: func(p *ccbf.Params, v sketch.Value) error {
			if p.K = small(v.Whole); p.K == 0 { // in Params, 0 is the default: refuse an explicit 0
				return sketch.OptionError("k", "is 0, must be %s", fromTo(1, ccbf.MaxK))
			}
			return nil
		}},
	ccbfMode: keyed.ChoiceOption("mode",
		"'mi' increments only the smallest of a cell's counters: more accurate. 'standard' increments all of them: counts can be removed, and the order of rows and merges never matters.",
		func(p *ccbf.Params) *ccbf.Mode { return &p.Mode }, ccbf.MinimalIncrement, ccbf.Standard),
	ccbfLayers: {Option: sketch.Option{Name: "layers", Kind: sketch.WholesKind, Most: ccbf.MaxLayers, Range: fmt.Sprintf("%s, 1 to %d of them", fromTo(ccbf.MinWidth, ccbf.MaxWidth), ccbf.MaxLayers), Default: "[4, 8, 16, 32], [8, 16, 32] in mode 'standard'",
		Summary: "Bits per counter of each layer; they must not decrease. A full counter carries into the layer above, which has fewer counters: an eighth as many if the first layer has 4 bits, a sixteenth if it has 8."},
		Set: func(p *ccbf.Params, v sketch.Value) error {
			p.Widths = []int{}
			for _, w := range v.Wholes {
				p.Widths = append(p.Widths, small(w))
			}
			return nil
		}},
	ccbfCounters: {Option: sketch.Option{Name: "counters", Kind: sketch.WholesKind, Most: ccbf.MaxLayers, Default: "from bytes",
		Summary: "Number of counters of each layer; each is a smaller divisor of the one before. Replaces bytes."},
		Set: func(p *ccbf.Params, v sketch.Value) error { p.Counters = v.Wholes; return nil }},
	ccbfLevels: {Option: sketch.Option{Name: "levels", Kind: sketch.WholeKind, Range: fromTo(0, ccbf.MaxLevels), Default: "0",
		Summary: "Number of levels of squares (2 x 2 cells, 4 x 4 and so on) that counters count in addition to cells: large areas then need few lookups and are more accurate, small areas are less accurate in the same number of bytes."},
		Set: func(p *ccbf.Params, v sketch.Value) error { p.Levels = small(v.Whole); return nil }},
	ccbfSeed: keyed.SeedOption(func(p *ccbf.Params) *uint64 { return &p.Seed }),
	ccbfTotals: keyed.FlagOption("totals",
		"With category, if counters are used: also count each point without its category, so that both can be queried.",
		func(p *ccbf.Params) *bool { return &p.Totals }),
	CCBFCategory: {Option: sketch.Option{Name: "category", Kind: sketch.KeyKind, PerRow: true, Default: "none",
		Summary: "Category of the point, of any type that can be a key. Queries of counters then need a category too, unless totals is true. Rows with a NULL category are skipped."}},
	CCBFWeight: {Option: sketch.Option{Name: "weight", Kind: sketch.WholeKind, PerRow: true, Default: "1",
		Summary: "Number of points that the row represents. Rows with a NULL weight are skipped."}},
	ccbfAtLeast: keyed.WholeOptionIn("at_least", fromTo(ccbf.MinLeast, ccbf.MaxLeast), "none",
		"The result is a tree in which no square has fewer points, as ccbf_suppress(s, at_least) makes one. Here it is made from all cells of the group, before they are pruned to bytes.",
		func(p *ccbf.Params) *uint64 { return &p.AtLeast }),
}

// CCBFOptions is the options of ccbf_agg.
var CCBFOptions = settings.Plain()

// CCBFEmptyOptions is the options of ccbf_empty. It has no points, so category is a BOOLEAN, and weight
// and at_least are errors.
var CCBFEmptyOptions = func() []sketch.Option {
	options := slices.Clone(CCBFOptions)
	options[CCBFCategory] = sketch.Option{Name: "category", Kind: sketch.FlagKind, Default: "false", Summary: "Whether points will have a category."}
	options[CCBFWeight].Summary, options[ccbfAtLeast].Summary = "", ""
	return options
}()

// fromTo returns a range as text for errors.
func fromTo(least, most int) string { return fmt.Sprintf("from %d to %d", least, most) }

// small returns a number as an int. Numbers beyond every range stay beyond it.
func small(n uint64) int { return int(min(n, 1<<20)) }

// CCBFConfig returns the configuration by a row's resolution and options. categories says whether
// points have a category. An option of counters selects counters, even if it has its default value.
func CCBFConfig(res float64, o *Options, row int, categories bool) (ccbf.Config, error) {
	p := ccbf.Params{Res: res, Categories: categories}
	if err := Read(o, settings, row, &p); err != nil {
		return ccbf.Config{}, err
	}
	for _, i := range []int{ccbfK, ccbfMode, ccbfLayers, ccbfCounters, ccbfLevels} {
		if !o.Given(i, row) {
			continue
		}
		if p.Overflow == ccbf.ToTree {
			return ccbf.Config{}, sketch.OptionError(CCBFOptions[i].Name, "and option \"overflow\": 'tree' exclude each other: it is for counters, and a tree has none")
		}
		p.Overflow = ccbf.ToCounters
	}
	return p.Config()
}

// CCBFCategories returns the option category of ccbf_empty: whether points will have one.
func CCBFCategories(o *Options, row int) (bool, error) {
	if o.Given(CCBFWeight, row) {
		return false, fmt.Errorf("option \"weight\" belongs to points, and an empty sketch has none")
	}
	if o.Given(ccbfAtLeast, row) {
		return false, fmt.Errorf("option \"at_least\" belongs to groups of points, and an empty sketch has none")
	}
	return o.Flag(CCBFCategory, row), nil
}
