package memory

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// push appends words to the slot of a state, or fails the test.
func push(t *testing.T, a *Slabs, s *Ref, words ...uint64) {
	t.Helper()
	if ok, err := a.Append(s, MaxSlot, words[:len(words)/2], words[len(words)/2:]); !ok || err != nil {
		t.Fatal(ok, err)
	}
}

// TestSlotsHoldWhatWasWritten compares states that get words, move and go in any order with a map of
// slices. A slot that would have too many words stays as it is.
func TestSlotsHoldWhatWasWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	states, want := make([]Ref, 3000), make([][]uint64, 3000)
	for i := range states {
		states[i] = Ref(i%3 + 1) // of three databases
	}
	var a Slabs
	for round := range 40 {
		for range 2000 {
			i := r.IntN(len(states))
			s := &states[i]
			if r.IntN(20) == 0 {
				s.Drop()
				want[i] = nil
				if *s != Ref(i%3+1) {
					t.Fatalf("dropped: %+v", s)
				}
				continue
			}
			words := make([]uint64, 1+r.IntN(10))
			if r.IntN(20) == 0 {
				words = make([]uint64, 1+r.IntN(MaxSlot))
			}
			for j := range words {
				words[j] = r.Uint64()
			}
			most := 1 + r.IntN(2*MaxSlot)
			before := *s
			ok, err := a.Append(s, most, words[:1], words[1:])
			if fits := len(want[i])+len(words) <= min(most, MaxSlot); ok != fits || err != nil {
				t.Fatalf("%d words behind %d, at most %d: %v, %v", len(words), len(want[i]), most, ok, err)
			}
			if !ok && *s != before {
				t.Fatalf("%+v became %+v", before, *s)
			}
			if ok {
				want[i] = append(want[i], words...)
			}
		}
		a.done()
		states = slices.Clone(states) // as DuckDB moves them
		for i := range states {
			s := &states[i]
			got, err := s.Words()
			if err != nil || !slices.Equal(got, want[i]) {
				t.Fatalf("round %d, state %d: %x, want %x, %v", round, i, got, want[i], err)
			}
			if page, err := s.Page(); page != nil || err != nil || s.HasPage() || s.HasSlot() != (len(want[i]) > 0) {
				t.Fatalf("state %d has a page: %v, %v", i, page, err)
			}
		}
	}
	for i := range states {
		states[i].Drop()
		states[i].Drop()
	}
	nothingLeft(t)
}

// Slabs are small if there is one state, and large if there are many.
func TestSlabsGrow(t *testing.T) {
	defer releaseAll()
	var a Slabs
	defer a.done()
	states := make([]Ref, 100_000)
	for i := range states {
		push(t, &a, &states[i], 1, 2, 3, 4, 5, 6, 7)
		if i == 0 && Used() > minSlab*8+slabHead {
			t.Errorf("%d bytes for one state", Used())
		}
	}
	if least := int64(len(states) * 8 * 8); Used() > least+least/50+maxSlab*8 {
		t.Errorf("%d bytes for slots of %d", Used(), least)
	}
	if store.live.Load() > int64(len(states)*8/maxSlab+20) {
		t.Errorf("%d slabs", store.live.Load())
	}
}

// TestSlotsReclaimed checks that a page replaces a slot. A slot that was reclaimed is an error, and so
// is a slot that no slab gave out.
func TestSlotsReclaimed(t *testing.T) {
	defer releaseAll()
	var a Slabs
	var s Ref
	push(t, &a, &s, make([]uint64, 20)...)
	a.done()
	old := s
	if _, err := newPage(&s, 10); err != nil || !s.HasPage() || s.HasSlot() { // the slab has no slot any more
		t.Fatalf("%v, %+v", err, s)
	}
	if words, err := s.Words(); words != nil || err != nil {
		t.Fatal(words, err)
	}
	for _, s := range []Ref{old, ^Ref(0), hasPage | isSlot, hasPage | isSlot | 1<<genShift | 17} {
		if words, err := s.Words(); !errors.Is(err, ErrBudget) {
			t.Errorf("%+v: %x, %v", s, words, err)
		}
		before := s
		if ok, err := a.Append(&s, 100, []uint64{1}, nil); ok || !errors.Is(err, ErrBudget) || s != before {
			t.Errorf("one more word of %+v: %v, %v", s, ok, err)
		}
		s.Drop()
	}
}

// If the budget is used up, slabs that no one touched for long are reclaimed as pages are, and those that
// are used stay.
func TestSlabsAreReclaimed(t *testing.T) {
	withLimit(t, 1<<20)
	defer releaseAll()
	var a Slabs
	callback := func(f func()) {
		newCallback(func() {
			f()
			a.done()
		})
	}
	fill := func(states []Ref) {
		for i := range states {
			push(t, &a, &states[i], uint64(i))
		}
	}
	forgotten, used := make([]Ref, 3000), make([]Ref, 3000) // 192 kB each
	callback(func() { fill(forgotten) })
	for range 20 {
		callback(func() {})
	}
	callback(func() { fill(used) })
	for range 10 {
		callback(func() { fill(make([]Ref, 3000)) })
		callback(func() {
			for i := range used {
				if words, err := used[i].Words(); err != nil || words[0] != uint64(i) {
					t.Fatalf("state %d: %v", i, err)
				}
			}
		})
		if Used() > 1<<20 {
			t.Fatalf("%d bytes in use", Used())
		}
	}
	gone := 0
	for i := range forgotten {
		if _, err := forgotten[i].Words(); errors.Is(err, ErrBudget) {
			gone++
		}
	}
	if gone < len(forgotten)/2 {
		t.Errorf("%d of %d slots that no one uses were given up", gone, len(forgotten))
	}
	callback(func() { // alone larger than the budget
		states := make([]Ref, 20_000)
		for i := range states {
			if ok, err := a.Append(&states[i], 1, []uint64{1}, nil); !ok {
				if !errors.Is(err, ErrBudget) || states[i] != (Ref(0)) {
					t.Errorf("%v, %+v", err, states[i])
				}
				return
			}
		}
		t.Error("slots for more than the budget")
	})
}

// Slots may be given back by one thread while others take some of the same slab.
func TestSlabsOfSeveralThreads(t *testing.T) {
	dropped := make(chan []Ref, 8)
	var takers, droppers sync.WaitGroup
	for range 4 {
		takers.Go(func() {
			var a Slabs
			for range 200 {
				states := make([]Ref, 100)
				for i := range states {
					words := make([]uint64, 1+i%MaxSlot)
					words[0] = uint64(i)
					if ok, err := a.Append(&states[i], MaxSlot, words, nil); !ok {
						t.Error(err)
						return
					}
				}
				a.done()
				dropped <- states
			}
		})
		droppers.Go(func() {
			for states := range dropped {
				for i := range states {
					if words, err := states[i].Words(); err != nil || words[0] != uint64(i) || len(words) != 1+i%MaxSlot {
						t.Errorf("state %d: %v", i, err)
					}
					states[i].Drop()
				}
			}
		})
	}
	takers.Wait()
	close(dropped)
	droppers.Wait()
	nothingLeft(t)
}
