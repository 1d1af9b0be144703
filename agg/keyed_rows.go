package agg

import (
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// keyedAgg is the aggregate X_agg of a family X: it builds sketches from keys.
type keyedAgg struct {
	*keyedPages
	options []args.Option
	chunks  sync.Pool
}

// keyedChunk is the memory of a callback of X_agg.
type keyedChunk struct {
	options  args.Options
	settings keyed.Settings
	keys     args.Keys
	given    *duck.Vector // the column of options, or nil
	weight   int          // index of the option weight
	weighted bool         // there is a column of weights
	complete bool         // no row is skipped

	uniform bool // all rows have the same parameters
	params  any  // the family's Params of the last row that was read; nil at first

	// last is the plan of the chunk's keys. id is the plan's number, or 0 if keys cannot wait.
	last keyedPlan
	id   uint32

	hashes            // hashes of the keys of a run of rows
	sorted     hashes // hashes of the keys of rows or states, sorted by group
	converted  hashes // hashes of keys that waited
	words      []uint64
	fullStates []inlineKeys
	states     []*duck.State
	pages      []duck.Page
	waitingWords

	groups rowGroups

	repeats distinctKeys
}

// hashes is the two hashes of each of some keys. Key i counts ns[i] times, or once if ns is empty. If
// h2s is empty, h1s contains keys of 8 bytes that are not hashed yet.
type hashes struct{ h1s, h2s, ns []uint64 }

// part returns the hashes of keys from to to-1.
func (h *hashes) part(from, to int) hashes {
	p := hashes{h1s: h.h1s[from:to]}
	if len(h.h2s) > 0 {
		p.h2s = h.h2s[from:to]
	}
	if len(h.ns) > 0 {
		p.ns = h.ns[from:to]
	}
	return p
}

// chunk returns the memory of a callback, until done.
func (a *keyedAgg) chunk() *keyedChunk {
	c := a.chunks.Get().(*keyedChunk)
	c.fullStates, c.words = c.fullStates[:0], c.words[:0]
	return c
}

// done gives a chunk back for use again.
func (a *keyedAgg) done(c *keyedChunk) {
	c.waitingWords.done()
	a.chunks.Put(c)
}

// Update adds the keys of a chunk to the states of their rows.
func (a *keyedAgg) Update(rows *duck.Rows, states duck.States) error {
	return a.withAdvice(a.update(rows, states))
}

// update is Update without advice in its errors.
func (a *keyedAgg) update(rows *duck.Rows, states duck.States) error {
	c := a.chunk()
	defer a.done(c)
	if err := a.reset(c, rows, states); err != nil {
		return err
	}
	first, _ := c.next(0, rows.Len())
	if first == rows.Len() {
		return nil
	}
	if err := a.plan(c, first); err != nil {
		return err
	}
	if states.Single() {
		return a.run(c, states.At(0), first, rows.Len())
	}
	all := states.Slice()
	if c.uniform && c.groups.assign(all) {
		return a.grouped(c, all)
	}
	return a.runs(c, all)
}

// longRun is the number of consecutive rows of one group from which they are added at once.
const longRun = 16

// runs adds the keys of a chunk; all is the states of its rows. It adds consecutive rows of one group
// at once if they are longRun or more, or if keys cannot wait. It scatters the other rows.
func (a *keyedAgg) runs(c *keyedChunk, all []*duck.State) error {
	done := 0
	for i := 0; i < len(all); {
		from := i
		for i++; i < len(all) && all[i] == all[from]; i++ {
		}
		if c.id != 0 && i-from < longRun {
			continue
		}
		if err := a.scatter(c, all, done, from); err != nil {
			return err
		}
		if err := a.run(c, all[from], from, i); err != nil {
			return err
		}
		done = i
	}
	return a.scatter(c, all, done, len(all))
}

// reset sets c to the arguments of a chunk, and finds out which facts hold for all of its rows.
func (a *keyedAgg) reset(c *keyedChunk, rows *duck.Rows, states duck.States) error {
	c.given, c.params, c.weight = nil, nil, len(a.options)-1
	if rows.NumCols() > 1 {
		c.given = rows.Col(1)
	}
	if err := c.options.Reset(c.given, a.options); err != nil {
		return err
	}
	if err := states.Complete(rows.Col(0), c.given); err != nil {
		return err
	}
	if err := c.keys.Reset(rows.Col(0)); err != nil {
		return err
	}
	c.uniform = c.options.Uniform()
	c.weighted = c.options.Has(c.weight)
	c.complete = c.keys.AllValid() && (!c.weighted || c.options.Column(c.weight).AllValid())
	return nil
}

// skip reports whether row i has no key, or NULL for its weight.
func (c *keyedChunk) skip(i int) bool {
	return !c.keys.Valid(i) || c.weighted && c.given.Valid(i) && !c.options.Given(c.weight, i)
}

// next finds the next run of rows that are not skipped, from row i on and before row end. It returns its
// first row, and the row behind its last one. Both are end if there is no such row.
func (c *keyedChunk) next(i, end int) (from, to int) {
	if c.complete {
		return i, end
	}
	for from = i; from < end && c.skip(from); from++ {
	}
	for to = from; to < end && !c.skip(to); to++ {
	}
	return from, to
}

// clear removes all keys from h.
func (h *hashes) clear() { h.h1s, h.h2s, h.ns = h.h1s[:0], h.h2s[:0], h.ns[:0] }

// hash appends the hashes of the keys of rows from to to-1 to c.hashes. None of these rows is skipped.
func (c *keyedChunk) hash(from, to int, seed uint64) (err error) {
	c.h1s, c.h2s = c.keys.AppendHashes(c.h1s, c.h2s, from, to, seed)
	if c.weighted {
		c.ns, err = c.options.AppendCounts(c.ns, c.weight, from, to, 1)
	}
	return err
}

// run adds the keys of rows from to to-1, which belong to one group, to its state.
func (a *keyedAgg) run(c *keyedChunk, state *duck.State, from, to int) error {
	rows := to - from
	from, end := c.next(from, to)
	if from == to {
		return nil
	}
	if c.id != 0 && rows <= c.last.most {
		for ; from < to; from, end = c.next(end, to) {
			c.clear()
			if err := c.read(from, end, c.last.seed); err != nil {
				return err
			}
			if err := a.wait(c, state, c.hashes); err != nil {
				return err
			}
		}
		return nil
	}
	t, err := a.sketchPage(c, state, from)
	if err != nil {
		return err
	}
	if keyed.ByValue(t.s) || !c.uniform {
		return a.runRows(c, state, from, to)
	}
	if c.complete {
		if done, err := a.addDistinct(c, t, from, to); done {
			return err
		}
	}
	c.clear()
	for seed := keyed.BaseOf(t.s).Seed(); from < to; from, end = c.next(end, to) {
		if err := c.hash(from, end, seed); err != nil {
			return err
		}
	}
	return a.add(c, t, c.hashes)
}

// add adds keys to the sketch of a page.
func (a *keyedAgg) add(c *keyedChunk, t *keyedPage, h hashes) error {
	if len(h.h2s) == 0 {
		h = c.converted.hashWords(keyed.BaseOf(t.s).Seed(), h.h1s)
	}
	if len(h.ns) == 0 {
		h.ns = nil
	}
	if err := a.family.Add(t.s, h.h1s, h.h2s, h.ns); err != nil {
		return err
	}
	return t.charge()
}

// runRows does what run does, row by row: if rows have options of their own, or the sketch needs keys
// instead of hashes.
func (a *keyedAgg) runRows(c *keyedChunk, state *duck.State, from, to int) error {
	var t *keyedPage
	c.clear()
	for i := from; i < to; i++ {
		if c.skip(i) {
			continue
		}
		if t == nil || !c.uniform {
			var err error
			if t, err = a.sketchPage(c, state, i); err != nil {
				return err
			}
		}
		if !keyed.ByValue(t.s) {
			if err := c.hash(i, i+1, keyed.BaseOf(t.s).Seed()); err != nil {
				return err
			}
			continue
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
	}
	if len(c.h1s) == 0 { // without hashes, AddKey has added all keys already
		return t.charge()
	}
	return a.add(c, t, c.hashes)
}

// grouped adds the keys of a chunk whose groups are mixed. It adds the keys of one group at once, in the
// order of their rows. all is the states of the rows.
func (a *keyedAgg) grouped(c *keyedChunk, all []*duck.State) error {
	first, end := c.next(0, len(all))
	seed := c.last.seed
	if c.id == 0 {
		t, err := a.sketchPage(c, all[first], first)
		if err != nil {
			return err
		}
		if keyed.ByValue(t.s) {
			return a.runs(c, all)
		}
		seed = keyed.BaseOf(t.s).Seed()
	}
	c.clear()
	g := &c.groups
	g.begin()
	for from := first; from < len(all); from, end = c.next(end, len(all)) {
		if err := c.read(from, end, seed); err != nil {
			return err
		}
		g.keep(from, end)
	}
	g.sort(&c.sorted, &c.hashes)
	at := 0
	for i, state := range g.states {
		n := int(g.sizes[i])
		if n == 0 { // all rows of the group were skipped
			continue
		}
		if err := a.group(c, state, first, c.sorted.part(at, at+n)); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// group adds keys to one group; i is a row with the options.
func (a *keyedAgg) group(c *keyedChunk, state *duck.State, i int, h hashes) error {
	if c.id != 0 {
		return a.wait(c, state, h)
	}
	t, err := a.sketchPage(c, state, i)
	if err != nil {
		return err
	}
	return a.add(c, t, h)
}

// sketchPage returns the page of a group, with a sketch. The error says that its parameters are not
// those of row i's options.
func (a *keyedAgg) sketchPage(c *keyedChunk, state *duck.State, i int) (*keyedPage, error) {
	if c.params == nil || !c.uniform {
		p, err := c.options.Params(c.settings, i)
		if err != nil {
			return nil, err
		}
		c.params = p
	}
	t, err := a.wholePage(c, state)
	if err != nil {
		return nil, err
	}
	if t.s != nil {
		if t.params != c.params {
			return nil, paramsDiffer(t.params, c.params)
		}
		return t, nil
	}
	s, err := a.empty(c.params, c.keys.Class)
	if err != nil {
		return nil, err
	}
	t.s, t.params = s, c.params
	return t, t.charge()
}
