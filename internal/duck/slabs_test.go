package duck

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// States whose slots grow, move and go in any order hold what a map of slices holds.
func TestSlotsHoldWhatWasWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	states, want := make([]State, 3000), make([][]uint64, 3000)
	for i := range states {
		states[i].gen = uint32(i%3) + 1 // of three instances
	}
	for round := range 40 {
		a := TakeSlabs()
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
			n := min(len(want[i])+1+r.IntN(30), MostSlot)
			slot, err := s.Slot()
			if err != nil {
				t.Fatal(err)
			}
			if len(slot) < n {
				if slot, err = a.Grow(s, n); err != nil {
					t.Fatal(err)
				}
			}
			if len(slot) < n || len(slot) > max(leastSlot, 2*n) || cap(slot) != len(slot) {
				t.Fatalf("%d words, of %d, for %d", len(slot), cap(slot), n)
			}
			for j := len(want[i]); j < n; j++ {
				if slot[j] != 0 {
					t.Fatalf("word %d is %d", j, slot[j])
				}
				slot[j] = r.Uint64()
				want[i] = append(want[i], slot[j])
			}
		}
		a.Done()
		for i := range states {
			s := states[i] // as DuckDB moves states
			slot, err := s.Slot()
			if err != nil || len(slot) < len(want[i]) || !slices.Equal(slot[:len(want[i])], want[i]) {
				t.Fatalf("round %d, state %d: %v, %d words of %d", round, i, err, len(slot), len(want[i]))
			}
			if page, err := s.Page(); page != nil || err != nil || s.HasPage() || s.HasSlot() != (slot != nil) {
				t.Fatalf("state %d has a page: %v, %v", i, page, err)
			}
		}
	}
	for i := range states {
		states[i].Drop()
	}
	if MemoryUsed() != 0 || PagesLive() != 0 {
		t.Errorf("%d bytes in %d pages are left", MemoryUsed(), PagesLive())
	}
}

// Slabs are as small as a page where there is one state, and large where there are many.
func TestSlabsGrow(t *testing.T) {
	defer ReleaseAll()
	a := TakeSlabs()
	defer a.Done()
	states := make([]State, 100_000)
	for i := range states {
		if _, err := a.Grow(&states[i], 1); err != nil {
			t.Fatal(err)
		}
		if i == 0 && MemoryUsed() > leastSlab*8+slabHead {
			t.Errorf("%d bytes for one state", MemoryUsed())
		}
	}
	if least := int64(len(states) * leastSlot * 8); MemoryUsed() > least+least/50+mostSlab*8 {
		t.Errorf("%d bytes for slots of %d", MemoryUsed(), least)
	}
	if PagesLive() > int64(len(states)*leastSlot/mostSlab+20) {
		t.Errorf("%d slabs", PagesLive())
	}
}

func TestSlotSizes(t *testing.T) {
	a := TakeSlabs()
	defer a.Done()
	for _, words := range []int{-1, 0, MostSlot + 1, 1 << 40} {
		var s State
		if _, err := a.Grow(&s, words); err == nil || s != (State{}) {
			t.Errorf("a slot of %d words: %v, %+v", words, err, s)
		}
	}
	for words := 1; words <= MostSlot; words++ {
		var s State
		slot, err := a.Grow(&s, words)
		if err != nil || len(slot) < words {
			t.Fatalf("%d words: %d, %v", words, len(slot), err)
		}
		s.Drop()
	}
}

// A page takes the place of a slot; a slot that was given up is an error, and so is what no slab
// gave out.
func TestSlotsGivenUp(t *testing.T) {
	defer ReleaseAll()
	a := TakeSlabs()
	defer a.Done()
	var s State
	if _, err := a.Grow(&s, 20); err != nil {
		t.Fatal(err)
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
	if slot, err := s.Slot(); slot != nil || err != nil {
		t.Fatal(slot, err)
	}
	a.Done() // no one has a slot of that slab any more
	a = TakeSlabs()
	for _, s := range []State{old, {handle: ^uint32(0), gen: ^uint32(0)}, {handle: slotFlag}, {handle: slotFlag | 17, gen: 1}} {
		if _, err := s.Slot(); !errors.Is(err, ErrReclaimed) {
			t.Errorf("%+v: error %v", s, err)
		}
		if _, err := a.Grow(&s, 20); !errors.Is(err, ErrReclaimed) {
			t.Errorf("growing %+v: error %v", s, err)
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
		a := TakeSlabs()
		f(a)
		a.Done()
		frame.end()
	}
	forgotten, used := make([]State, 3000), make([]State, 3000) // 240 kB
	fill := func(states []State) func(a *Slabs) {
		return func(a *Slabs) {
			for i := range states {
				slot, err := a.Grow(&states[i], 1)
				if err != nil {
					t.Fatal(err)
				}
				slot[0] = uint64(i)
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
			for i := range used {
				if slot, err := used[i].Slot(); err != nil || slot[0] != uint64(i) {
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
		if _, err := forgotten[i].Slot(); errors.Is(err, ErrReclaimed) {
			gone++
		}
	}
	if gone < len(forgotten)/2 {
		t.Errorf("%d of %d slots that no one uses were given up", gone, len(forgotten))
	}
	callback(func(a *Slabs) { // alone larger than the budget
		states := make([]State, 20_000)
		for i := range states {
			if _, err := a.Grow(&states[i], 1); err != nil {
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
				a := TakeSlabs()
				for i := range states {
					slot, err := a.Grow(&states[i], 1+i%MostSlot)
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
				for i := range states {
					if slot, err := states[i].Slot(); err != nil || slot[0] != uint64(i) {
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
