package duck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// held reads what states hold in their slots, of which there are so many words.
func held(states []State, words func(i int) int) ([][]uint64, error) {
	var r SlotReader
	all, to := make([]*State, len(states)), make([][]uint64, len(states))
	for i := range states {
		all[i], to[i] = &states[i], make([]uint64, words(i))
	}
	return to, r.Read(all, to)
}

// one reads what the slots of one state hold.
func one(s State, words int) ([]uint64, error) {
	to, err := held([]State{s}, func(int) int { return words })
	return to[0], err
}

// push writes words to a new slot of a state.
func push(a *Slabs, s *State, words ...uint64) error {
	slot, err := a.Push(s, len(words))
	if err == nil && (len(slot) != len(words) || cap(slot) != len(slot)) {
		err = fmt.Errorf("%d words, of %d, for %d", len(slot), cap(slot), len(words))
	}
	copy(slot, words)
	return err
}

// States that get slots, move and go in any order hold what a map of slices holds.
func TestSlotsHoldWhatWasWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	states, want := make([]State, 3000), make([][]uint64, 3000)
	for i := range states {
		states[i].gen = uint32(i%3) + 1 // of three instances
	}
	for round := range 40 {
		a := AcquireSlabs()
		for range 2000 {
			i := r.IntN(len(states))
			s := &states[i]
			if r.IntN(10) == 0 {
				s.Drop()
				want[i] = nil
				if s.gen != uint32(i%3)+1 || s.HasSlot() || s.HasPage() {
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
			if err := push(a, s, words...); err != nil {
				t.Fatal(err)
			}
			want[i] = append(want[i], words...)
		}
		a.Done()
		moved := slices.Clone(states) // as DuckDB moves them
		got, err := held(moved, func(i int) int { return len(want[i]) })
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range moved {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("round %d, state %d: %d words %x, want %x", round, i, len(want[i]), got[i], want[i])
			}
			if page, err := s.Page(); page != nil || err != nil || s.HasPage() || s.HasSlot() != (len(want[i]) > 0) {
				t.Fatalf("state %d has a page: %v, %v", i, page, err)
			}
		}
	}
	all := []*State{&states[0]} // twice
	for i := range states {
		states[i].mark = processMark
		all = append(all, &states[i])
	}
	dropAll(all)
	for i := range states {
		if states[i].HasSlot() || states[i].gen != uint32(i%3)+1 {
			t.Fatalf("dropped: %+v", states[i])
		}
	}
	if MemoryUsed() != 0 || PagesLive() != 0 {
		t.Errorf("%d bytes in %d pages are left", MemoryUsed(), PagesLive())
	}
}

// Slabs are as small as a page where there is one state, and large where there are many. Slots of
// some words are as long as these and their head.
func TestSlabsGrow(t *testing.T) {
	defer ReleaseAll()
	a := AcquireSlabs()
	defer a.Done()
	states := make([]State, 100_000)
	for i := range states {
		if err := push(a, &states[i], 1, 2, 3, 4, 5, 6); err != nil {
			t.Fatal(err)
		}
		if i == 0 && MemoryUsed() > minSlab*8+slabHead {
			t.Errorf("%d bytes for one state", MemoryUsed())
		}
	}
	if least := int64(len(states) * 8 * 8); MemoryUsed() > least+least/50+maxSlab*8 {
		t.Errorf("%d bytes for slots of %d", MemoryUsed(), least)
	}
	if PagesLive() > int64(len(states)*8/maxSlab+20) {
		t.Errorf("%d slabs", PagesLive())
	}
}

func TestSlotSizes(t *testing.T) {
	a := AcquireSlabs()
	defer a.Done()
	for _, words := range []int{-1, 0, MaxSlot + 1, 1 << 40} {
		var s State
		if _, err := a.Push(&s, words); err == nil || s != (State{}) {
			t.Errorf("a slot of %d words: %v, %+v", words, err, s)
		}
	}
	for words := 1; words <= MaxSlot; words++ {
		var s State
		want := make([]uint64, words)
		want[words-1] = 7
		if err := push(a, &s, want...); err != nil {
			t.Fatal(err)
		}
		if got, err := one(s, words); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%d words: %x, %v", words, got, err)
		}
		s.Drop()
	}
}

// TestSlotsReclaimed checks that a page replaces slots. A slot that was reclaimed is an error, and so
// is a slot that no slab gave out.
func TestSlotsReclaimed(t *testing.T) {
	defer ReleaseAll()
	a := AcquireSlabs()
	defer a.Done()
	var s State
	for range 3 {
		if err := push(a, &s, make([]uint64, 20)...); err != nil {
			t.Fatal(err)
		}
	}
	old := s
	if l, err := s.NewPage(10); err != nil || !s.HasPage() || s.HasSlot() {
		t.Fatalf("%v, %+v", err, s)
	} else {
		l.Set("page")
	}
	if obj, err := s.Page(); obj != "page" || err != nil {
		t.Fatal(obj, err)
	}
	if slot, err := one(s, 1); slot[0] != 0 || err != nil {
		t.Fatal(slot, err)
	}
	a.Done() // no one has a slot of that slab any more
	a = AcquireSlabs()
	for _, s := range []State{old, {handle: ^uint32(0), gen: ^uint32(0)}, {handle: slotFlag}, {handle: slotFlag | 17, gen: 1}} {
		if _, err := s.Page(); !errors.Is(err, ErrReclaimed) {
			t.Errorf("page of %+v: error %v", s, err)
		}
		if _, err := one(s, 60); !errors.Is(err, ErrReclaimed) {
			t.Errorf("%+v: error %v", s, err)
		}
		if before := s; !errors.Is(push(a, &s, 1), ErrReclaimed) || s != before {
			t.Errorf("one more slot of %+v", s)
		}
		s.Drop()
	}
}

// Where the budget is used up slabs that no one touched for long go as pages do, and those that
// are used stay.
func TestSlabsAreReclaimed(t *testing.T) {
	withLimit(t, 1<<20)
	defer ReleaseAll()
	callback := func(f func(a *Slabs)) {
		frame := beginFrame()
		a := AcquireSlabs()
		f(a)
		a.Done()
		frame.end()
	}
	forgotten, used := make([]State, 3000), make([]State, 3000) // 192 kB
	fill := func(states []State) func(a *Slabs) {
		return func(a *Slabs) {
			for i := range states {
				if err := push(a, &states[i], uint64(i)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	callback(fill(forgotten))
	for range 20 {
		callback(func(*Slabs) {})
	}
	callback(fill(used))
	for range 10 {
		callback(fill(make([]State, 3000)))
		callback(func(*Slabs) {
			all, err := held(used, func(int) int { return 1 })
			for i, words := range all {
				if err != nil || words[0] != uint64(i) {
					t.Fatalf("state %d: %v", i, err)
				}
			}
		})
		if MemoryUsed() > 1<<20 {
			t.Fatalf("%d bytes in use", MemoryUsed())
		}
	}
	gone := 0
	for i := range forgotten {
		if _, err := one(forgotten[i], 1); errors.Is(err, ErrReclaimed) {
			gone++
		}
	}
	if gone < len(forgotten)/2 {
		t.Errorf("%d of %d slots that no one uses were given up", gone, len(forgotten))
	}
	callback(func(a *Slabs) { // alone larger than the budget
		states := make([]State, 20_000)
		for i := range states {
			if err := push(a, &states[i], 1); err != nil {
				if !errors.Is(err, ErrBudget) || states[i] != (State{}) {
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
	dropped := make(chan []State, 8)
	var takers, droppers sync.WaitGroup
	for range 4 {
		takers.Go(func() {
			for range 200 {
				states := make([]State, 100)
				a := AcquireSlabs()
				for i := range states {
					slot, err := a.Push(&states[i], 1+i%MaxSlot)
					if err != nil {
						t.Error(err)
						return
					}
					slot[0] = uint64(i)
				}
				a.Done()
				dropped <- states
			}
		})
		droppers.Go(func() {
			for states := range dropped {
				all, err := held(states, func(i int) int { return 1 + i%MaxSlot })
				for i, words := range all {
					if err != nil || words[0] != uint64(i) {
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
	if MemoryUsed() != 0 || PagesLive() != 0 {
		t.Errorf("%d bytes in %d pages are left", MemoryUsed(), PagesLive())
	}
}

// TestSlotsOfUsedStatesStay checks that states keep all their slots while each callback gives them
// one more. Pages that were used after their first slots are reclaimed, and the slots stay.
func TestSlotsOfUsedStatesStay(t *testing.T) {
	defer ReleaseAll()
	defer func(limit int64) {
		if err := SetMemoryLimit(limit); err != nil {
			t.Error(err)
		}
	}(memoryLimit())
	if err := SetMemoryLimit(8 << 20); err != nil {
		t.Fatal(err)
	}
	const rounds, size = 6, 100 << 10
	states := make([]State, 2000)
	var left []State // of a query that ended without a word
	for round := range rounds {
		clock.Add(1)
		f, a := beginFrame(), AcquireSlabs()
		for i := range states {
			if err := push(a, &states[i], 1, 2, 3, 4, 5, 6); err != nil {
				t.Fatal(err)
			}
		}
		a.Done()
		for range 60 {
			if round != 3 {
				break
			}
			var s State
			l, err := s.NewPage(size)
			if err != nil {
				t.Fatal(err)
			}
			l.Set(1)
			left = append(left, s)
		}
		f.end()
	}
	clock.Add(1)
	f := beginFrame()
	defer f.end()
	for range 20 {
		var s State
		if _, err := s.NewPage(size); err != nil {
			t.Fatal(err)
		}
	}
	gone := 0
	for _, s := range left {
		if _, err := s.Page(); err != nil {
			gone++
		}
	}
	if gone == 0 {
		t.Error("nothing was to make way")
	}
	for _, s := range states {
		if _, err := one(s, 6*rounds); err != nil {
			t.Fatalf("a state that is used: %v", err)
		}
	}
}
