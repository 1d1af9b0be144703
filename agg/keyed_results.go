package agg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// scratchSketch is a sketch that is reused: for each group whose keys wait, it gets these keys, to be
// encoded or united.
type scratchSketch struct {
	plan *keyedPlan // nil before the first use
	s    keyed.Sketch
}

// empty returns an empty sketch with the parameters of plan p, valid until the next call.
func (m *scratchSketch) empty(a *keyedAgg, p *keyedPlan) (s keyed.Sketch, err error) {
	if m.s != nil && m.plan == p {
		m.s.Reset()
		return m.s, keyed.BaseOf(m.s).SetKeyClass(p.class)
	}
	m.plan = p
	m.s, err = a.empty(p.params, p.class)
	return m.s, err
}

// Combine adds the keys of each state of from to the state of into at the same index.
func (a *keyedAgg) Combine(from, into duck.States) error {
	c := a.chunk()
	defer a.done(c)
	var m scratchSketch
	return a.withAdvice(c.combineStates(from, into, slotPlanOfKeys, func(s *duck.State, inSlots []uint64, into *duck.State) error {
		return a.combine(c, &m, s, inSlots, into)
	}))
}

// slotPlanOfKeys returns what states of a configuration can hold of keys without a page.
func slotPlanOfKeys(id uint32) slotPlan {
	p := keyedPlans.config(id)
	return slotPlan{config: id, sums: p.sums, inline: int(p.full()), slots: p.most}
}

// combine adds the state s to the state into. inSlots is the words in the slots of s. It does not
// change s.
func (a *keyedAgg) combine(c *keyedChunk, m *scratchSketch, s *duck.State, inSlots []uint64, into *duck.State) (err error) {
	var o *keyedPage
	if s.HasPage() {
		b, err := s.Page()
		if err != nil {
			return err
		}
		o = b.(*keyedPage)
	}
	f, g := inlineOf(s), inlineOf(into)
	if f.config == 0 { // no keys wait, so the source has a page
		t, err := a.wholePage(c, into)
		if err != nil {
			return err
		}
		return a.merge(t, o)
	}
	p := keyedPlans.config(f.config)
	switch {
	case g.config == 0 && !into.HasPage(): // the target has no keys yet
		if o != nil {
			t, err := a.page(into)
			if err != nil {
				return err
			}
			if err := a.merge(t, o); err != nil {
				return err
			}
		} else if len(inSlots) > 0 {
			if err := c.slots.hold(into, inSlots); err != nil {
				return err
			}
		}
		g.config, g.n, g.keys = f.config, f.n, f.keys
		return nil
	case g.config != 0 && g.config != f.config:
		return paramsDiffer(keyedPlans.config(g.config).params, p.params)
	case !p.sums:
		return a.unite(c, m, p, f, inSlots, o, into)
	case o != nil || f.inSlots > 0 || g.n+f.n > inlineMost:
		var t *keyedPage
		if t, err = a.wholePage(c, into); err != nil {
			return err
		}
		if o != nil {
			err = a.merge(t, o)
		} else {
			err = a.take(c, t, p, inSlots)
		}
	}
	g.config = f.config
	g.n += uint16(copy(g.keys[g.n:], f.keys[:f.n]))
	return err
}

// unite adds a state to the state into by uniting their sketches, because the order of keys matters. p
// is the plan of the first state's keys, f its inline words, waits its words in slots, o its page or nil.
func (a *keyedAgg) unite(c *keyedChunk, m *scratchSketch, p *keyedPlan, f *inlineWords, waits []uint64, o *keyedPage, into *duck.State) error {
	t, err := a.wholePage(c, into)
	if err != nil {
		return err
	}
	var s keyed.Sketch
	switch {
	case o == nil:
		if s, err = m.empty(a, p); err == nil {
			err = a.addWords(c, s, p, waits)
		}
	case f.n == 0:
		s = o.s
	default:
		s, err = a.family.Clone(o.s)
	}
	if err == nil && f.n > 0 {
		err = a.addWords(c, s, p, f.keys[:f.n])
	}
	if err != nil {
		return err
	}
	if err := a.family.Unite(t.s, s); err != nil {
		return err
	}
	return t.charge()
}

// withAdvice returns err. If memory was not enough for all groups, it adds the option that makes
// sketches smaller.
func (a *keyedAgg) withAdvice(err error) error {
	if (errors.Is(err, duck.ErrBudget) || errors.Is(err, duck.ErrReclaimed)) && slices.ContainsFunc(a.options, func(o args.Option) bool { return o.Name == "capacity" }) {
		return fmt.Errorf("%w: the sketch of each group has room for \"capacity\" keys, so set that to what a group has", err)
	}
	return err
}

// Finalize writes the BLOB of each state.
func (a *keyedAgg) Finalize(states duck.States, out *duck.Result) error {
	c := a.chunk()
	defer a.done(c)
	e := resultEncoder{a: a, c: c, out: out, first: -1}
	return a.withAdvice(c.finalizeStates(states, out, e.encode, func(s *duck.State, i int) error {
		return a.encode(c, s, out, i)
	}))
}

// encode writes the result of a state that has a page, as row i of out.
func (a *keyedAgg) encode(c *keyedChunk, state *duck.State, out *duck.Result, i int) error {
	t, err := a.wholePage(c, state)
	if err != nil {
		return err
	}
	if t.s == nil {
		out.SetNull(i)
		return nil
	}
	cost := a.cost(t)
	if err := out.Charge(cost); err != nil {
		return err
	}
	b, err := t.blob(nil)
	if err != nil {
		return err
	}
	out.SetBytes(i, b)
	out.Discharge(cost)
	return nil
}

// resultEncoder writes the results of states without a page.
type resultEncoder struct {
	a       *keyedAgg
	c       *keyedChunk
	out     *duck.Result
	scratch scratchSketch
	charged int64  // bytes charged so far
	blob    []byte // memory for a BLOB, reused

	config uint32     // number of the plan of the last states
	plan   *keyedPlan // the plan with the number config
	// hashes are the hashes of the keys that wait in some states of the batch. Their words begin at
	// index begin of the batch's words, and end before those of state end. State 0 of the batch is row
	// first of the result.
	hashes            hashes
	first, begin, end int
}

// hash computes the hashes of state j of the batch, and of the states behind it with the same plan.
// Hashing many keys at once is faster.
func (e *resultEncoder) hash(j int, config uint32) {
	if config != e.config {
		e.plan, e.config = keyedPlans.config(config), config
	}
	all := &e.c.all
	for e.end = j + 1; e.end < all.n && inlineOf(all.states[e.end]).config == config; e.end++ {
	}
	e.begin = all.begins[j]
	e.hashes = e.c.sorted.hashesOf(e.plan, all.words[e.begin:all.begins[e.end]])
}

// encode writes the result of row i, which is state j of the batch.
func (e *resultEncoder) encode(s *duck.State, i, j int) error {
	all := &e.c.all
	if i-j != e.first || j >= e.end {
		e.first = i - j
		e.hash(j, inlineOf(s).config)
	}
	from, to := all.begins[j]-e.begin, all.begins[j+1]-e.begin
	if e.plan.pairs {
		from, to = from/2, to/2
	}
	sketch, err := e.scratch.empty(e.a, e.plan)
	if err != nil {
		return err
	}
	if err := e.a.family.Add(sketch, e.hashes.h1s[from:to], e.hashes.h2s[from:to], nil); err != nil {
		return err
	}
	// Charge the sketch, its BLOB, and the sorted copy from which the BLOB is made.
	if n := 3 * int64(sketch.Bytes()); n > e.charged {
		if err := e.out.Charge(n - e.charged); err != nil {
			return err
		}
		e.charged = n
	}
	if e.blob, err = keyed.AppendBlob(e.blob[:0], sketch); err != nil {
		return err
	}
	e.out.SetBytes(i, e.blob)
	return nil
}
