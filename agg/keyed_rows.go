package agg

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/groups"
	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// keyedAgg is the aggregate X_agg of a family X: it builds sketches from keys.
type keyedAgg struct {
	aggregate[*keyedPage]
	family  keyed.Any
	options []sketch.Option
	chunks  sync.Pool // of *keyedChunk
	hashed  sync.Pool // of *hashes
}

// newKeyedAgg returns X_agg of a family.
func newKeyedAgg(f keyed.Any) *keyedAgg {
	a := &keyedAgg{
		family: f, options: append(f.Options(), keyed.Weight),
		chunks: sync.Pool{New: func() any { return &keyedChunk{settings: f.Settings()} }},
		hashed: sync.Pool{New: func() any { return new(hashes) }},
	}
	a.aggregate = aggregate[*keyedPage]{
		fresh: func() *keyedPage { return new(keyedPage) },
		merge: a.merge,
		blob:  func(t *keyedPage, _ []byte) ([]byte, error) { return keyed.Finish(t.s) },
		cost:  func(t *keyedPage) int64 { return 2 * t.bytes }, // the BLOB, and a sorted copy to make it
		most:  func(config uint32) int { return keyedPlans.config(config).most() },
		sums: func(config uint32) bool {
			l := &keyedPlans.config(config).laws
			return l.OrderFree && l.UnionEqualsWhole
		},
		take: a.addWords, unite: a.uniteWords, encoder: a.encodeWords,
	}
	return a
}

// keyedChunk is the memory of an update of X_agg.
type keyedChunk struct {
	options  args.Options
	settings keyed.Settings
	keys     args.Keys
	weight   int  // index of the option weight
	complete bool // no row is skipped

	plan keyedPlan // the plan of the first row that is not skipped
	id   uint32    // number of the plan, or 0 if keys cannot wait

	whole  []uint64      // keys of all rows as they are. It is nil unless these are numbers of 64 bits.
	words  []uint64      // keys of the rows that are not skipped, as words that wait.
	states []*duck.State // the states of these rows, unless all rows have one state
	sorted []uint64      // the words, sorted by group
	groups groups.Rows
}

// Update adds the keys of a chunk to the states of their rows.
func (a *keyedAgg) Update(rows *duck.Rows, states duck.States) error {
	c := a.chunks.Get().(*keyedChunk)
	err := a.update(c, rows, states)
	clear(c.states) // c keeps no pointers to DuckDB's memory
	c.whole = nil
	a.chunks.Put(c)
	return a.withAdvice(err)
}

// Combine adds the keys of each state of from to the state of into at the same index.
func (a *keyedAgg) Combine(from, into duck.States) error {
	return a.withAdvice(a.aggregate.Combine(from, into))
}

// Finalize writes the BLOB of each state.
func (a *keyedAgg) Finalize(states duck.States, out *duck.Result) error {
	return a.withAdvice(a.aggregate.Finalize(states, out))
}

// withAdvice returns err. If memory was not enough for all groups, it adds the option that makes
// sketches smaller.
func (a *keyedAgg) withAdvice(err error) error {
	has := func(option string) bool {
		return slices.ContainsFunc(a.options, func(o sketch.Option) bool { return o.Name == option })
	}
	if !errors.Is(err, memory.ErrBudget) || !has("capacity") {
		return err
	}
	grows := ""
	if has("grow") {
		grows = "; with grow, it takes memory for each key"
	}
	return fmt.Errorf("%w: the sketch of each group takes memory for \"capacity\" keys, so set that to what a group has%s", err, grows)
}

// update adds the keys of a chunk.
func (a *keyedAgg) update(c *keyedChunk, rows *duck.Rows, states duck.States) error {
	if err := a.reset(c, rows, states); err != nil {
		return err
	}
	first := 0
	for c.skip(first) {
		if first++; first == rows.Len() {
			return nil
		}
	}
	if err := a.setPlan(c, first); err != nil {
		return err
	}
	if c.id == 0 || !c.options.Uniform() {
		return a.rowByRow(c, states)
	}
	if err := c.read(states); err != nil {
		return err
	}
	perKey := c.plan.perKey()
	switch {
	case states.Single():
		return a.add(states.Slabs(), states.At(0), c.id, c.words)
	case !c.group():
		return a.scatter(states.Slabs(), c.states, c.id, c.words, perKey)
	}
	c.groups.Sort()
	c.sorted = c.sorted[:0]
	for _, row := range c.groups.Order {
		c.sorted = append(c.sorted, c.words[int(row)*perKey:(int(row)+1)*perKey]...)
	}
	for i := range c.groups.Len() {
		from, to := c.groups.Range(i)
		if err := a.add(states.Slabs(), c.states[c.groups.Order[from]], c.id, c.sorted[int(from)*perKey:int(to)*perKey]); err != nil {
			return err
		}
	}
	return nil
}

// sampleRows is the number of rows after which group gives up if they belong to more than half as many
// groups.
const sampleRows = 256

// group finds the group of each key, so that the keys of a group are added at once. If there are many groups,
// sorting does not pay: it gives up then and returns false.
func (c *keyedChunk) group() bool {
	c.groups.Reset(len(c.states))
	for i, s := range c.states {
		if i == sampleRows && c.groups.Len() > sampleRows/2 {
			return false
		}
		c.groups.Add(i, uintptr(unsafe.Pointer(s)), 0)
	}
	return true
}

// reset sets c to the arguments of a chunk.
func (a *keyedAgg) reset(c *keyedChunk, rows *duck.Rows, states duck.States) error {
	options := rows.Optional(1)
	if err := c.options.Reset(options, a.options); err != nil {
		return err
	}
	if err := states.Complete(rows.Col(0), options); err != nil {
		return err
	}
	if err := c.keys.Reset(rows.Col(0)); err != nil {
		return err
	}
	c.whole = c.keys.Words()
	c.weight = len(a.options) - 1
	c.complete = c.keys.AllValid() && (!c.options.Has(c.weight) || c.options.Column(c.weight).AllValid())
	return nil
}

// setPlan sets c.plan and c.id. The first key of the chunk is in row i.
func (a *keyedAgg) setPlan(c *keyedChunk, i int) error {
	params, err := c.options.Params(c.settings, i)
	if err != nil {
		return err
	}
	pairs, weighted := c.whole == nil, c.options.Has(c.weight)
	if p := &c.plan; p.params != params || p.class != c.keys.Class || p.pairs != pairs || p.weighted != weighted {
		bytes, seed := a.family.Empty(params)
		*p = keyedPlan{params: params, class: c.keys.Class, pairs: pairs, weighted: weighted, seed: seed, bytes: int64(bytes), laws: a.family.Laws(params)}
	}
	c.id = 0
	if c.plan.bytes > 0 {
		c.id = keyedPlans.number(c.plan)
	}
	return nil
}

// skip reports whether row i has no key, or NULL for its weight.
func (c *keyedChunk) skip(i int) bool {
	return !c.complete && (!c.keys.Valid(i) || c.options.Null(c.weight, i))
}

// read sets c.words and c.states to those of the rows that are not skipped.
func (c *keyedChunk) read(states duck.States) error {
	p, all := &c.plan, states.Slice()
	c.words, c.states = c.words[:0], c.states[:0]
	if c.complete && !p.pairs && !p.weighted {
		c.words, c.states = append(c.words, c.whole...), append(c.states, all...)
		return nil
	}
	for i := range states.Len() {
		if c.skip(i) {
			continue
		}
		if p.pairs {
			h1, h2, _ := c.keys.Hash(i, p.class, p.seed) // no error: the key is not converted
			c.words = append(c.words, h1, h2)
		} else {
			c.words = append(c.words, c.whole[i])
		}
		if p.weighted {
			n, err := c.options.Count(c.weight, i, 1)
			if err != nil {
				return err
			}
			c.words = append(c.words, n)
		}
		if all != nil {
			c.states = append(c.states, all[i])
		}
	}
	return nil
}

// rowByRow adds the keys of a chunk whose rows have options of their own, or whose sketches need keys
// instead of hashes.
func (a *keyedAgg) rowByRow(c *keyedChunk, states duck.States) error {
	params, uniform := c.plan.params, c.options.Uniform()
	for i := range states.Len() {
		if c.skip(i) {
			continue
		}
		var err error
		if !uniform {
			if params, err = c.options.Params(c.settings, i); err != nil {
				return err
			}
		}
		t, err := a.whole(states.At(i))
		if err != nil {
			return err
		}
		if err := a.prepare(t, params, c.keys.Class); err != nil {
			return err
		}
		n, err := c.options.Count(c.weight, i, 1)
		if err != nil {
			return err
		}
		b, err := c.keys.Bytes(i, keyed.BaseOf(t.s).KeyClass())
		if err != nil {
			return err
		}
		if err := a.family.AddKey(t.s, b, n); err != nil {
			return err
		}
		if err := t.charge(); err != nil {
			return err
		}
	}
	return nil
}
