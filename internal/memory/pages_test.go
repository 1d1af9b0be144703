package memory

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestPageLifecycle(t *testing.T) {
	s := new(Ref)
	*s = 7 // of database 7
	if obj, err := s.Page(); obj != nil || err != nil {
		t.Fatalf("a new state has %v, %v", obj, err)
	}
	l, err := newPage(s, 100)
	if err != nil {
		t.Fatal(err)
	}
	l.page = "first"
	if obj, err := s.Page(); obj != "first" || err != nil {
		t.Fatalf("got %v, %v", obj, err)
	}
	if err := l.Grow(50); err != nil {
		t.Fatal(err)
	}
	if err := l.Grow(-30); err != nil {
		t.Fatal(err)
	}
	if l.size.Load() != 120 || Used() != 120 || store.live.Load() != 1 {
		t.Errorf("size %d, used %d, live %d", l.size.Load(), Used(), store.live.Load())
	}
	old := *s // DuckDB moves states by copying them
	second, err := newPage(s, 10)
	if err != nil {
		t.Fatal(err)
	}
	second.page = "second"
	if _, err := old.Page(); !errors.Is(err, ErrBudget) {
		t.Errorf("the page that was replaced: error %v", err)
	}
	if err := l.Grow(1); !errors.Is(err, ErrBudget) {
		t.Errorf("growing it: error %v", err)
	}
	if Used() != 10 {
		t.Errorf("%d bytes in use", Used())
	}
	s.Drop()
	s.Drop()
	if *s != 7 {
		t.Errorf("after Drop: %d", *s)
	}
	nothingLeft(t)
}

// TestRelease checks that Release drops the pages of one database.
func TestRelease(t *testing.T) {
	a, b := Ref(1), Ref(2)
	for _, r := range []*Ref{&a, &b} {
		if _, err := newPage(r, 100); err != nil {
			t.Fatal(err)
		}
	}
	Release(1)
	if a.lease() != nil || b.lease() == nil || Used() != 100 {
		t.Errorf("%v, %v, %d bytes in use", a.lease(), b.lease(), Used())
	}
	b.Drop()
}

// freePage is a page that notes its end.
type freePage struct{ done bool }

func (f *freePage) Free() { f.done = true }

// TestFree checks that a page is freed with its state, unless a running callback may use it.
func TestFree(t *testing.T) {
	for _, running := range []bool{false, true} {
		var s Ref
		l, err := newPage(&s, 100)
		if err != nil {
			t.Fatal(err)
		}
		page := new(freePage)
		l.page = page
		var c, later Callback
		c.Begin()
		if _, err := s.Page(); err != nil {
			t.Fatal(err)
		}
		if !running {
			c.End()
			later.Begin() // it never touched the page
		}
		s.Drop()
		if page.done == running {
			t.Errorf("while a callback may use it (%v): freed %v", running, page.done)
		}
		c.End()
		later.End()
		nothingLeft(t)
	}
}

// A Ref that no store gave out is not followed anywhere.
func TestForgedRefs(t *testing.T) {
	for _, r := range []Ref{hasPage, hasPage | 2, hasPage | 1<<26 - 1, hasPage | 1<<genShift, hasPage | isSlot, ^Ref(0)} {
		_, err := r.Page()
		if r.HasSlot() {
			_, err = r.Words()
		}
		if !errors.Is(err, ErrBudget) {
			t.Errorf("%x: error %v", uint64(r), err)
		}
		r.Drop()
	}
}

// TestReclaimOrder checks that finalized pages are reclaimed first, and then those that were not
// touched for longest. Pages that a running callback has touched stay.
func TestReclaimOrder(t *testing.T) {
	withLimit(t, 100<<10)
	states := make([]Ref, 100) // 1 KiB each: all of the budget
	for i := range states {
		newCallback(func() {
			l, err := newPage(&states[i], 1<<10)
			if err != nil {
				t.Fatal(err)
			}
			l.page = i
		})
	}
	newCallback(func() { // 0 to 9 are used again
		for i := range 10 {
			if _, err := states[i].Page(); err != nil {
				t.Fatal(err)
			}
		}
	})
	newCallback(func() { // 90 to 93 have made their results
		for i := 90; i < 94; i++ {
			states[i].MarkFinal()
		}
	})
	var extra Ref
	newCallback(func() {
		if _, err := newPage(&extra, 1<<10); err != nil {
			t.Fatal(err)
		}
	})
	// A sixteenth of the limit is 6.25 pages. So 7 go: the finalized ones, and three of the
	// oldest others, as precisely as buckets are.
	var gone []int
	finalized := 0
	for i := range states {
		if states[i].lease() != nil {
			continue
		}
		gone = append(gone, i)
		switch {
		case i >= 90 && i <= 93:
			finalized++
		case i < 10 || i > 20:
			t.Errorf("reclaimed %d", i)
		}
	}
	if len(gone) != 7 || finalized != 4 {
		t.Errorf("reclaimed %v, with %d of the 4 finalized pages", gone, finalized)
	}
	// Everything else is in use by a running callback: no room.
	var outer Callback
	outer.Begin()
	for i := range states {
		_, _ = states[i].Page()
	}
	var none Ref
	newCallback(func() {
		if _, err := newPage(&none, 50<<10); !errors.Is(err, ErrBudget) {
			t.Errorf("error %v", err)
		}
	})
	outer.End()
	newCallback(func() {
		if _, err := newPage(&none, 50<<10); err != nil {
			t.Errorf("error %v", err)
		}
	})
	releaseAll()
	nothingLeft(t)
}

// Many threads make, read, grow, drop and reclaim; the books balance.
func TestPagesInParallel(t *testing.T) {
	const budget = 1 << 20
	withLimit(t, budget)
	shared := new(Ref) // read by all, as a window's source is
	l, err := newPage(shared, 100)
	if err != nil {
		t.Fatal(err)
	}
	l.page = "shared"
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			states := make([]Ref, 64)
			for n := range 3000 {
				var c Callback
				c.Begin()
				s := &states[n%len(states)]
				switch l, err := newPage(s, int64(4<<10+g)); {
				case errors.Is(err, ErrBudget):
				case err != nil:
					t.Error(err)
				default:
					l.page = g
					if err := l.Grow(100); err != nil && !errors.Is(err, ErrBudget) {
						t.Error(err)
					}
				}
				if obj, err := shared.Page(); err == nil && obj != "shared" {
					t.Errorf("the shared page is %v", obj)
				}
				other := &states[(n*7)%len(states)]
				if obj, err := other.Page(); err == nil && obj != nil && obj != g {
					t.Errorf("page of %d is %v", g, obj)
				}
				if u := Used(); u > budget {
					t.Errorf("%d bytes in use", u)
				}
				c.End()
			}
			for i := range states {
				states[i].Drop()
			}
		})
	}
	wg.Wait()
	shared.Drop()
	nothingLeft(t)
}

// withLimit sets the budget for one test.
func withLimit(t testing.TB, n int64) {
	t.Helper()
	before := Limit()
	if err := SetLimit(n); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := SetLimit(before); err != nil {
			t.Error(err)
		}
	})
}

// newPage gives a state a page of size bytes, and returns its lease.
func newPage(r *Ref, size int64) (*Lease, error) {
	l := new(Lease)
	return l, r.NewPage(l, nil, size)
}

// releaseAll drops every page and empties the cache.
func releaseAll() {
	EmptyCache()
	eachLease(func(l *Lease) { forget(l) })
}

// newCallback stands for DuckDB calling: time passes for the store.
func newCallback(f func()) {
	var c Callback
	c.Begin()
	f()
	c.End()
}

// nothingLeft checks that no page and no byte of the budget is held.
func nothingLeft(t *testing.T) {
	t.Helper()
	if Used() != 0 || store.live.Load() != 0 {
		t.Errorf("%d bytes in %d pages are left", Used(), store.live.Load())
	}
}

// TestTurn: pages that need much memory for a moment wait until others gave it back, and those that need little do not.
func TestTurn(t *testing.T) {
	withLimit(t, 1<<20)
	var l Lease
	first := l.Turn(1 << 17)
	l.Turn(1 << 10)() // little
	l.Turn(1 << 17)() // the second eighth
	var released atomic.Bool
	waited := make(chan bool)
	go func() {
		done := l.Turn(1 << 20) // more than all of it: it must be the only one
		waited <- released.Load()
		done()
	}()
	released.Store(true)
	first()
	if !<-waited {
		t.Error("a page took more than its part of the budget while another had some")
	}
}
