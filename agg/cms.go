package agg

import (
	"fmt"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// CMS are the aggregate functions of the Count-Min Sketch.
func CMS() []duck.Function {
	build := &cmsKeys{}
	return []duck.Function{
		{
			Name: "cms_agg", Group: "cms",
			Summary: "Count-Min Sketch of how often each key occurs.",
			Example: "SELECT cms_get(cms_agg(word), 'to') FROM (VALUES ('to'), ('be'), ('or'), ('not'), ('to'), ('be')) t(word)",
			Overloads: []duck.Overload{
				{Params: []duck.Param{{Name: "key", Type: duck.Any}}, Returns: duck.Blob, Aggregate: build},
				{Params: []duck.Param{{Name: "key", Type: duck.Any}, {Name: "options", Type: duck.Any}}, Returns: duck.Blob, Aggregate: build},
			},
		},
		overBlobs("cms_union_agg", "cms",
			"Union of sketches: the sketch of all their keys together.",
			"SELECT cms_get(cms_union_agg(s), 3) FROM (SELECT cms_agg(x % 5) s FROM range(10) t(x) GROUP BY x % 2)",
			&ofBlobs[*cmsBlock]{cmsBlocks, (*cmsBlock).addBlob}),
	}
}

// The options of cms_agg and cms_empty, in the order of CMSOptions; CMSWeight
// is cms_agg's alone.
const (
	cmsEpsilon = iota
	cmsDelta
	cmsWidth
	cmsDepth
	cmsConservative
	cmsSeed
	CMSWeight
)

// CMSOptions are the options that cms_agg knows; cms_empty has no weight.
var CMSOptions = []args.Option{
	cmsEpsilon: {Name: "epsilon", Kind: args.Number, Default: "0.001",
		Summary: "An estimate is too high by at most epsilon times the total, with a probability of 1 - delta. Between 0 and 1."},
	cmsDelta: {Name: "delta", Kind: args.Number, Default: "0.01",
		Summary: "Probability that an estimate is too high by more than that. Between 0 and 1."},
	cmsWidth: {Name: "width", Kind: args.Whole, Default: "ceil(e / epsilon)",
		Summary: "Counters of a row, from 1. In place of epsilon."},
	cmsDepth: {Name: "depth", Kind: args.Whole, Default: "ceil(ln(1 / delta))",
		Summary: "Rows of counters, from 1 to 32. In place of delta."},
	cmsConservative: {Name: "conservative", Kind: args.Flag, Default: "false",
		Summary: "Raise only the counters that bound the estimate: closer, but no cms_remove and no cms_join_size."},
	cmsSeed: {Name: "seed", Kind: args.Whole, Default: "0",
		Summary: "Seed of the hash. Only sketches of the same seed combine."},
	CMSWeight: {Name: "weight", Kind: args.Whole, PerRow: true, Default: "1",
		Summary: "How many occurrences the row stands for. A row whose weight is NULL is skipped. Not for cms_empty."},
}

// Options are those of cms_agg, for the reference.
func (a *cmsKeys) Options() []args.Option { return CMSOptions }

// CMSParams are the parameters that a row's options ask for.
func CMSParams(o *args.Options, row int) (p cms.Params, err error) {
	for _, n := range []struct {
		option int
		value  *float64
	}{{cmsEpsilon, &p.Epsilon}, {cmsDelta, &p.Delta}} {
		if *n.value = o.Float(n.option, row, 0); o.Given(n.option, row) && *n.value == 0 { // the default of Params
			return p, sketch.OptionError(CMSOptions[n.option].Name, "is 0, must be between 0 and 1")
		}
	}
	for _, n := range []struct {
		option int
		value  *uint64
	}{{cmsWidth, &p.Width}, {cmsDepth, &p.Depth}, {cmsSeed, &p.Seed}} {
		if *n.value, err = o.Count(n.option, row, 0); err != nil {
			return p, err
		}
		if n.option != cmsSeed && o.Given(n.option, row) && *n.value == 0 {
			return p, sketch.OptionError(CMSOptions[n.option].Name, "is 0, must be at least 1")
		}
	}
	p.Conservative = o.Bool(cmsConservative, row, false)
	// Not given and given as the default are the same.
	if p.Epsilon == 0 && p.Width == 0 {
		p.Epsilon = cms.DefaultEpsilon
	}
	if p.Delta == 0 && p.Depth == 0 {
		p.Delta = cms.DefaultDelta
	}
	return p, nil
}

// cmsDiffering is the error for two sets of parameters in one group.
func cmsDiffering(a, b cms.Params) error {
	differ := func(option string, a, b any) error {
		return fmt.Errorf("options differ within a group: %s %v vs %v", option, a, b)
	}
	switch {
	case a.Width != b.Width && a.Width != 0 && b.Width != 0:
		return differ("width", a.Width, b.Width)
	case a.Epsilon != b.Epsilon && a.Epsilon != 0 && b.Epsilon != 0:
		return differ("epsilon", a.Epsilon, b.Epsilon)
	case a.Epsilon != b.Epsilon:
		return fmt.Errorf("options differ within a group: epsilon and width, each on some of the rows")
	case a.Depth != b.Depth && a.Depth != 0 && b.Depth != 0:
		return differ("depth", a.Depth, b.Depth)
	case a.Delta != b.Delta && a.Delta != 0 && b.Delta != 0:
		return differ("delta", a.Delta, b.Delta)
	case a.Delta != b.Delta:
		return fmt.Errorf("options differ within a group: delta and depth, each on some of the rows")
	case a.Conservative != b.Conservative:
		return differ("conservative", a.Conservative, b.Conservative)
	}
	return differ("seed", a.Seed, b.Seed)
}

// cmsBlock is a group's sketch; nil inside until the first key or sketch says
// what it is to be.
type cmsBlock struct {
	lease  *duck.Lease
	params cms.Params
	s      *cms.Sketch
	bytes  int64 // charged for s
}

var cmsBlocks = merging[*cmsBlock]{
	size:  256,
	fresh: func(l *duck.Lease) *cmsBlock { return &cmsBlock{lease: l} },
	merge: (*cmsBlock).merge,
	blob:  func(t *cmsBlock, _ []byte) ([]byte, error) { return t.s.Blob(), nil },
}

// charge brings the lease up to what the sketch takes.
func (t *cmsBlock) charge() error {
	now := int64(t.s.Bytes())
	if now == t.bytes {
		return nil
	}
	if err := t.lease.Grow(now - t.bytes); err != nil {
		return err
	}
	t.bytes = now
	return nil
}

func (t *cmsBlock) addBlob(blob []byte) (err error) {
	if t.s == nil {
		if err := t.lease.Grow(int64(len(blob))); err != nil {
			return err
		}
		t.bytes = int64(len(blob))
		if t.s, err = cms.Decode(blob); err != nil {
			return err
		}
		return t.charge()
	}
	if err := t.s.UnionBlob(blob); err != nil {
		return err
	}
	return t.charge()
}

func (t *cmsBlock) merge(from *cmsBlock) error {
	if from.s == nil {
		return nil
	}
	if t.s == nil {
		t.params = from.params
		return t.addBlob(from.s.Blob())
	}
	if err := t.s.Union(from.s); err != nil {
		return err
	}
	return t.charge()
}

// cmsKeys is cms_agg.
type cmsKeys struct{}

// cmsChunk is what Update needs beside its arguments.
type cmsChunk struct {
	options args.Options
	keys    args.Keys
}

var cmsChunks = sync.Pool{New: func() any { return new(cmsChunk) }}

func (a *cmsKeys) Update(rows *duck.Rows, states duck.States) error {
	c := cmsChunks.Get().(*cmsChunk)
	defer cmsChunks.Put(c)
	var options *duck.Vector
	if rows.NumCols() > 1 {
		options = rows.Col(1)
	}
	if err := c.options.Reset(options, CMSOptions); err != nil {
		return err
	}
	if err := c.keys.Reset(rows.Col(0)); err != nil {
		return err
	}
	uniform := c.options.Uniform()
	var params cms.Params
	weighted := c.options.Has(CMSWeight)
	for i := range rows.Len() {
		if !c.keys.Valid(i) || weighted && options.Valid(i) && !c.options.Given(CMSWeight, i) {
			continue
		}
		var err error
		if i == 0 || !uniform || params == (cms.Params{}) {
			if params, err = CMSParams(&c.options, i); err != nil {
				return err
			}
		}
		t, err := cmsBlocks.of(states.At(i))
		if err != nil {
			return err
		}
		weight, err := c.options.Count(CMSWeight, i, 1)
		if err != nil {
			return err
		}
		if err := c.add(t, params, i, weight); err != nil {
			return err
		}
	}
	return nil
}

// add counts row i's key in a group.
func (c *cmsChunk) add(t *cmsBlock, params cms.Params, i int, weight uint64) error {
	if t.s == nil {
		s, err := cms.New(params)
		if err != nil {
			return err
		}
		t.s, t.params = s, params
		if err := t.charge(); err != nil {
			return err
		}
		if err := s.SetKeyClass(c.keys.Class); err != nil {
			return err
		}
	} else if t.params != params {
		return cmsDiffering(t.params, params)
	}
	h1, h2, err := c.keys.Hash(i, t.s.KeyClass(), t.s.Seed())
	if err != nil {
		return err
	}
	t.s.Add(h1, h2, weight)
	return t.charge()
}

func (a *cmsKeys) Combine(from, into duck.States) error { return cmsBlocks.Combine(from, into) }

func (a *cmsKeys) Finalize(states duck.States, out *duck.Result) error {
	return cmsBlocks.Finalize(states, out)
}
