package agg

import (
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Most groups have few rows, and with very many groups neither their pages nor their slots are
// in the CPU caches. So keys and points wait as words. The first ones wait inline in the state, the
// next ones in slots of slabs that many states share (duck.Slabs). With more words, the group gets a
// page. Words then still wait inline, so that the page is looked up once for several.

// inlineMost is how many words a state holds inline.
const inlineMost = 5

// inlineWords is the inline part of a state: words that neither a slot nor the page has yet.
type inlineWords struct {
	config  uint32 // number of the configuration, the page's too; 0 if there is none
	n       uint16
	inSlots uint16 // words in slots
	keys    [inlineMost]uint64
}

const _ = -uint(unsafe.Sizeof(inlineWords{}) ^ unsafe.Sizeof(duck.State{}.Inline))

func inlineOf(s *duck.State) *inlineWords { return (*inlineWords)(unsafe.Pointer(&s.Inline)) }

// words returns how many words wait, inline and in slots.
func (f *inlineWords) words() int { return int(f.n) + int(f.inSlots) }

// takes reports whether words of a configuration can wait in f. The configuration needs a number,
// and f must have the same one or none. It is one comparison, as branch prediction fails here.
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
	inlineOf(s).inSlots += uint16(len(slot))
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

// join adds the words that wait in a state without a page to another one; inSlots are those in its
// slots. It reports false, and changes nothing, where that needs a page.
func (l *slots) join(p slotPlan, f *inlineWords, inSlots []uint64, into *duck.State) (bool, error) {
	g := inlineOf(into)
	if g.config == 0 && len(inSlots) == 0 && !into.HasPage() { // once for each group
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
	if over := max(n-p.inline, 0); over+len(inSlots) > 0 {
		if into.HasPage() || over+len(inSlots)+int(g.inSlots) > p.slots {
			return false, nil
		}
		slot, err := l.push(into, over+len(inSlots))
		if err != nil {
			return false, err
		}
		copy(slot[copy(slot, inSlots):], both[p.inline:p.inline+over])
	}
	g.config, g.n, g.keys = f.config, uint16(min(n, p.inline)), [inlineMost]uint64(both[:])
	return true, nil
}

// waitingWords is the memory of a callback for words that wait.
type waitingWords struct {
	slots slots
	all   pendingWords // of many states
	own   pendingWords // of one
	again pendingWords // of one of the many
}

// done ends a callback.
func (w *waitingWords) done() { w.slots.end() }

// combineStates adds state i of from to state i of into. It joins words that wait if that needs no
// page, by planOf, which returns how words of a configuration wait. It calls add for the other
// states, with the words in their slots. States of from must not change: DuckDB may combine them
// with others at the same time.
func (w *waitingWords) combineStates(from, into duck.States, planOf func(config uint32) slotPlan, add func(s *duck.State, inSlots []uint64, into *duck.State) error) error {
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
			inSlots, err := w.all.current(i-first, &w.again)
			if err != nil {
				return err
			}
			if !s.HasPage() {
				if f.config != plan.config {
					plan = planOf(f.config)
				}
				if done, err := w.slots.join(plan, f, inSlots, into.At(i)); err != nil {
					return err
				} else if done {
					continue
				}
			}
			if err := add(s, inSlots, into.At(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// finalizeStates writes the results of states; that of a group without rows is NULL. It calls page
// for state i if it has a page. Else it calls waiting, and the words of the state are
// w.all.list(j).
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

// stateBatch is the number of states whose words are read at once. They fit into the
// second-level cache.
const stateBatch = 64

// pendingWords is a copy of the words that wait in up to stateBatch states. For each state it
// has the words in its slots, and then, if requested, its inline words.
type pendingWords struct {
	n         int // states
	words     []uint64
	begins    [stateBatch + 1]int
	states    [stateBatch]*duck.State
	slotWords [stateBatch][]uint64 // of each state, the words in its slots
	slots     duck.SlotReader
	sum       uint64 // of words that were loaded early; it keeps these loads in the program
}

// read copies the words of states from i on, and returns the end of these states. inline says
// whether inline words of states without a page are copied too.
func (k *pendingWords) read(states duck.States, i int, inline bool) (end int, err error) {
	end = min(i+stateBatch, states.Len())
	k.n = end - i
	for j := range k.n {
		k.states[j] = states.At(i + j)
	}
	return end, k.gather(inline)
}

// readBoth copies the words in the slots of states of from, from i on, and returns the end of these
// states. It loads the states of both lists early, so that their cache misses overlap.
func (k *pendingWords) readBoth(from, into duck.States, i int) (end int, err error) {
	for j := i; j < min(i+stateBatch, into.Len()); j++ {
		f, g := inlineOf(from.At(j)), inlineOf(into.At(j))
		k.sum += uint64(f.config+g.config) + f.keys[inlineMost-1] + g.keys[inlineMost-1]
	}
	return k.read(from, i, false)
}

// current returns the words in the slots of state j of those that were read. It reads them again if
// there are more since: DuckDB can combine into a state, and then combine that state with another.
func (k *pendingWords) current(j int, again *pendingWords) ([]uint64, error) {
	s := k.states[j]
	if len(k.slotWords[j]) == int(inlineOf(s).inSlots) {
		return k.slotWords[j], nil
	}
	return again.one(s)
}

// readFirst copies the words in the slots of the first states, and returns the number of states.
func (k *pendingWords) readFirst(states []*duck.State) (n int, err error) {
	k.n = copy(k.states[:], states)
	return k.n, k.gather(false)
}

// one returns the words in the slots of a state.
func (k *pendingWords) one(s *duck.State) ([]uint64, error) {
	k.n, k.states[0] = 1, s
	err := k.gather(false)
	return k.slotWords[0], err
}

// gather copies the words of k.states[:k.n].
func (k *pendingWords) gather(inline bool) error {
	states, end := k.states[:k.n], 0
	for j, s := range states {
		f := inlineOf(s)
		k.begins[j] = end
		if end += int(f.inSlots); inline && !s.HasPage() {
			end += int(f.n)
		}
	}
	k.begins[k.n] = end
	if end == 0 { // often, with very many small groups
		clear(k.slotWords[:k.n])
		return nil
	}
	k.words = slices.Grow(k.words[:0], end+inlineMost)[:end+inlineMost]
	for j, s := range states {
		f, at := inlineOf(s), k.begins[j]
		to := at + int(f.inSlots)
		k.slotWords[j] = k.words[at:to]
		if inline { // all words are copied; the next state overwrites those behind the last one
			*(*[inlineMost]uint64)(k.words[to:]) = f.keys
		}
	}
	return k.slots.Read(states, k.slotWords[:k.n])
}

// list returns the words of state j of those that were read.
func (k *pendingWords) list(j int) []uint64 { return k.words[k.begins[j]:k.begins[j+1]] }
