package agg

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

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
	slots  duck.Slots
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
		f, g := fewOf(from.At(j)), fewOf(into.At(j))
		k.sum += uint64(f.config+g.config) + f.keys[fewPoints-1] + g.keys[fewPoints-1]
	}
	return k.read(from, i, false)
}

// now is what the slots of state j of those that were read hold, which has changed if something was
// joined to the state since: DuckDB combines a state with others and then it with the next.
func (k *pendingWords) now(j int, again *pendingWords) ([]uint64, error) {
	s := k.states[j]
	if len(k.held[j]) == int(fewOf(s).held) {
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
		f := fewOf(s)
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
	k.words = slices.Grow(k.words[:0], end+fewPoints)[:end+fewPoints]
	for j, s := range states {
		f, at := fewOf(s), k.begins[j]
		to := at + int(f.held)
		k.held[j] = k.words[at:to]
		if inline { // all places, whatever is in them: what follows is written later
			*(*[fewPoints]uint64)(k.words[to:]) = f.keys
		}
	}
	return k.slots.Read(states, k.held[:k.n])
}

// list is the words of state j of those that were read.
func (k *pendingWords) list(j int) []uint64 { return k.words[k.begins[j]:k.begins[j+1]] }
