package agg

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/internal/args"
)

// The options of ccbf_agg and ccbf_empty, in the order of CCBFOptions.
const (
	ccbfBytes = iota
	ccbfExact
	ccbfK
	ccbfMode
	ccbfLayers
	ccbfCounters
	ccbfSeed
	ccbfTotals
	ccbfCategory
	ccbfWeight
)

// CCBFOptions are the options that ccbf_agg knows. ccbf_empty takes category
// as a BOOLEAN, for it has no points, and no weight.
var CCBFOptions = []args.Option{
	ccbfBytes:    {Name: "bytes", Kind: args.Whole},
	ccbfExact:    {Name: "exact", Kind: args.Flag},
	ccbfK:        {Name: "k", Kind: args.Whole},
	ccbfMode:     {Name: "mode", Kind: args.Text},
	ccbfLayers:   {Name: "layers", Kind: args.Wholes},
	ccbfCounters: {Name: "counters", Kind: args.Wholes},
	ccbfSeed:     {Name: "seed", Kind: args.Whole},
	ccbfTotals:   {Name: "totals", Kind: args.Flag},
	ccbfCategory: {Name: "category", Kind: args.Key, PerRow: true},
	ccbfWeight:   {Name: "weight", Kind: args.Whole, PerRow: true},
}

// CCBFConfig is the configuration that a row's resolution and options ask for.
// categories says whether points have a category.
func CCBFConfig(res float64, o *args.Options, row int, categories bool) (ccbf.Config, error) {
	p := ccbf.Params{Res: res, Categories: categories}
	var err error
	if p.Bytes, err = o.Count(ccbfBytes, row, 0); err != nil {
		return ccbf.Config{}, err
	}
	if o.Given(ccbfBytes, row) && p.Bytes == 0 {
		p.Bytes = 1 // 0 would be the default
	}
	k, err := o.Count(ccbfK, row, ccbf.DefaultK)
	if err != nil {
		return ccbf.Config{}, err
	}
	if p.K = int(min(k, 1<<20)); k == 0 {
		p.K = -1
	}
	mode, err := o.Text(ccbfMode, row, "mi", "standard")
	if err != nil {
		return ccbf.Config{}, err
	}
	if mode == "standard" {
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
	if p.Seed, err = o.Count(ccbfSeed, row, 0); err != nil {
		return ccbf.Config{}, err
	}
	p.Dense = !o.Bool(ccbfExact, row, true)
	p.Totals = o.Bool(ccbfTotals, row, false)
	return ccbf.New(p)
}

// configs gives numbers to configurations, so that a state of 64 bytes can name
// its own. There are few in a process; past maxConfigs a configuration has no
// number, and its groups keep it in their blocks.
var configs struct {
	sync.Mutex
	ids  map[ccbf.Config]uint32
	list atomic.Pointer[[]*ccbf.Config] // by number; grown by copying
}

const maxConfigs = 1 << 12

// intern returns the number of a configuration, from 1 on; 0 where it has none.
func intern(c ccbf.Config) uint32 {
	configs.Lock()
	defer configs.Unlock()
	if id, ok := configs.ids[c]; ok {
		return id
	}
	var list []*ccbf.Config
	if p := configs.list.Load(); p != nil {
		list = *p
	}
	if len(list) >= maxConfigs {
		return 0
	}
	if configs.ids == nil {
		configs.ids = map[ccbf.Config]uint32{}
		list = []*ccbf.Config{nil}
	}
	id := uint32(len(list))
	list = append(list[:id:id], &c)
	configs.list.Store(&list)
	configs.ids[c] = id
	return id
}

// interned is the configuration with a number.
func interned(id uint32) *ccbf.Config { return (*configs.list.Load())[id] }

// CCBFCategories reads the option category as ccbf_empty takes it: whether
// points will have one.
func CCBFCategories(o *args.Options, row int) (bool, error) {
	if o.Has(ccbfWeight) {
		return false, fmt.Errorf("option \"weight\" belongs to points, an empty sketch has none")
	}
	if o.Has(ccbfCategory) && !args.Flag.Accepts(o.Column(ccbfCategory).Type()) {
		return false, fmt.Errorf("option \"category\" is %s, must be BOOLEAN: whether points will have one", o.Column(ccbfCategory).Type())
	}
	return o.Bool(ccbfCategory, row, false), nil
}
