package args

import (
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
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

// CCBFOptions is the options of ccbf_agg.
var CCBFOptions = []Option{
	ccbfBytes: {Name: "bytes", Kind: Whole, Range: fromTo(ccbf.MinBytes, ccbf.MaxBytes), Beside: "layers: [8]", Default: "1048576",
		Summary: "Maximum size of the BLOB's body in bytes, without the header. At least 372 with the default layers."},
	ccbfExact: {Name: "exact", Kind: Flag, Default: "true",
		Summary: "Keep an exact list of cells as long as it fits into bytes. false: counters (overflow: 'counters') from the first row."},
	ccbfOverflow: {Name: "overflow", Kind: Text, Choices: []string{ccbf.ToTree.String(), ccbf.ToCounters.String()}, Default: "'tree'; 'counters' with exact: false, k, mode, layers, counters, levels",
		Summary: "What the sketch becomes when its cells no longer fit. 'tree': nested squares with counts, large where there are few points; bounds of sums always hold. 'counters': a layered counting Bloom filter, as in the paper. A tree and counters do not combine."},
	ccbfK: {Name: "k", Kind: Whole, Range: fromTo(1, ccbf.MaxK), Default: "4",
		Summary: "Counters per cell, if counters are used."},
	ccbfMode: {Name: "mode", Kind: Text, Choices: []string{ccbf.MinimalIncrement.String(), ccbf.Standard.String()}, Default: "'mi'",
		Summary: "'mi' increments only the smallest of a cell's counters: more accurate. 'standard' increments all of them: counts can be removed, and the order of rows and merges never matters."},
	ccbfLayers: {Name: "layers", Kind: Wholes, Range: fmt.Sprintf("%s, 1 to %d of them", fromTo(ccbf.MinWidth, ccbf.MaxWidth), ccbf.MaxLayers), Default: "[4, 8, 16, 32], [8, 16, 32] in mode 'standard'",
		Summary: "Bits per counter of each layer; they must not decrease. A full counter carries into the layer above, which has fewer counters: an eighth as many if the first layer has 4 bits, a sixteenth if it has 8."},
	ccbfCounters: {Name: "counters", Kind: Wholes, Default: "from bytes",
		Summary: "Number of counters of each layer; each is a smaller divisor of the one before. Replaces bytes."},
	ccbfLevels: {Name: "levels", Kind: Whole, Range: fromTo(0, ccbf.MaxLevels), Default: "0",
		Summary: "Number of levels of squares (2 x 2 cells, 4 x 4 and so on) that counters count in addition to cells: large areas then need few lookups and are more accurate, small areas are less accurate in the same number of bytes."},
	ccbfSeed: {Name: "seed", Kind: Whole, Default: "0",
		Summary: "Seed of the hash function. Only sketches with the same seed combine."},
	ccbfTotals: {Name: "totals", Kind: Flag, Default: "false",
		Summary: "With category, if counters are used: also count each point without its category, so that both can be queried."},
	CCBFCategory: {Name: "category", Kind: Key, PerRow: true, Default: "none",
		Summary: "Category of the point, of any type that can be a key. Queries of counters then need a category too, unless totals is true. Rows with a NULL category are skipped."},
	CCBFWeight: {Name: "weight", Kind: Whole, PerRow: true, Default: "1",
		Summary: "Number of points that the row represents. Rows with a NULL weight are skipped."},
	ccbfAtLeast: {Name: "at_least", Kind: Whole, Range: fromTo(ccbf.MinLeast, ccbf.MaxLeast), Default: "none",
		Summary: "The result is ccbf_suppress(s, at_least) of the group's sketch: a tree in which no square has fewer points."},
}

// CCBFEmptyOptions is the options of ccbf_empty. It has no points, so category is a BOOLEAN, and there
// is no weight.
var CCBFEmptyOptions = func() []Option {
	options := slices.Clone(CCBFOptions[:CCBFWeight])
	options[CCBFCategory] = Option{Name: "category", Kind: Flag, Default: "false", Summary: "Whether points will have a category."}
	return options
}()

// fromTo returns a range as text for errors.
func fromTo(least, most int) string { return fmt.Sprintf("from %d to %d", least, most) }

// CCBFConfig returns the configuration by a row's resolution and options. categories says whether
// points have a category.
func CCBFConfig(res float64, o *Options, row int, categories bool) (ccbf.Config, error) {
	p := ccbf.Params{Res: res, Categories: categories}
	var err error
	if p.Bytes, err = o.Count(ccbfBytes, row, 0); err != nil {
		return ccbf.Config{}, err
	}
	if o.Given(ccbfBytes, row) && p.Bytes == 0 { // in Params, 0 is the default: refuse an explicit 0
		return ccbf.Config{}, sketch.OptionError("bytes", "is 0, must be %s", CCBFOptions[ccbfBytes].Range)
	}
	if o.Given(ccbfK, row) {
		k, err := o.Count(ccbfK, row, ccbf.DefaultK)
		if err != nil {
			return ccbf.Config{}, err
		}
		if p.K = int(min(k, 1<<20)); k == 0 { // in Params, 0 is the default: refuse an explicit 0
			return ccbf.Config{}, sketch.OptionError("k", "is 0, must be %s", CCBFOptions[ccbfK].Range)
		}
	}
	mode, err := o.Text(ccbfMode, row)
	if err != nil {
		return ccbf.Config{}, err
	}
	if mode == ccbf.Standard.String() {
		p.Mode = ccbf.Standard
	}
	widths, err := o.Counts(ccbfLayers, row, ccbf.MaxLayers)
	if err != nil {
		return ccbf.Config{}, err
	}
	if widths != nil {
		p.Widths = make([]int, len(widths))
		for i, w := range widths {
			p.Widths[i] = int(min(w, 1<<20))
		}
	}
	if p.Counters, err = o.Counts(ccbfCounters, row, ccbf.MaxLayers); err != nil {
		return ccbf.Config{}, err
	}
	levels, err := o.Count(ccbfLevels, row, 0)
	if err != nil {
		return ccbf.Config{}, err
	}
	p.Levels = int(min(levels, 1<<20))
	if p.Seed, err = o.Count(ccbfSeed, row, 0); err != nil {
		return ccbf.Config{}, err
	}
	p.Dense = !o.Bool(ccbfExact, row, true)
	if p.Overflow, err = ccbfOverflowOf(o, row); err != nil {
		return ccbf.Config{}, err
	}
	p.Totals = o.Bool(ccbfTotals, row, false)
	if p.AtLeast, err = o.Count(ccbfAtLeast, row, 0); err != nil {
		return ccbf.Config{}, err
	}
	if o.Given(ccbfAtLeast, row) && p.AtLeast == 0 { // in Params, 0 is the default: refuse an explicit 0
		return ccbf.Config{}, sketch.OptionError("at_least", "is 0, must be %s", CCBFOptions[ccbfAtLeast].Range)
	}
	return p.Config()
}

// ccbfOverflowOf returns the overflow by a row's options. An option of counters selects counters, even
// if it has its default value.
func ccbfOverflowOf(o *Options, row int) (ccbf.Overflow, error) {
	name := ""
	for _, i := range []int{ccbfK, ccbfMode, ccbfLayers, ccbfCounters, ccbfLevels} {
		if o.Given(i, row) {
			name = CCBFOptions[i].Name
			break
		}
	}
	switch text, err := o.Text(ccbfOverflow, row); {
	case err != nil || !o.Given(ccbfOverflow, row) && name == "":
		return ccbf.OverflowDefault, err
	case !o.Given(ccbfOverflow, row) || text == ccbf.ToCounters.String():
		return ccbf.ToCounters, nil
	case name != "":
		return 0, sketch.OptionError(name, "and option \"overflow\": 'tree' exclude each other: it is for counters, and a tree has none")
	}
	return ccbf.ToTree, nil
}

// CCBFCategories returns the option category of ccbf_empty: whether points will have one.
func CCBFCategories(o *Options, row int) (bool, error) {
	if o.Given(CCBFWeight, row) {
		return false, fmt.Errorf("option \"weight\" belongs to points, and an empty sketch has none")
	}
	if o.Given(ccbfAtLeast, row) {
		return false, fmt.Errorf("option \"at_least\" belongs to groups of points, and an empty sketch has none")
	}
	if o.Given(CCBFCategory, row) && !Accepts(Flag, o.Column(CCBFCategory).Type()) {
		return false, fmt.Errorf("option \"category\" is %s, must be BOOLEAN: whether points will have one", o.Column(CCBFCategory).Type())
	}
	return o.Bool(CCBFCategory, row, false), nil
}
