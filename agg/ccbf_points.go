package agg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/paulmach/orb"
)

// ccbfPoints is ccbf_agg. The first points of a group wait in its state, the next few hundred in a
// slot (waiting.go). With more points, the group gets a page with a builder.
type ccbfPoints struct {
	aggregate[*ccbfPage]
	geometry bool // one argument of type GEOMETRY holds the point, in place of x and y
}

// maxPointWords is the largest number of words that wait in a slot. Most points are one word.
const maxPointWords = 320

// newCCBFPoints returns ccbf_agg over points in two columns, or in one of type GEOMETRY.
func newCCBFPoints(geometry bool) *ccbfPoints {
	a := &ccbfPoints{ccbfPages, geometry}
	a.merge = (*ccbfPage).mergeSame
	a.most = func(config uint32) int {
		if pointPlans.config(config).Exact {
			return maxPointWords
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

// pointPlan says how points of one configuration wait.
type pointPlan struct {
	ccbf.Config
	class key.Class // class of the categories, if points have some
	// A point waits as its key. If detailed is true, points have weights or categories. Behind the key is then
	// a word with the weight and, in the lowest lengthBits, the length of the category, whose bytes follow.
	detailed bool
}

// lengthBits is the number of bits for the length of a category that waits.
const lengthBits = 8

// pointPlans numbers the plans of ccbf_agg.
var pointPlans numbering[pointPlan]

// chunk is the memory of a callback of ccbf_agg.
type chunk struct {
	options  args.Options
	category args.Keys
	places   places
	words    []uint64
	plan     pointPlan
	id       uint32  // number of the plan, or 0 if points cannot wait
	plain    float64 // the resolution of the plan if it has no options; otherwise NaN
}

var (
	chunks    = sync.Pool{New: func() any { return &chunk{plain: math.NaN()} }}
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
	options := rows.Optional(at + 1)
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
	c.plan.detailed = categories || c.options.Has(args.CCBFWeight)
	if !uniform {
		return a.rowByRow(c, res, states, false)
	}
	if err := c.setPlan(res, 0, categories); err != nil {
		return err
	}
	if c.id == 0 || c.plan.detailed || !c.places.whole(n) {
		return a.rowByRow(c, res, states, true)
	}
	c.words = slices.Grow(c.words[:0], n)[:n]
	switch {
	case bridge.Keys(&c.plan.Config, c.words, c.places.xs[:n], c.places.ys[:n]) < n:
		return a.rowByRow(c, res, states, true)
	case states.Single():
		return a.add(states.Slabs(), states.At(0), c.id, c.words)
	}
	return a.scatter(states.Slabs(), states.Slice(), c.id, c.words, 1)
}

// setPlan sets the plan to that of row i. categories says whether points have a category.
func (c *chunk) setPlan(res *duck.Vector, i int, categories bool) (err error) {
	at := duck.Slice[float64](res)[i]
	if c.options.None() && c.plain == at && c.id != 0 {
		return nil
	}
	c.plain = math.NaN()
	if c.plan.Config, err = args.CCBFConfig(at, &c.options, i, categories); err != nil {
		return err
	}
	if c.options.None() {
		c.plain = at
	}
	c.plan.class = key.None
	if categories {
		c.plan.class = c.category.Class
	}
	c.id = pointPlans.number(c.plan)
	return nil
}

// setWords sets c.words to the words of point j. It returns false if the point cannot wait.
func (c *chunk) setWords(j int, category []byte, weight uint64) bool {
	if c.id == 0 || c.plan.Categories && category == nil || len(category) >= 1<<lengthBits || weight >= 1<<(64-lengthBits) {
		return false
	}
	c.words = append(c.words[:0], 0)
	if bridge.Keys(&c.plan.Config, c.words, c.places.xs[j:], c.places.ys[j:]) == 0 {
		return false
	}
	if c.plan.detailed {
		c.words = append(c.words, weight<<lengthBits|uint64(len(category)))
		for len(category) > 0 {
			var word [8]byte
			category = category[copy(word[:], category):]
			c.words = append(c.words, binary.NativeEndian.Uint64(word[:]))
		}
	}
	return true
}

// addTo adds points that waited as words to a builder.
func (p *pointPlan) addTo(b *ccbf.Builder, words []uint64) error {
	if !p.detailed {
		return bridge.AddKeys(b, words)
	}
	for len(words) > 0 {
		z, weight, length := words[0], words[1]>>lengthBits, int(words[1]&(1<<lengthBits-1))
		words = words[2:]
		var category []byte
		if p.Categories {
			category = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), length)
			words = words[(length+7)/8:]
		}
		if err := bridge.AddKey(b, z, category, p.class, weight); err != nil {
			return err
		}
	}
	return nil
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

// builderOf returns the builder of a page. If the builder has another configuration than config,
// builderOf returns an error.
func (t *ccbfPage) builderOf(config *ccbf.Config) (*ccbf.Builder, error) {
	if t.b != nil && t.b.Config != *config {
		return nil, configsDiffer(&t.b.Config, config)
	}
	return t.builder(config)
}

// take adds points that waited to the builder of a page.
func (t *ccbfPage) take(plan uint32, words []uint64) error {
	p := pointPlans.config(plan)
	b, err := t.builderOf(&p.Config)
	if err != nil {
		return err
	}
	return p.addTo(b, words)
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
	err := bridge.Differ(a, b)
	if d, ok := errors.AsType[*sketch.DifferError](err); ok { // without its advice, which is for two sketches
		err = fmt.Errorf("%s %s", d.Parameter, d.Values)
		if d.Parameter == "resolution" {
			err = fmt.Errorf("%w (the order is ccbf_agg(x, y, resolution))", err)
		}
	}
	return optionsDiffer(err)
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
		given := c.options.Given(args.CCBFCategory, i) // not if the whole STRUCT of options is NULL
		if !uniform {
			if err := c.setPlan(res, i, given); err != nil {
				return err
			}
		}
		weight, err := c.options.Count(args.CCBFWeight, i, 1)
		if err != nil {
			return err
		}
		var category []byte // nil is an error of Add if the plan has categories
		if given {
			if category, err = c.category.Bytes(i, c.plan.class); err != nil {
				return err
			}
		}
		state := states.At(i)
		// If there is a builder, waiting does not pay for a point with a weight or a category.
		if !(c.plan.detailed && state.HasPage()) && c.setWords(j, category, weight) {
			if err := a.add(states.Slabs(), state, c.id, c.words); err != nil {
				return err
			}
			continue
		}
		cell, err := c.plan.Grid.Cell(p.xs[j], p.ys[j])
		if err != nil {
			return err
		}
		t, err := a.whole(state)
		if err != nil {
			return err
		}
		b, err := t.builderOf(&c.plan.Config)
		if err != nil {
			return err
		}
		if err := b.Add(cell, category, c.plan.class, weight); err != nil {
			return err
		}
	}
	return nil
}

// encodePoints returns a function that encodes the sketch of points that waited.
func encodePoints(out *duck.Result) wordsEncoder {
	var encode func(dst []byte, keys []uint64) ([]byte, bool)
	last := uint32(0) // number of the plan of encode; 0 for none
	return func(plan uint32, words []uint64, room []byte) ([]byte, error) {
		p := pointPlans.config(plan)
		if !p.detailed && p.Exact && p.AtLeast == 0 {
			if plan != last {
				encode, last = bridge.SmallEncoder(&p.Config), plan
			}
			if blob, fits := encode(room, words); fits {
				return blob, nil
			}
		}
		b := ccbf.NewBuilder(p.Config, out) // counters can need much memory, even for one point
		if err := p.addTo(b, words); err != nil {
			return nil, err
		}
		return bridge.AppendBlob(b, room)
	}
}
