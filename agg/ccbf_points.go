package agg

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/paulmach/orb"
)

// ccbfPoints is ccbf_agg. The first points of a group wait in its state, the next few hundred in its
// page (waiting.go). With more points, the page gets a builder.
type ccbfPoints struct {
	aggregate[*ccbfPage]
	geometry bool // one argument of type GEOMETRY holds the point, in place of x and y
}

// maxPoints is the largest number of points that wait in a slot.
const maxPoints = 320

const _ = uint(bridge.MaxSmall - maxPoints - inlineMost) // bridge.Small encodes all of them

// newCCBFPoints returns ccbf_agg over points in two columns, or in one of type GEOMETRY.
func newCCBFPoints(geometry bool) *ccbfPoints {
	a := &ccbfPoints{ccbfPages, geometry}
	a.merge = (*ccbfPage).mergeSame
	a.most = func(config uint32) int {
		if configs.config(config).Exact {
			return maxPoints
		}
		return 0
	}
	a.sums = func(uint32) bool { return true }
	a.take = (*ccbfPage).take
	a.encoder = encodePoints
	return a
}

// places is the points of a chunk.
type places struct {
	xs, ys []float64
	rows   []int32 // the row of each point; nil if point i belongs to row i
	x, y   *duck.Vector
	points []orb.Point
}

// reset reads the points of a chunk: a GEOMETRY in column 0, or x and y in columns 0 and 1.
func (p *places) reset(rows *duck.Rows, geometry bool) error {
	if !geometry {
		p.x, p.y, p.rows = rows.Col(0), rows.Col(1), nil
		p.xs, p.ys = duck.Slice[float64](p.x), duck.Slice[float64](p.y)
		return nil
	}
	p.x, p.y, p.xs, p.ys, p.rows = nil, nil, nil, nil, make([]int32, 0, rows.Len())
	for i := range rows.Len() {
		if !rows.Col(0).Valid(i) {
			continue
		}
		var err error
		if p.points, err = grid.AppendPoints(p.points[:0], rows.Col(0).Bytes(i)); err != nil {
			return err
		}
		for _, at := range p.points {
			p.xs, p.ys, p.rows = append(p.xs, at[0]), append(p.ys, at[1]), append(p.rows, int32(i))
		}
	}
	return nil
}

// row returns the row of point j, and false if a coordinate is NULL.
func (p *places) row(j int) (int, bool) {
	if p.rows != nil {
		return int(p.rows[j]), true
	}
	return j, p.x.Valid(j) && p.y.Valid(j)
}

// whole reports whether each of n rows has one point.
func (p *places) whole(n int) bool {
	if p.rows == nil {
		return p.x.AllValid() && p.y.AllValid()
	}
	for i, row := range p.rows {
		if i != int(row) {
			return false
		}
	}
	return len(p.rows) == n
}

// configs numbers the configurations of ccbf_agg.
var configs numbering[ccbf.Config]

// chunk is the memory of a callback of ccbf_agg.
type chunk struct {
	options  args.Options
	category args.Keys
	places   places
	keys     []uint64
	config   ccbf.Config
	id       uint32
}

var (
	chunks    = sync.Pool{New: func() any { return new(chunk) }}
	ccbfViews = sync.Pool{New: func() any { return new(ccbf.View) }}
)

// Update adds the points of a chunk to the states of their rows.
func (a *ccbfPoints) Update(rows *duck.Rows, states duck.States) error {
	c := chunks.Get().(*chunk)
	defer chunks.Put(c)
	at := 2 // index of the argument res
	if a.geometry {
		at = 1
	}
	var options *duck.Vector
	if rows.NumCols() > at+1 {
		options = rows.Col(at + 1)
	}
	if a.geometry && options != nil && options.Type().ID() != duck.StructID && !anyValid(rows.Col(0)) {
		return nil // for ccbf_agg(NULL, NULL, 1), DuckDB selects the overload with GEOMETRY: the result is NULL
	}
	if err := c.options.Reset(options, args.CCBFOptions); err != nil {
		return err
	}
	if err := states.Complete(options); err != nil {
		return err
	}
	if err := c.places.reset(rows, a.geometry); err != nil {
		return err
	}
	res, n := rows.Col(at), rows.Len()
	uniform := res.IsConstant() && c.options.Uniform()
	categories := c.options.Has(args.CCBFCategory)
	if categories {
		if err := c.category.Reset(c.options.Column(args.CCBFCategory)); err != nil {
			return fmt.Errorf("option \"category\": %w", err)
		}
	}
	if !uniform {
		return a.rowByRow(c, res, states, false)
	}
	var err error
	if c.config, err = args.CCBFConfig(duck.Slice[float64](res)[0], &c.options, 0, categories); err != nil {
		return err
	}
	c.id = configs.number(c.config)
	if c.id == 0 || categories || c.options.Has(args.CCBFWeight) || !c.places.whole(n) {
		return a.rowByRow(c, res, states, true)
	}
	c.keys = slices.Grow(c.keys[:0], n)[:n]
	switch {
	case bridge.Keys(&c.config, c.keys, c.places.xs[:n], c.places.ys[:n]) < n:
		return a.rowByRow(c, res, states, true)
	case states.Single():
		return a.add(states.Slabs(), states.At(0), c.id, c.keys)
	}
	return a.scatter(states.Slabs(), states.Slice(), c.id, c.keys, 1)
}

// anyValid reports whether some row of v is not NULL.
func anyValid(v *duck.Vector) bool {
	for i := range v.Len() {
		if v.Valid(i) {
			return true
		}
	}
	return false
}

// builder returns the builder of a state. The error says that its configuration is not the chunk's.
func (a *ccbfPoints) builder(c *chunk, s *duck.State) (*ccbf.Builder, error) {
	t, err := a.whole(s)
	if err != nil {
		return nil, err
	}
	return t.builderOf(&c.config)
}

// builderOf returns the builder of a page. If the builder has another configuration than config,
// builderOf returns an error.
func (t *ccbfPage) builderOf(config *ccbf.Config) (*ccbf.Builder, error) {
	if t.b != nil && t.b.Config != *config {
		return nil, configsDiffer(&t.b.Config, config)
	}
	return t.builder(config)
}

// take adds points that waited to the builder of a page.
func (t *ccbfPage) take(config uint32, keys []uint64) error {
	b, err := t.builderOf(configs.config(config))
	if err != nil {
		return err
	}
	return bridge.AddKeys(b, keys)
}

// mergeSame is merge of pages that must have the same configuration.
func (t *ccbfPage) mergeSame(from *ccbfPage) error {
	b, err := t.builderOf(&from.b.Config)
	if err != nil {
		return err
	}
	return b.Merge(from.b)
}

// configsDiffer returns the error for two configurations in one group.
func configsDiffer(a, b *ccbf.Config) error {
	if err := bridge.Differ(a, b); err != nil {
		if d, ok := errors.AsType[*sketch.DifferError](err); ok { // without its advice, which is for two sketches
			err = fmt.Errorf("%s %s", d.Parameter, d.Values)
		}
		return optionsDiffer(err)
	}
	if a.AtLeast != b.AtLeast {
		return optionsDiffer(fmt.Errorf("at_least %d vs %d", a.AtLeast, b.AtLeast))
	}
	return optionsDiffer(fmt.Errorf("exact %v vs %v", a.Exact, b.Exact))
}

// rowByRow adds the points of a chunk with NULLs, weights, categories, several configurations, or
// points beyond bridge.Keys' range. If uniform, all rows have one configuration.
func (a *ccbfPoints) rowByRow(c *chunk, res *duck.Vector, states duck.States, uniform bool) error {
	p := &c.places
	for j := range p.xs {
		i, ok := p.row(j)
		if !ok || !res.Valid(i) || c.options.Null(args.CCBFCategory, i) || c.options.Null(args.CCBFWeight, i) {
			continue
		}
		categories := c.options.Given(args.CCBFCategory, i) // not if the whole STRUCT of options is NULL
		if !uniform {
			var err error
			if c.config, err = args.CCBFConfig(duck.Slice[float64](res)[i], &c.options, i, categories); err != nil {
				return err
			}
			c.id = configs.number(c.config)
		}
		weight, err := c.options.Count(args.CCBFWeight, i, 1)
		if err != nil {
			return err
		}
		if weight == 1 && !c.config.Categories && c.id != 0 { // the usual reason for rowByRow is a NULL in the chunk
			c.keys = append(c.keys[:0], 0)
			if bridge.Keys(&c.config, c.keys, p.xs[j:], p.ys[j:]) == 1 {
				if err := a.add(states.Slabs(), states.At(i), c.id, c.keys); err != nil {
					return err
				}
				continue
			}
		}
		cell, err := c.config.Grid.Cell(p.xs[j], p.ys[j])
		if err != nil {
			return err
		}
		b, err := a.builder(c, states.At(i))
		if err != nil {
			return err
		}
		var category []byte
		class := key.None
		if c.config.Categories && categories { // without a category, Add below returns the error
			if class = bridge.Class(b); class == key.None {
				class = c.category.Class
			}
			if category, err = c.category.Bytes(i, class); err != nil {
				return err
			}
		}
		if err := b.Add(cell, category, class, weight); err != nil {
			return err
		}
	}
	return nil
}

// encodePoints returns a function that writes the sketch of points as row i of out.
func encodePoints(out *duck.Result) func(i int, config uint32, keys []uint64) error {
	var blob []byte
	small := bridge.NewSmall()
	last := uint32(0) // number of the configuration of small
	return func(i int, config uint32, keys []uint64) error {
		if config != last {
			small.Reset(configs.config(config))
			last = config
		}
		blob = small.AppendBlob(blob[:0], keys)
		out.SetBytes(i, blob)
		return nil
	}
}
