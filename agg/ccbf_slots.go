package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// mostPoints is how many points a state and its slot have at most.
const mostPoints = duck.MostSlot

const _ = uint(ccbf.MaxSmall - mostPoints) // all of them are encoded at once

// points is how many points wait in a state and in its slot.
func (f *few) points() int { return int(f.n) + int(f.held) }

// holds reports whether points of a configuration, without a category, can wait in slots: where
// their order does not matter, as long as so few of them are exact.
func holds(c *ccbf.Config) bool { return c.Exact }

// slots gives states slots; those of a callback, until end.
type slots struct{ lent *duck.Slabs }

func (l *slots) end() {
	l.lent.Done()
	l.lent = nil
}

// room is a state's slot, made one of so many points at least.
func (l *slots) room(s *duck.State, points int) ([]uint64, error) {
	slot, err := s.Slot()
	if err != nil || len(slot) >= points {
		return slot, err
	}
	if l.lent == nil {
		l.lent = duck.TakeSlabs()
	}
	return l.lent.Grow(s, points)
}

// add adds points to a state without a page in which they do not all fit, up to mostPoints: the
// first ones go into its slot, the last ones wait.
func (l *slots) add(s *duck.State, f *few, keys []uint64) error {
	n, more := f.points(), max(len(keys)-fewPoints, 0)
	slot, err := l.room(s, n+more)
	if err != nil {
		return err
	}
	copy(slot[f.held:], f.keys[:f.n])
	copy(slot[n:], keys[:more])
	f.held, f.n = uint16(n+more), uint16(copy(f.keys[:], keys[more:]))
	return nil
}

// join adds the points of a state without a page, which is left as it is, to another one; false
// where that needs a page.
func (l *slots) join(from, into *duck.State) (bool, error) {
	f, g := fewOf(from), fewOf(into)
	if g.config == 0 && !into.HasPage() {
		if f.held == 0 {
			*g = *f
			return true, nil
		}
	} else if g.config != f.config {
		return false, nil
	}
	fits := int(f.n)+int(g.n) <= fewPoints
	if fits && f.held == 0 {
		g.n += uint16(copy(g.keys[g.n:], f.keys[:f.n]))
		return true, nil
	}
	if into.HasPage() || f.points()+g.points() > mostPoints {
		return false, nil
	}
	if f.held+g.held == 0 {
		if config, err := configs.of(f.config); err != nil || !holds(config) {
			return false, err
		}
	}
	slot, err := from.Slot()
	if err != nil {
		return false, err
	}
	held := int(f.held) + int(g.held)
	if !fits {
		held += int(g.n)
	}
	to, err := l.room(into, held)
	if err != nil {
		return false, err
	}
	at := int(g.held)
	at += copy(to[at:], slot[:f.held])
	if !fits {
		copy(to[at:], g.keys[:g.n])
		g.n = 0
	}
	g.config, g.held = f.config, uint16(held)
	g.n += uint16(copy(g.keys[g.n:], f.keys[:f.n]))
	return true, nil
}

// promote gives a state a page, if it has none, and the page the points that wait in the state and
// in its slot.
func promote(s *duck.State) (*ccbfPage, error) {
	slot, err := s.Slot()
	if err != nil {
		return nil, err
	}
	t, err := ccbfPages.of(s)
	if err != nil {
		return nil, err
	}
	f := fewOf(s)
	err = t.take(f, slot)
	f.n, f.held = 0, 0
	return t, err
}

// take adds points that wait in a state and in its slot.
func (t *ccbfPage) take(f *few, slot []uint64) error {
	if f.points() == 0 {
		return nil
	}
	b := t.b
	if b == nil || t.id != f.config {
		config, err := configs.of(f.config)
		if err != nil {
			return err
		}
		if b, err = t.of(f.config, config); err != nil {
			return err
		}
	}
	if f.held > 0 {
		if err := b.AddKeys(slot[:f.held]); err != nil {
			return err
		}
	}
	return b.AddKeys(f.keys[:f.n])
}

// gathered is the points of a state and of its slot, one behind the other.
type gathered struct {
	keys [mostPoints]uint64
	near slotsNear
}

func (k *gathered) of(s *duck.State, f *few) ([]uint64, error) {
	slot, err := s.Slot()
	if err != nil {
		return nil, err
	}
	n := copy(k.keys[:], slot[:f.held])
	n += copy(k.keys[n:], f.keys[:f.n])
	return k.keys[:n], nil
}

// slotsNear loads slots ahead of their use. They are in no cache where there are very many, and
// one after the other each would be waited for; loads that nothing waits for overlap.
type slotsNear struct{ sum uint64 } // of what was loaded, so that it is

// nearAtOnce is of how many states: their slots stay in the first-level cache.
const nearAtOnce = 64

// ask loads the slots of the states from i on, once for as many as are loaded at once.
func (a *slotsNear) ask(states duck.States, i int) {
	if i%nearAtOnce != 0 {
		return
	}
	for end := min(i+nearAtOnce, states.Len()); i < end; i++ {
		s := states.At(i)
		if !s.HasSlot() {
			continue
		}
		// Whoever uses one that was given up finds out.
		if slot, err := s.Slot(); err == nil {
			a.sum += slot[0] + slot[fewOf(s).held-1]
		}
	}
}
