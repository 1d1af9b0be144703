package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// spare is a sketch that keys which waited are put into to be encoded or united, of one group
// after the other.
type spare struct {
	plan *keyedPlan // nil where there is none yet
	s    keyed.Sketch
}

// of is an empty sketch of a plan, until the next call.
func (m *spare) of(a *keyedAgg, p *keyedPlan) (s keyed.Sketch, err error) {
	if r, ok := m.s.(keyed.Reusable); ok && m.plan == p {
		r.Reset()
		return m.s, keyed.BaseOf(m.s).SetKeyClass(p.class)
	}
	m.plan = p
	m.s, err = a.empty(p.params, p.class)
	return m.s, err
}

// pagesOf are the pages of states; nil where there is none.
func (c *keyedChunk) pagesOf(states duck.States) (err error) {
	c.states = c.states[:0]
	for i := range states.Len() {
		c.states = append(c.states, states.At(i))
	}
	c.pages, err = duck.Pages(c.pages[:0], c.states)
	return err
}

func (a *keyedAgg) Combine(from, into duck.States) error {
	c := a.chunk(0)
	defer a.done(c)
	if err := c.pagesOf(from); err != nil {
		return err
	}
	var m spare
	for i, s := range c.states {
		o, _ := c.pages[i].(*keyedPage)
		if o == nil && fewOf(s).config == 0 {
			continue
		}
		if err := a.combine(c, &m, s, o, into.At(i)); err != nil {
			return err
		}
	}
	return nil
}

// combine adds a state, whose page is o if it has one, to another one. It stays as it is: DuckDB may
// combine it with others at the same time.
func (a *keyedAgg) combine(c *keyedChunk, m *spare, s *duck.State, o *keyedPage, into *duck.State) error {
	f, g := fewOf(s), fewOf(into)
	if f.config == 0 { // no keys wait
		t, err := a.ripe(c, into)
		if err != nil {
			return err
		}
		return a.merge(t, o)
	}
	slot, err := s.Slot()
	if err != nil {
		return err
	}
	waits := slot[:f.held]
	p, err := keyedPlans.of(f.config)
	if err != nil {
		return err
	}
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
		} else if f.held > 0 {
			if err := c.slots.hold(into, waits); err != nil {
				return err
			}
		}
		g.config, g.n, g.keys = f.config, f.n, f.keys
		return nil
	case g.config != 0 && g.config != f.config:
		q, err := keyedPlans.of(g.config)
		if err != nil {
			return err
		}
		return differingParams(q.params, p.params)
	case !p.sums:
		return a.unite(c, m, p, f, waits, o, into)
	case o == nil && p.holds(into, int(g.n+f.held)):
		if g.n+f.n > fewPoints {
			err = c.slots.hold(into, g.keys[:g.n], waits)
			g.n = 0
		} else if f.held > 0 {
			err = c.slots.hold(into, waits)
		}
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
func (a *keyedAgg) unite(c *keyedChunk, m *spare, p *keyedPlan, f *few, waits []uint64, o *keyedPage, into *duck.State) error {
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
	if o != nil {
		t.by.add(o.by)
	}
	if err := a.family.Unite(t.s, s); err != nil {
		return err
	}
	return t.charge()
}

// enough is how many words of groups are gathered at least before they are hashed.
const enough = 1 << 12

func (a *keyedAgg) Finalize(states duck.States, out *duck.Result) error {
	c := a.chunk(0)
	defer a.done(c)
	if err := c.pagesOf(states); err != nil {
		return err
	}
	e := encoding{a: a, c: c, out: out}
	for i, state := range c.states {
		t, _ := c.pages[i].(*keyedPage)
		f := fewOf(state)
		var err error
		switch {
		case t != nil && t.s != nil:
			err = a.encode(c, state, out, i)
		case f.config == 0:
			out.SetNull(i)
		default:
			err = e.gather(i, state, f)
		}
		if err != nil {
			return err
		}
	}
	return e.flush()
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

// encoding makes the results of states whose keys wait. They are read for many groups and then
// hashed, so that misses overlap.
type encoding struct {
	a       *keyedAgg
	c       *keyedChunk
	out     *duck.Result
	spare   spare
	charged int64
	blob    []byte

	config uint32 // of the groups that are gathered
	plan   *keyedPlan
}

// keysOf is a row of the result, and where its keys end.
type keysOf struct{ row, end int }

// gather reads the keys of row i.
func (e *encoding) gather(i int, s *duck.State, f *few) (err error) {
	c := e.c
	if f.config != e.config {
		if err := e.flush(); err != nil {
			return err
		}
		if e.plan, err = keyedPlans.of(f.config); err != nil {
			return err
		}
		e.config = f.config
	}
	slot, err := s.Slot()
	if err != nil {
		return err
	}
	c.words = append(append(c.words, slot[:f.held]...), f.keys[:f.n]...)
	c.results = append(c.results, keysOf{i, len(c.words)})
	if len(c.words) >= enough {
		return e.flush()
	}
	return nil
}

// flush makes the results of the keys that are gathered.
func (e *encoding) flush() error {
	c, p := e.c, e.plan
	if len(c.results) == 0 {
		return nil
	}
	h, at := c.hashesOf(p, c.words), 0
	for _, g := range c.results {
		s, err := e.spare.of(e.a, p)
		if err != nil {
			return err
		}
		end := g.end
		if p.pairs {
			end /= 2
		}
		if err := e.a.family.Add(s, h.h1s[at:end], h.h2s[at:end], nil); err != nil {
			return err
		}
		at = end
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
		e.out.SetBytes(g.row, e.blob)
	}
	c.words, c.results = c.words[:0], c.results[:0]
	return nil
}
