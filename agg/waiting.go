package agg

import (
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Most groups have few rows, and with very many groups neither their pages nor their slots are
// in the CPU caches. So keys and points wait as words: first inline in the state, then in slots
// that many states share (duck.Slabs), until there are so many that the group gets a page. Then
// words still wait inline, so that the page is looked up once for several of them.

// inlineMost is how many words a state holds inline.
const inlineMost = 5

// inlineWords is the inline part of a state: words that neither a slot nor the page has yet.
type inlineWords struct {
	config uint32 // number of the configuration, the page's too; 0 if there is none
	n      uint16
	held   uint16 // words in the slots
	keys   [inlineMost]uint64
}

const _ = -uint(unsafe.Sizeof(inlineWords{}) ^ unsafe.Sizeof(duck.State{}.Inline))

func inlineOf(s *duck.State) *inlineWords { return (*inlineWords)(unsafe.Pointer(&s.Inline)) }

// words returns how many words wait, inline and in slots.
func (f *inlineWords) words() int { return int(f.n) + int(f.held) }

// takes reports whether words of a configuration can wait with those of f: f has none, or has the
// same configuration, and the configuration has a number. It is one comparison, as branch
// prediction fails here.
func (f *inlineWords) takes(config uint32) bool {
	return config != 0 && uint64(f.config)*uint64(f.config^config) == 0
}

// slots gives slots to states during one callback, until end.
type slots struct{ slabs *duck.Slabs }

func (l *slots) end() {
	l.slabs.Done()
	l.slabs = nil
}

// push gives a state one more slot for n words, which must be written at once.
func (l *slots) push(s *duck.State, n int) ([]uint64, error) {
	if l.slabs == nil {
		l.slabs = duck.AcquireSlabs()
	}
	slot, err := l.slabs.Push(s, n)
	inlineOf(s).held += uint16(len(slot))
	return slot, err
}

// hold moves the inline words of a state to a slot, and adds words behind them.
func (l *slots) hold(s *duck.State, words []uint64) error {
	f := inlineOf(s)
	slot, err := l.push(s, int(f.n)+len(words))
	if err != nil {
		return err
	}
	copy(slot[copy(slot, f.keys[:f.n]):], words)
	f.n = 0
	return nil
}

// slotPlan says how words of one configuration wait.
type slotPlan struct {
	config uint32
	sums   bool // words of two states can be joined in any order
	inline int  // the most words that a state has inline
	slots  int  // the most words that its slots have
}

// join adds the words that wait in a state without a page to another one; held are those in its
// slots. It reports false, and changes nothing, where that needs a page.
func (l *slots) join(p slotPlan, f *inlineWords, held []uint64, into *duck.State) (bool, error) {
	g := inlineOf(into)
	if g.config == 0 && len(held) == 0 && !into.HasPage() { // once for each group
		*g = *f
		return true, nil
	}
	if !p.sums || g.config != f.config && (g.config != 0 || into.HasPage()) {
		return false, nil
	}
	// Branch prediction cannot tell how many there are, so all words are copied.
	var both [2 * inlineMost]uint64
	n := int(f.n + g.n)
	*(*[inlineMost]uint64)(both[:]) = g.keys
	*(*[inlineMost]uint64)(both[min(g.n, inlineMost):]) = f.keys
	if over := max(n-p.inline, 0); over+len(held) > 0 {
		if into.HasPage() || over+len(held)+int(g.held) > p.slots {
			return false, nil
		}
		slot, err := l.push(into, over+len(held))
		if err != nil {
			return false, err
		}
		copy(slot[copy(slot, held):], both[p.inline:p.inline+over])
	}
	g.config, g.n, g.keys = f.config, uint16(min(n, p.inline)), [inlineMost]uint64(both[:])
	return true, nil
}

// waitingWords is what a callback needs for words that wait.
type waitingWords struct {
	slots slots
	all   pendingWords // of many states
	own   pendingWords // of one
	again pendingWords // of one of the many
}

// done ends a callback.
func (w *waitingWords) done() { w.slots.end() }

// combineStates adds each state of from to that of into. Words that wait are joined where that needs
// no page; planOf returns how words of a configuration wait. Other states go to add, with the
// words in their slots. A state of from must not change: DuckDB may combine it with others at
// the same time.
func (w *waitingWords) combineStates(from, into duck.States, planOf func(config uint32) slotPlan, add func(s *duck.State, held []uint64, into *duck.State) error) error {
	var plan slotPlan
	for i := 0; i < from.Len(); {
		first := i
		end, err := w.all.readBoth(from, into, i)
		if err != nil {
			return err
		}
		for ; i < end; i++ {
			s := from.At(i)
			f := inlineOf(s)
			if f.config == 0 && !s.HasPage() {
				continue
			}
			held, err := w.all.now(i-first, &w.again)
			if err != nil {
				return err
			}
			if !s.HasPage() {
				if f.config != plan.config {
					plan = planOf(f.config)
				}
				if done, err := w.slots.join(plan, f, held, into.At(i)); err != nil {
					return err
				} else if done {
					continue
				}
			}
			if err := add(s, held, into.At(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// finalizeStates makes the results of states: NULL for groups without rows, by page for state i
// where it has one, and else by waiting, for state i whose words are w.all.list(j).
func (w *waitingWords) finalizeStates(states duck.States, out *duck.Result, waiting func(s *duck.State, i, j int) error, page func(s *duck.State, i int) error) error {
	for i := 0; i < out.Len(); {
		first := i
		end, err := w.all.read(states, i, true)
		if err != nil {
			return err
		}
		for ; i < end; i++ {
			s := states.At(i)
			switch {
			case s.HasPage():
				err = page(s, i)
			case inlineOf(s).config == 0:
				out.SetNull(i)
			default:
				err = waiting(s, i, i-first)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// gatheredAtOnce is the number of states whose waiting rows are read at the same time: it stays in the
// second-level cache.
const gatheredAtOnce = 64

// pendingWords is what waits in states without a page, those of each one behind the other: first what
// its slots hold, then, if that is wanted, what is in the state.
type pendingWords struct {
	n      int // states
	words  []uint64
	begins [gatheredAtOnce + 1]int
	states [gatheredAtOnce]*duck.State
	held   [gatheredAtOnce][]uint64 // of each, what its slots hold
	slots  duck.SlotReader
	sum    uint64 // of what was loaded ahead of its use, so that it is
}

// read gathers states from i on, and returns behind which one.
func (k *pendingWords) read(states duck.States, i int, inline bool) (end int, err error) {
	end = min(i+gatheredAtOnce, states.Len())
	k.n = end - i
	for j := range k.n {
		k.states[j] = states.At(i + j)
	}
	return end, k.gather(inline)
}

// readBoth reads the slots of states from i on that are to be joined to others, and returns behind
// which one. The states are in a cache, but not in the nearest.
func (k *pendingWords) readBoth(from, into duck.States, i int) (end int, err error) {
	for j := i; j < min(i+gatheredAtOnce, into.Len()); j++ {
		f, g := inlineOf(from.At(j)), inlineOf(into.At(j))
		k.sum += uint64(f.config+g.config) + f.keys[inlineMost-1] + g.keys[inlineMost-1]
	}
	return k.read(from, i, false)
}

// now is what the slots of state j of those that were read hold, which has changed if something was
// joined to the state since: DuckDB combines a state with others and then it with the next.
func (k *pendingWords) now(j int, again *pendingWords) ([]uint64, error) {
	s := k.states[j]
	if len(k.held[j]) == int(inlineOf(s).held) {
		return k.held[j], nil
	}
	return again.one(s)
}

// first reads the slots of the first of some states, and returns of how many.
func (k *pendingWords) first(states []*duck.State) (n int, err error) {
	k.n = copy(k.states[:], states)
	return k.n, k.gather(false)
}

// one is what the slots of a state hold.
func (k *pendingWords) one(s *duck.State) ([]uint64, error) {
	k.n, k.states[0] = 1, s
	err := k.gather(false)
	return k.held[0], err
}

// gather gathers the states.
func (k *pendingWords) gather(inline bool) error {
	states, end := k.states[:k.n], 0
	for j, s := range states {
		f := inlineOf(s)
		k.begins[j] = end
		if end += int(f.held); inline && !s.HasPage() {
			end += int(f.n)
		}
	}
	k.begins[k.n] = end
	if end == 0 { // as of very many small groups
		clear(k.held[:k.n])
		return nil
	}
	k.words = slices.Grow(k.words[:0], end+inlineMost)[:end+inlineMost]
	for j, s := range states {
		f, at := inlineOf(s), k.begins[j]
		to := at + int(f.held)
		k.held[j] = k.words[at:to]
		if inline { // all places, whatever is in them: what follows is written later
			*(*[inlineMost]uint64)(k.words[to:]) = f.keys
		}
	}
	return k.slots.Read(states, k.held[:k.n])
}

// list is the words of state j of those that were read.
func (k *pendingWords) list(j int) []uint64 { return k.words[k.begins[j]:k.begins[j+1]] }
