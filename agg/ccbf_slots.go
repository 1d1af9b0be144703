package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// mostPoints is how many points a state and its slot have at most.
const mostPoints = duck.MostSlot

const _ = uint(bridge.MaxSmall - mostPoints) // no group of them needs a Builder

// points is how many points wait in a state and in its slot.
func (f *inlinePoints) points() int { return int(f.n) + int(f.held) }

// holds reports whether points of a configuration, without a category, can wait in slots: where
// their order does not matter, as long as so few of them are exact.
func holds(c *ccbf.Config) bool { return c.Exact }

// slots gives states slots; those of a callback, until end.
type slots struct{ lent *duck.Slabs }

func (l *slots) end() {
	l.lent.Done()
	l.lent = nil
}

// push gives a state one more slot, for so many words that are to be written at once.
func (l *slots) push(s *duck.State, words int) ([]uint64, error) {
	if l.lent == nil {
		l.lent = duck.TakeSlabs()
	}
	slot, err := l.lent.Push(s, words)
	fewOf(s).held += uint16(len(slot))
	return slot, err
}

// add adds points to a state without a page in which they do not all fit, up to mostPoints: all
// that wait go into its slot.
func (l *slots) add(s *duck.State, f *inlinePoints, keys []uint64) error {
	slot, err := l.push(s, int(f.n)+len(keys))
	if err != nil {
		return err
	}
	copy(slot[copy(slot, f.keys[:f.n]):], keys)
	f.n = 0
	return nil
}

// slotPlan is what states of one configuration can do with words that come together, whose order
// does not matter.
type slotPlan struct {
	config uint32
	room   int // words that a state has inline
	most   int // words that its slots have
}

// join adds what waits in a state without a page, of which held is in its slots, to another one;
// false where that needs a page.
func (l *slots) join(w slotPlan, f *inlinePoints, held []uint64, into *duck.State) (bool, error) {
	g := fewOf(into)
	if g.config == 0 && len(held) == 0 && !into.HasPage() { // as of each group once
		*g = *f
		return true, nil
	}
	if g.config != f.config && (g.config != 0 || into.HasPage()) {
		return false, nil
	}
	// How many are where nobody foresees: all places are copied.
	var both [2 * fewPoints]uint64
	n := int(f.n + g.n)
	*(*[fewPoints]uint64)(both[:]) = g.keys
	*(*[fewPoints]uint64)(both[min(g.n, fewPoints):]) = f.keys
	if over := max(n-w.room, 0); over+len(held) > 0 {
		if into.HasPage() || over+len(held)+int(g.held) > w.most {
			return false, nil
		}
		slot, err := l.push(into, over+len(held))
		if err != nil {
			return false, err
		}
		copy(slot[copy(slot, held):], both[w.room:w.room+over])
	}
	g.config, g.n, g.keys = f.config, uint16(min(n, w.room)), [fewPoints]uint64(both[:])
	return true, nil
}

// promote gives a state a page, if it has none, and the page the points that wait in the state and
// in its slots.
func (c *chunk) promote(s *duck.State) (*ccbfPage, error) {
	held, err := c.own.one(s)
	if err != nil {
		return nil, err
	}
	t, err := ccbfPages.of(s)
	if err != nil {
		return nil, err
	}
	f := fewOf(s)
	err = t.take(f, held)
	f.n, f.held = 0, 0
	return t, err
}

// take adds points that wait in a state and in its slots, which are held.
func (t *ccbfPage) take(f *inlinePoints, held []uint64) error {
	if f.points() == 0 {
		return nil
	}
	b := t.b
	if b == nil || t.id != f.config {
		var err error
		if b, err = t.of(f.config, configs.config(f.config)); err != nil {
			return err
		}
	}
	if len(held) > 0 {
		if err := bridge.AddKeys(b, held); err != nil {
			return err
		}
	}
	return bridge.AddKeys(b, f.keys[:f.n])
}
