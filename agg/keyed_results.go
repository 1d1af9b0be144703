package agg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// scratchSketch is a sketch that keys which waited are put into to be encoded or united, of one group
// after the other.
type scratchSketch struct {
	plan *keyedPlan // nil where there is none yet
	s    keyed.Sketch
}

// of is an empty sketch of a plan, until the next call.
func (m *scratchSketch) of(a *keyedAgg, p *keyedPlan) (s keyed.Sketch, err error) {
	if m.s != nil && m.plan == p {
		m.s.Reset()
		return m.s, keyed.BaseOf(m.s).SetKeyClass(p.class)
	}
	m.plan = p
	m.s, err = a.empty(p.params, p.class)
	return m.s, err
}

// pagesOf are the pages of states, none where no state has any; each is nil where there is none.
func (c *keyedChunk) pagesOf(states duck.States) (err error) {
	c.states, c.pages = c.states[:0], c.pages[:0]
	some := false
	for i := range states.Len() {
		s := states.At(i)
		c.states = append(c.states, s)
		some = some || s.HasPage()
	}
	if some {
		c.pages, err = duck.Pages(c.pages, c.states)
	}
	return err
}

// pageOf is the page of state i, nil where there is none.
func (c *keyedChunk) pageOf(i int) *keyedPage {
	if len(c.pages) == 0 {
		return nil
	}
	t, _ := c.pages[i].(*keyedPage)
	return t
}

func (a *keyedAgg) Combine(from, into duck.States) error {
	return a.withAdvice(a.combineAll(from, into))
}

func (a *keyedAgg) combineAll(from, into duck.States) error {
	c := a.chunk()
	defer a.done(c)
	if err := c.pagesOf(from); err != nil {
		return err
	}
	var m scratchSketch
	var w slotPlan
	var p *keyedPlan // of w
	for i := 0; i < len(c.states); {
		first := i
		end, err := c.all.readBoth(from, into, i)
		if err != nil {
			return err
		}
		for ; i < end; i++ {
			s, o := c.states[i], c.pageOf(i)
			if o == nil && s.HasPage() { // since then
				b, err := s.Page()
				if err != nil {
					return err
				}
				o = b.(*keyedPage)
			}
			held, err := c.all.now(i-first, &c.again)
			if err != nil {
				return err
			}
			f := fewOf(s)
			if f.config == 0 { // no keys wait
				if o != nil {
					t, err := a.ripe(c, into.At(i))
					if err != nil {
						return err
					}
					if err := a.merge(t, o); err != nil {
						return err
					}
				}
				continue
			}
			if f.config != w.config {
				p = keyedPlans.config(f.config)
				w = slotPlan{f.config, int(p.full()), p.most}
			}
			if o == nil && p.sums {
				if done, err := c.slots.join(w, f, held, into.At(i)); err != nil {
					return err
				} else if done {
					continue
				}
			}
			if err := a.combine(c, &m, s, p, held, o, into.At(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// combine adds a state, in whose slots words of a plan wait and whose page is o if it has one, to
// another one. It stays as it is: DuckDB may combine it with others at the same time.
func (a *keyedAgg) combine(c *keyedChunk, m *scratchSketch, s *duck.State, p *keyedPlan, waits []uint64, o *keyedPage, into *duck.State) (err error) {
	f, g := fewOf(s), fewOf(into)
	switch {
	case g.config == 0 && !into.HasPage(): // without keys so far
		if o != nil {
			t, err := a.of(into)
			if err != nil {
				return err
			}
			if err := a.merge(t, o); err != nil {
				return err
			}
		} else if len(waits) > 0 {
			if err := c.slots.hold(into, waits, nil); err != nil {
				return err
			}
		}
		g.config, g.n, g.keys = f.config, f.n, f.keys
		return nil
	case g.config != 0 && g.config != f.config:
		return differingParams(keyedPlans.config(g.config).params, p.params)
	case !p.sums:
		return a.unite(c, m, p, f, waits, o, into)
	case o != nil || f.held > 0 || g.n+f.n > fewPoints:
		var t *keyedPage
		if t, err = a.ripe(c, into); err != nil {
			return err
		}
		if o != nil {
			err = a.merge(t, o)
		} else {
			err = a.take(c, t, p, waits)
		}
	}
	g.config = f.config
	g.n += uint16(copy(g.keys[g.n:], f.keys[:f.n]))
	return err
}

// unite adds what depends on the order of keys, the sketches of both.
func (a *keyedAgg) unite(c *keyedChunk, m *scratchSketch, p *keyedPlan, f *inlinePoints, waits []uint64, o *keyedPage, into *duck.State) error {
	t, err := a.ripe(c, into)
	if err != nil {
		return err
	}
	var s keyed.Sketch
	switch {
	case o == nil:
		if s, err = m.of(a, p); err == nil {
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

func (a *keyedAgg) Finalize(states duck.States, out *duck.Result) error {
	return a.withAdvice(a.finalize(states, out))
}

// withAdvice is err, with the option that makes sketches smaller where memory was not enough for all groups.
func (a *keyedAgg) withAdvice(err error) error {
	if (errors.Is(err, duck.ErrBudget) || errors.Is(err, duck.ErrReclaimed)) && slices.ContainsFunc(a.options, func(o args.Option) bool { return o.Name == "capacity" }) {
		return fmt.Errorf("%w: the sketch of each group has room for \"capacity\" keys, so set that to what a group has", err)
	}
	return err
}

func (a *keyedAgg) finalize(states duck.States, out *duck.Result) error {
	c := a.chunk()
	defer a.done(c)
	if err := c.pagesOf(states); err != nil {
		return err
	}
	e := resultEncoder{a: a, c: c, out: out}
	for i := 0; i < len(c.states); {
		first := i
		end, err := c.all.read(states, i, true)
		if err != nil {
			return err
		}
		e.end = 0
		for ; i < end; i++ {
			state := c.states[i]
			t, f := c.pageOf(i), fewOf(state)
			switch {
			case t != nil && (t.s != nil || f.config != 0):
				err = a.encode(c, state, out, i)
			case f.config == 0:
				out.SetNull(i)
			default:
				err = e.encode(i, i-first)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// encode makes the result of a state with a sketch.
func (a *keyedAgg) encode(c *keyedChunk, state *duck.State, out *duck.Result, i int) error {
	t, err := a.ripe(c, state)
	if err != nil {
		return err
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

// resultEncoder makes the results of states whose keys wait.
type resultEncoder struct {
	a       *keyedAgg
	c       *keyedChunk
	out     *duck.Result
	spare   scratchSketch
	charged int64
	blob    []byte

	config uint32
	plan   *keyedPlan // of that
	hashes hashes     // of the words from begin on, of states of that plan up to this one
	begin  int
	end    int
}

// hash makes the hashes of state j of those that were read and of those behind it, as many as have the
// same plan: few keys are not hashed at once.
func (e *resultEncoder) hash(j int, config uint32) {
	if config != e.config {
		e.plan, e.config = keyedPlans.config(config), config
	}
	all := &e.c.all
	for e.end = j + 1; e.end < all.n && fewOf(all.states[e.end]).config == config; e.end++ {
	}
	e.begin = all.begins[j]
	e.hashes = e.c.sorted.waited(e.plan, all.words[e.begin:all.begins[e.end]])
}

// encode makes the result of row i, which is state j of those that were read.
func (e *resultEncoder) encode(i, j int) error {
	all := &e.c.all
	if j >= e.end {
		e.hash(j, fewOf(all.states[j]).config)
	}
	from, to := all.begins[j]-e.begin, all.begins[j+1]-e.begin
	if e.plan.pairs {
		from, to = from/2, to/2
	}
	s, err := e.spare.of(e.a, e.plan)
	if err != nil {
		return err
	}
	if err := e.a.family.Add(s, e.hashes.h1s[from:to], e.hashes.h2s[from:to], nil); err != nil {
		return err
	}
	// The sketch, its BLOB, and what is put in order for that.
	if n := 3 * int64(s.Bytes()); n > e.charged {
		if err := e.out.Charge(n - e.charged); err != nil {
			return err
		}
		e.charged = n
	}
	if e.blob, err = keyed.AppendBlob(e.blob[:0], s); err != nil {
		return err
	}
	e.out.SetBytes(i, e.blob)
	return nil
}
