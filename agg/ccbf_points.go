package agg

import (
	"errors"
	"fmt"
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

// ccbfPoints is ccbf_agg. The first points of a group wait in its state, the next few hundred in
// slots (waiting.go). With more points, the group gets a page with a builder.
type ccbfPoints struct {
	geometry bool // one argument of type GEOMETRY holds the point, in place of x and y
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
	small    bridge.Small
	waitingWords
}

var (
	chunks    = sync.Pool{New: func() any { return new(chunk) }}
	ccbfViews = sync.Pool{New: func() any { return new(ccbf.View) }}
)

// Update adds the points of a chunk to the states of their rows.
func (a *ccbfPoints) Update(rows *duck.Rows, states duck.States) error {
	c := chunks.Get().(*chunk)
	defer c.end()
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
	uniform := args.Uniform(res) && c.options.Uniform()
	categories := c.options.Has(args.CCBFCategory)
	if categories {
		if err := c.category.Reset(c.options.Column(args.CCBFCategory)); err != nil {
			return fmt.Errorf("option \"category\": %w", err)
		}
	}
	if !uniform {
		return c.rowByRow(res, options, states, false)
	}
	var err error
	if c.config, err = args.CCBFConfig(duck.Slice[float64](res)[0], &c.options, 0, categories); err != nil {
		return err
	}
	c.id = configs.number(c.config)
	if categories || c.options.Has(args.CCBFWeight) || !c.places.whole(n) {
		return c.rowByRow(res, options, states, true)
	}
	if cap(c.keys) < n {
		c.keys = make([]uint64, n)
	}
	c.keys = c.keys[:n]
	if bridge.Keys(&c.config, c.keys, c.places.xs[:n], c.places.ys[:n]) < n {
		return c.rowByRow(res, options, states, true)
	}
	if states.Single() {
		return c.addKeys(states.At(0), c.keys)
	}
	return c.scatter(states.Slice())
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

// end gives a chunk back for use again.
func (c *chunk) end() {
	c.done()
	chunks.Put(c)
}

// scatter adds each row's key to its state, runs of the same state at once.
func (c *chunk) scatter(states []*duck.State) error {
	for i := 0; i < len(states); {
		s, first := states[i], i
		if f := inlineOf(s); f.takes(c.id) && f.n < inlineMost {
			// The key waits inline in the state. With many groups, this is the most frequent case.
			f.keys[f.n] = c.keys[i]
			f.n++
			f.config = c.id
			i++
			continue
		}
		for i++; i < len(states) && states[i] == s; i++ {
		}
		if err := c.addKeys(s, c.keys[first:i]); err != nil {
			return err
		}
	}
	return nil
}

// addKeys adds points of the chunk's configuration to a state.
func (c *chunk) addKeys(s *duck.State, keys []uint64) error {
	if f := inlineOf(s); f.takes(c.id) {
		if int(f.n)+len(keys) <= inlineMost {
			f.config = c.id
			f.n += uint16(copy(f.keys[f.n:], keys))
			return nil
		}
		if canUseSlots(&c.config) && !s.HasPage() && f.words()+len(keys) <= mostPoints {
			f.config = c.id
			return c.slots.hold(s, keys)
		}
	}
	b, err := c.page(s)
	if err != nil {
		return err
	}
	return bridge.AddKeys(b, keys)
}

// page returns the builder of a state. The error says that its configuration is not the chunk's.
func (c *chunk) page(s *duck.State) (*ccbf.Builder, error) {
	t, err := c.promote(s)
	if err != nil {
		return nil, err
	}
	inlineOf(s).config = c.id
	return t.builderOf(c.id, &c.config)
}

// builderOf returns the builder of a page. id is the number of config. If the builder has another
// configuration than config, builderOf returns an error.
func (t *ccbfPage) builderOf(id uint32, config *ccbf.Config) (*ccbf.Builder, error) {
	switch {
	case t.b == nil:
		t.id = id
	case (t.id == 0 || t.id != id) && t.b.Config != *config:
		return nil, configsDiffer(&t.b.Config, config)
	}
	return t.builder(config), nil
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
func (c *chunk) rowByRow(res, options *duck.Vector, states duck.States, uniform bool) error {
	p := &c.places
	categories := c.options.Has(args.CCBFCategory)
	weighted := c.options.Has(args.CCBFWeight)
	for j := range p.xs {
		i, ok := p.row(j)
		if !ok || !res.Valid(i) {
			continue
		}
		// none says that the whole STRUCT of options is NULL: the row then has no category. If only the
		// category or the weight is NULL, the row is skipped.
		none := options != nil && !options.Valid(i)
		if !none && (categories && !c.options.Given(args.CCBFCategory, i) || weighted && !c.options.Given(args.CCBFWeight, i)) {
			continue
		}
		if !uniform {
			var err error
			if c.config, err = args.CCBFConfig(duck.Slice[float64](res)[i], &c.options, i, categories && !none); err != nil {
				return err
			}
			c.id = configs.number(c.config)
		}
		weight, err := c.options.Count(args.CCBFWeight, i, 1)
		if err != nil {
			return err
		}
		if weight == 1 && !c.config.Categories { // the usual reason for rowByRow is a NULL in the chunk
			c.keys = append(c.keys[:0], 0)
			if bridge.Keys(&c.config, c.keys, p.xs[j:], p.ys[j:]) == 1 {
				if err := c.addKeys(states.At(i), c.keys); err != nil {
					return err
				}
				continue
			}
		}
		cell, err := c.config.Grid.Cell(p.xs[j], p.ys[j])
		if err != nil {
			return err
		}
		b, err := c.page(states.At(i))
		if err != nil {
			return err
		}
		var category []byte
		class := key.None
		if c.config.Categories && !none { // if none is true, Add below returns the error
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

// Combine adds the points of each state of from to the state of into at the same index.
func (a *ccbfPoints) Combine(from, into duck.States) error {
	c := chunks.Get().(*chunk)
	defer c.end()
	return c.combineStates(from, into, slotPlanOf, c.combine)
}

// slotPlanOf returns what states of a configuration can hold of points without a page.
func slotPlanOf(id uint32) slotPlan {
	p := slotPlan{config: id, sums: true, inline: inlineMost}
	if canUseSlots(configs.config(id)) {
		p.slots = mostPoints - inlineMost
	}
	return p
}

// combine gives the state into a page, and adds the state from to it. inSlots is the words in the slots
// of from. It does not change from.
func (c *chunk) combine(from *duck.State, inSlots []uint64, into *duck.State) error {
	f := inlineOf(from)
	t, err := c.promote(into)
	if err != nil || !from.HasPage() {
		if err == nil {
			err = t.take(f, inSlots)
		}
		return err
	}
	b, err := from.Page()
	if err != nil {
		return err
	}
	o := b.(*ccbfPage)
	if t.b != nil && o.b != nil && t.b.Config != o.b.Config {
		return configsDiffer(&t.b.Config, &o.b.Config)
	}
	t.id = o.id
	if err := t.merge(o); err != nil {
		return err
	}
	return t.take(f, nil)
}

// Finalize writes the BLOB of each state. Points that wait are encoded without a builder if possible.
func (a *ccbfPoints) Finalize(states duck.States, out *duck.Result) error {
	c := chunks.Get().(*chunk)
	defer c.end()
	var blob []byte
	var config *ccbf.Config // the configuration of c.small
	page := func(s *duck.State, i int) error {
		t, err := c.promote(s)
		if err != nil {
			return err
		}
		if blob, err = t.blob(blob[:0]); err == nil {
			out.SetBytes(i, blob)
		}
		return err
	}
	return c.finalizeStates(states, out, func(s *duck.State, i, j int) error {
		if of := configs.config(inlineOf(s).config); of != config {
			config = of
			c.small.Reset(config)
		}
		if config.AtLeast > 0 { // only a builder implements AtLeast
			return page(s, i)
		}
		blob = c.small.AppendBlob(blob[:0], c.all.list(j))
		out.SetBytes(i, blob)
		return nil
	}, page)
}
