package agg

import (
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Most groups have few rows. With very many groups, neither their pages nor their slots are in the
// CPU caches. So keys and points first wait as words of 64 bits, in three stages. The first words wait
// inline in the DuckDB state. The next ones wait in slots of slabs, which many states share
// (duck.Slabs). With more words, the group gets a page with its sketch. New words then still wait
// inline, so that several words need only one look-up of the page.

// inlineMost is how many words a state holds inline.
const inlineMost = 5

// inlineWords is the inline part of a state: words that neither a slot nor the page has yet.
type inlineWords struct {
	config  uint32 // number of the configuration of these words and of the page; 0 if there is none
	n       uint16 // number of inline words
	inSlots uint16 // number of words in slots
	keys    [inlineMost]uint64
}

// The two types have the same size, or this does not compile.
const _ = -uint(unsafe.Sizeof(inlineWords{}) ^ unsafe.Sizeof(duck.State{}.Inline))

// inlineOf returns the inline part of a state.
func inlineOf(s *duck.State) *inlineWords { return (*inlineWords)(unsafe.Pointer(&s.Inline)) }

// words returns how many words wait, inline and in slots.
func (f *inlineWords) words() int { return int(f.n) + int(f.inSlots) }

// takes reports whether words of the configuration with this number can wait in f. The number must not
// be 0, and f must have the same number or 0. One comparison tests both, as branch prediction fails
// here.
func (f *inlineWords) takes(config uint32) bool {
	return config != 0 && uint64(f.config)*uint64(f.config^config) == 0
}

// slots gives slots to states during one callback, until end.
type slots struct{ slabs *duck.Slabs }

// end ends the callback's use of its slab.
func (l *slots) end() {
	l.slabs.Done()
	l.slabs = nil
}

// push gives the state s one more slot, for n words. The caller must write the words at once.
func (l *slots) push(s *duck.State, n int) ([]uint64, error) {
	if l.slabs == nil {
		l.slabs = duck.AcquireSlabs()
	}
	slot, err := l.slabs.Push(s, n)
	inlineOf(s).inSlots += uint16(len(slot))
	return slot, err
}

// hold moves the inline words of the state s to a new slot. It writes the parameter words behind them.
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
	config uint32 // number of the configuration.
	sums   bool   // words of two states can be joined in any order.
	inline int    // the largest number of words that a state has inline.
	slots  int    // the largest number of words that a state has in slots.
}

// join adds the words that wait in one state, which has no page, to the state into. f is the inline
// words of the first state, inSlots those in its slots. join reports false, and changes nothing, if
// into needs a page for that.
func (l *slots) join(p slotPlan, f *inlineWords, inSlots []uint64, into *duck.State) (bool, error) {
	g := inlineOf(into)
	if g.config == 0 && len(inSlots) == 0 && !into.HasPage() { // the target is new: copy all at once
		*g = *f
		return true, nil
	}
	if !p.sums || g.config != f.config && (g.config != 0 || into.HasPage()) {
		return false, nil
	}
	// both gets all inline words of both states, used or not. A loop over the used ones would end in a
	// branch that cannot be predicted.
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
	all   pendingWords // words of a batch of states
	own   pendingWords // words of a single state
	again pendingWords // words of one state of the batch, if they are read again
}

// done ends a callback.
func (w *waitingWords) done() { w.slots.end() }

// combineStates adds state i of from to state i of into, for all i. If the words that wait can be joined
// without a page, it joins them. planOf returns how words of a configuration wait. For the other states
// it calls add with the state s of from, the words in its slots, and the state of into. States of from
// must not change: DuckDB may combine them with others at the same time.
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

// finalizeStates writes the results of states. A group without rows gets NULL. If state i has a page,
// finalizeStates calls page, which writes result i. Otherwise it calls waiting, which writes result i
// from the words w.all.list(j).
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
	n         int                     // number of states.
	words     []uint64                // the words of all states, one state after the other.
	begins    [stateBatch + 1]int     // by state, where its words begin; begins[n] is the end.
	states    [stateBatch]*duck.State // the states.
	slotWords [stateBatch][]uint64    // by state, the words in its slots; parts of words.
	slots     duck.SlotReader
	sum       uint64 // sum of words that were loaded early; without it the compiler would drop the loads
}

// read copies the words of up to stateBatch states, from state i on. It returns the index behind the
// last of these states. If inline is true, it also copies the inline words of states without a page.
func (k *pendingWords) read(states duck.States, i int, inline bool) (end int, err error) {
	end = min(i+stateBatch, states.Len())
	k.n = end - i
	for j := range k.n {
		k.states[j] = states.At(i + j)
	}
	return end, k.gather(inline)
}

// readBoth copies the words in the slots of states of the list from, as read does from state i on. It
// loads the states of both lists early, so that their cache misses overlap.
func (k *pendingWords) readBoth(from, into duck.States, i int) (end int, err error) {
	for j := i; j < min(i+stateBatch, into.Len()); j++ {
		f, g := inlineOf(from.At(j)), inlineOf(into.At(j))
		k.sum += uint64(f.config+g.config) + f.keys[inlineMost-1] + g.keys[inlineMost-1]
	}
	return k.read(from, i, false)
}

// current returns the words in the slots of state j of the batch. If the state got more words after the
// batch was read, current reads them again. DuckDB can combine into a state, and then combine that
// state with another one, in the same call.
func (k *pendingWords) current(j int, again *pendingWords) ([]uint64, error) {
	s := k.states[j]
	if len(k.slotWords[j]) == int(inlineOf(s).inSlots) {
		return k.slotWords[j], nil
	}
	return again.one(s)
}

// readFirst copies the words in the slots of the first stateBatch states at most. It returns how many
// states that are.
func (k *pendingWords) readFirst(states []*duck.State) (n int, err error) {
	k.n = copy(k.states[:], states)
	return k.n, k.gather(false)
}

// one returns the words in the slots of the state s.
func (k *pendingWords) one(s *duck.State) ([]uint64, error) {
	k.n, k.states[0] = 1, s
	err := k.gather(false)
	return k.slotWords[0], err
}

// gather copies the words of the states k.states[:k.n]. inline has the meaning that it has for read.
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
	if end == 0 { // a frequent case with very many small groups: no state has words in slots
		clear(k.slotWords[:k.n])
		return nil
	}
	k.words = slices.Grow(k.words[:0], end+inlineMost)[:end+inlineMost]
	for j, s := range states {
		f, at := inlineOf(s), k.begins[j]
		to := at + int(f.inSlots)
		k.slotWords[j] = k.words[at:to]
		if inline { // copy the whole array: the next state overwrites the unused words
			*(*[inlineMost]uint64)(k.words[to:]) = f.keys
		}
	}
	return k.slots.Read(states, k.slotWords[:k.n])
}

// list returns the words of state j of the batch.
func (k *pendingWords) list(j int) []uint64 { return k.words[k.begins[j]:k.begins[j+1]] }
