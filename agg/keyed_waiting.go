package agg

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// keyedPlan is what is to become of keys that wait.
type keyedPlan struct {
	params any // of the family
	seed   uint64
	class  key.Class
	pairs  bool // keys wait as their hashes, of two words each; others are words themselves
	sums   bool // a union is the sketch of all keys, whatever their order
	most   int  // words that wait in slots at most; 0: none wait
}

// keyedPlans are those of all families, whose params have different types.
var keyedPlans numbering[keyedPlan]

const (
	// leastWords is how many words slots may have however small the sketch: about what a
	// page takes beside the counters.
	leastWords = 54
	// mostBytes is the size of sketches from which keys do not wait: there are never many.
	mostBytes = 1 << 19
)

// plan finds out what is to become of the keys of a chunk, the first of which is row i's,
// and whether they can wait.
func (a *keyedAgg) plan(c *keyedChunk, i int) (err error) {
	c.id = 0
	if !c.uniform {
		return nil
	}
	if c.params, err = c.options.Params(c.settings, i); err != nil {
		return err
	}
	pairs := c.keys.Words(i, i+1) == nil
	if p := &c.last; p.params != c.params || p.class != c.keys.Class || p.pairs != pairs {
		*p = keyedPlan{params: c.params, class: c.keys.Class, pairs: pairs}
		var bytes uint64
		if bytes, p.seed = a.family.Empty(c.params); bytes > 0 && bytes < mostBytes {
			laws := a.family.Laws(c.params)
			p.sums = laws.OrderFree && laws.UnionEqualsWhole
			p.most = min(max(int(bytes)/8, leastWords), duck.MaxSlot)
		}
	}
	if c.last.most > 0 && !c.weighted {
		c.id = keyedPlans.number(c.last)
	}
	return nil
}

// empty is a sketch without keys.
func (a *keyedPages) empty(params any, class key.Class) (keyed.Sketch, error) {
	s, err := a.family.Make(params)
	if err != nil {
		return nil, err
	}
	if err := keyed.BaseOf(s).SetKeyClass(class); err != nil {
		return nil, err
	}
	if l, ok := s.(keyed.Later); ok {
		l.Later()
	}
	return s, nil
}

// words appends keys as they wait.
func (h *hashes) words(dst []uint64) []uint64 {
	if len(h.h2s) == 0 {
		return append(dst, h.h1s...)
	}
	for i, h1 := range h.h1s {
		dst = append(dst, h1, h.h2s[i])
	}
	return dst
}

// sized has room for the hashes of n keys.
func (h *hashes) sized(n int) hashes {
	h.h1s, h.h2s = slices.Grow(h.h1s[:0], n)[:n], slices.Grow(h.h2s[:0], n)[:n]
	return hashes{h1s: h.h1s, h2s: h.h2s}
}

// hashed are the hashes of keys of 8 bytes, in the memory of h.
func (h *hashes) hashed(seed uint64, words []uint64) hashes {
	made := h.sized(len(words))
	key.HashUint64s(seed, words, made.h1s, made.h2s)
	return made
}

// waited are the hashes of keys that waited, in the memory of h.
func (h *hashes) waited(p *keyedPlan, words []uint64) hashes {
	if !p.pairs {
		return h.hashed(p.seed, words)
	}
	made := h.sized(len(words) / 2)
	for i := range made.h1s {
		made.h1s[i], made.h2s[i] = words[2*i], words[2*i+1]
	}
	return made
}

// addWords counts keys that waited in a sketch.
func (a *keyedAgg) addWords(c *keyedChunk, s keyed.Sketch, p *keyedPlan, words []uint64) error {
	h := c.made.waited(p, words)
	return a.family.Add(s, h.h1s, h.h2s, nil)
}

// take gives a page keys that waited in a state.
func (a *keyedAgg) take(c *keyedChunk, t *keyedPage, p *keyedPlan, words []uint64) error {
	if len(words) == 0 {
		return nil
	}
	if t.params != p.params {
		return differingParams(t.params, p.params)
	}
	if err := a.addWords(c, t.s, p, words); err != nil {
		return err
	}
	return t.charge()
}

// ripe is the page of a state. If any keys have waited there, it has a sketch, which takes them
// all.
func (a *keyedAgg) ripe(c *keyedChunk, s *duck.State) (*keyedPage, error) {
	f := inlineOf(s)
	if f.config == 0 {
		return a.of(s)
	}
	p := keyedPlans.config(f.config)
	held, err := c.own.one(s)
	if err != nil {
		return nil, err
	}
	t, err := a.promote(c, s, p, held)
	if err != nil {
		return nil, err
	}
	if err := a.take(c, t, p, f.keys[:f.n]); err != nil {
		return nil, err
	}
	f.n = 0
	return t, nil
}

// promote gives a state a page with a sketch, if it has none, which takes the keys that its slots
// hold.
func (a *keyedAgg) promote(c *keyedChunk, s *duck.State, p *keyedPlan, held []uint64) (*keyedPage, error) {
	t, err := a.of(s)
	if err != nil || t.s != nil {
		return t, err
	}
	if t.s, err = a.empty(p.params, p.class); err != nil {
		return nil, err
	}
	t.params = p.params
	inlineOf(s).held = 0
	return t, a.take(c, t, p, held)
}

// holds reports whether so many words more can go into slots of a state.
func (p *keyedPlan) holds(s *duck.State, words int) bool {
	return !s.HasPage() && int(inlineOf(s).held)+words <= p.most
}

// wait takes keys of the chunk's plan, all of one group.
func (a *keyedAgg) wait(c *keyedChunk, s *duck.State, h hashes) error {
	f, n := inlineOf(s), len(h.h1s)+len(h.h2s)
	if f.takes(c.id) {
		f.config = c.id
		if int(f.n)+n <= inlineMost {
			f.n = uint16(len(h.words(f.keys[:f.n])))
			return nil
		}
		if c.last.holds(s, int(f.n)+n) {
			c.words = h.words(c.words[:0])
			return c.slots.hold(s, c.words)
		}
	}
	t, err := a.ripe(c, s)
	if err != nil {
		return err
	}
	if t.params != c.params {
		return differingParams(t.params, c.params)
	}
	return a.add(c, t, h)
}

// inlineKeys are the keys that a state with a page had room for.
type inlineKeys struct {
	state *duck.State
	keys  [inlineMost]uint64
}

// scatter takes the keys of rows from..to-1, of the chunk's plan: each into the state of its
// group. Where that is full, its keys go together into a slot, or after all rows to the page.
func (a *keyedAgg) scatter(c *keyedChunk, all []*duck.State, from, to int) error {
	for from, end := c.next(from, to); from < to; from, end = c.next(end, to) {
		c.clear()
		if err := c.read(from, end, c.last.seed); err != nil {
			return err
		}
		for i, s := range all[from:end] {
			f := inlineOf(s)
			full := f.n == c.last.full()
			if !f.takes(c.id) || full && c.last.holds(s, inlineMost+1) {
				if err := a.wait(c, s, c.part(i, i+1)); err != nil {
					return err
				}
				continue
			}
			if full {
				c.held = append(c.held, inlineKeys{s, f.keys})
				f.n = 0
			}
			f.config = c.id
			f.keys[f.n] = c.h1s[i]
			f.n++
			if c.last.pairs {
				f.keys[f.n] = c.h2s[i]
				f.n++
			}
		}
	}
	return a.deliver(c)
}

// full is how many words a state holds that has no room for another key.
func (p *keyedPlan) full() uint16 {
	if p.pairs {
		return inlineMost - 1
	}
	return inlineMost
}

// read appends the keys of rows from..to-1, of which none is skipped: as they wait, where they
// can, otherwise their hashes.
func (c *keyedChunk) read(from, to int, seed uint64) error {
	if c.id == 0 || c.last.pairs {
		return c.hash(from, to, seed)
	}
	c.h1s = append(c.h1s, c.keys.Words(from, to)...)
	return nil
}

// deliver gives pages what states had no room for.
func (a *keyedAgg) deliver(c *keyedChunk) (err error) {
	c.states = c.states[:0]
	for i := range c.held {
		c.states = append(c.states, c.held[i].state)
	}
	for rest := c.states; len(rest) > 0; {
		n, err := c.all.first(rest)
		if err != nil {
			return err
		}
		for j, s := range rest[:n] {
			if s.HasPage() { // or it came up twice
				continue
			}
			if _, err := a.promote(c, s, &c.last, c.all.held[j]); err != nil {
				return err
			}
		}
		rest = rest[n:]
	}
	if c.pages, err = duck.Pages(c.pages[:0], c.states); err != nil {
		return err
	}
	for i := range c.held {
		if err := a.take(c, c.pages[i].(*keyedPage), &c.last, c.held[i].keys[:c.last.full()]); err != nil {
			return err
		}
	}
	c.held = c.held[:0]
	return nil
}
