package agg

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// keyedPlan says how keys of one configuration wait, and which sketch they are for.
type keyedPlan struct {
	params any       // the family's Params
	seed   uint64    // seed of the hashes
	class  key.Class // class of the keys
	// If pairs is true, a key waits as its two hashes. Otherwise the key itself waits, as one word.
	pairs bool
	// sums is true if unions and the order of keys do not change the sketch: words of two states can then
	// be joined.
	sums bool
	// most is the largest number of words that a state can have in slots. It is 0 if keys do not wait.
	most int
}

// keyedPlans numbers the plans of all families. Their params have different types.
var keyedPlans numbering[keyedPlan]

const (
	// minSlotWords is the number of words that slots may have even if the sketch is smaller. A page
	// needs about as much memory beside the sketch's counters.
	minSlotWords = 54
	// maxSketch limits waiting: keys of a sketch of so many bytes or more get a page at once.
	maxSketch = 1 << 19
)

// plan sets c.last, the plan of the chunk's keys, and c.id, the plan's number. c.id is 0 if keys cannot
// wait. The first key of the chunk is in row i.
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
		if bytes, p.seed = a.family.Empty(c.params); bytes > 0 && bytes < maxSketch {
			laws := a.family.Laws(c.params)
			p.sums = laws.OrderFree && laws.UnionEqualsWhole
			p.most = min(max(int(bytes)/8, minSlotWords), duck.MaxSlot)
		}
	}
	if c.last.most > 0 && !c.weighted {
		c.id = keyedPlans.number(c.last)
	}
	return nil
}

// empty returns a sketch without keys.
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

// appendWords appends the words of keys that are to wait.
func (h *hashes) appendWords(dst []uint64) []uint64 {
	if len(h.h2s) == 0 {
		return append(dst, h.h1s...)
	}
	for i, h1 := range h.h1s {
		dst = append(dst, h1, h.h2s[i])
	}
	return dst
}

// resize returns room for the hashes of n keys, in the memory of h.
func (h *hashes) resize(n int) hashes {
	h.h1s, h.h2s = slices.Grow(h.h1s[:0], n)[:n], slices.Grow(h.h2s[:0], n)[:n]
	return hashes{h1s: h.h1s, h2s: h.h2s}
}

// hashWords returns the hashes of keys of 8 bytes, in the memory of h.
func (h *hashes) hashWords(seed uint64, words []uint64) hashes {
	made := h.resize(len(words))
	key.HashUint64s(seed, words, made.h1s, made.h2s)
	return made
}

// hashesOf returns the hashes of keys that waited as words, in the memory of h.
func (h *hashes) hashesOf(p *keyedPlan, words []uint64) hashes {
	if !p.pairs {
		return h.hashWords(p.seed, words)
	}
	made := h.resize(len(words) / 2)
	for i := range made.h1s {
		made.h1s[i], made.h2s[i] = words[2*i], words[2*i+1]
	}
	return made
}

// addWords adds keys that waited as words to a sketch.
func (a *keyedAgg) addWords(c *keyedChunk, s keyed.Sketch, p *keyedPlan, words []uint64) error {
	h := c.converted.hashesOf(p, words)
	return a.family.Add(s, h.h1s, h.h2s, nil)
}

// take adds keys that waited as words to the sketch of a page.
func (a *keyedAgg) take(c *keyedChunk, t *keyedPage, p *keyedPlan, words []uint64) error {
	if len(words) == 0 {
		return nil
	}
	if t.params != p.params {
		return paramsDiffer(t.params, p.params)
	}
	if err := a.addWords(c, t.s, p, words); err != nil {
		return err
	}
	return t.charge()
}

// wholePage returns the page of a state, with all keys that waited in the state and its slots. The
// page has a sketch if any keys waited.
func (a *keyedAgg) wholePage(c *keyedChunk, s *duck.State) (*keyedPage, error) {
	f := inlineOf(s)
	if f.config == 0 {
		return a.page(s)
	}
	p := keyedPlans.config(f.config)
	inSlots, err := c.own.one(s)
	if err != nil {
		return nil, err
	}
	t, err := a.promote(c, s, p, inSlots)
	if err != nil {
		return nil, err
	}
	if err := a.take(c, t, p, f.keys[:f.n]); err != nil {
		return nil, err
	}
	f.n = 0
	return t, nil
}

// promote returns the page of a state, with a sketch. If it makes the sketch, it adds the keys that
// waited in slots.
func (a *keyedAgg) promote(c *keyedChunk, s *duck.State, p *keyedPlan, inSlots []uint64) (*keyedPage, error) {
	t, err := a.page(s)
	if err != nil || t.s != nil {
		return t, err
	}
	if t.s, err = a.empty(p.params, p.class); err != nil {
		return nil, err
	}
	t.params = p.params
	inlineOf(s).inSlots = 0
	return t, a.take(c, t, p, inSlots)
}

// hasRoom reports whether that many more words can go into slots of a state.
func (p *keyedPlan) hasRoom(s *duck.State, words int) bool {
	return !s.HasPage() && int(inlineOf(s).inSlots)+words <= p.most
}

// wait adds keys of the chunk's plan to one group.
func (a *keyedAgg) wait(c *keyedChunk, s *duck.State, h hashes) error {
	f, n := inlineOf(s), len(h.h1s)+len(h.h2s)
	if f.takes(c.id) {
		f.config = c.id
		if int(f.n)+n <= inlineMost {
			f.n = uint16(len(h.appendWords(f.keys[:f.n])))
			return nil
		}
		if c.last.hasRoom(s, int(f.n)+n) {
			c.words = h.appendWords(c.words[:0])
			return c.slots.hold(s, c.words)
		}
	}
	t, err := a.wholePage(c, s)
	if err != nil {
		return err
	}
	if t.params != c.params {
		return paramsDiffer(t.params, c.params)
	}
	return a.add(c, t, h)
}

// inlineKeys is a copy of the inline words of a state that had no room for one more. deliver adds them
// to the state's page.
type inlineKeys struct {
	state *duck.State
	keys  [inlineMost]uint64
}

// scatter adds the keys of rows from to to-1 to the states of their groups, inline; all is the states
// of all rows. If a state has no room inline, its words go to a slot. If its slots have no room either,
// deliver adds the words to the page after the last row.
func (a *keyedAgg) scatter(c *keyedChunk, all []*duck.State, from, to int) error {
	for from, end := c.next(from, to); from < to; from, end = c.next(end, to) {
		c.clear()
		if err := c.read(from, end, c.last.seed); err != nil {
			return err
		}
		for i, s := range all[from:end] {
			f := inlineOf(s)
			full := f.n == c.last.full()
			if !f.takes(c.id) || full && c.last.hasRoom(s, inlineMost+1) {
				if err := a.wait(c, s, c.part(i, i+1)); err != nil {
					return err
				}
				continue
			}
			if full {
				c.fullStates = append(c.fullStates, inlineKeys{s, f.keys})
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

// full returns the number of inline words of a state without room for another key.
func (p *keyedPlan) full() uint16 {
	if p.pairs {
		return inlineMost - 1
	}
	return inlineMost
}

// read appends the keys of rows from to to-1 to c.hashes. None of these rows is skipped. A key that waits
// as one word is appended as that word, others as their hashes.
func (c *keyedChunk) read(from, to int, seed uint64) error {
	if c.id == 0 || c.last.pairs {
		return c.hash(from, to, seed)
	}
	c.h1s = append(c.h1s, c.keys.Words(from, to)...)
	return nil
}

// deliver adds the words in c.fullStates to the pages of their states.
func (a *keyedAgg) deliver(c *keyedChunk) (err error) {
	c.states = c.states[:0]
	for i := range c.fullStates {
		c.states = append(c.states, c.fullStates[i].state)
	}
	for rest := c.states; len(rest) > 0; {
		n, err := c.all.readFirst(rest)
		if err != nil {
			return err
		}
		for j, s := range rest[:n] {
			if s.HasPage() { // the state occurs twice in the list and has a page since
				continue
			}
			if _, err := a.promote(c, s, &c.last, c.all.slotWords[j]); err != nil {
				return err
			}
		}
		rest = rest[n:]
	}
	if c.pages, err = duck.Pages(c.pages[:0], c.states); err != nil {
		return err
	}
	for i := range c.fullStates {
		if err := a.take(c, c.pages[i].(*keyedPage), &c.last, c.fullStates[i].keys[:c.last.full()]); err != nil {
			return err
		}
	}
	c.fullStates = c.fullStates[:0]
	return nil
}
