package duck

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"unsafe"
)

func TestPageLifecycle(t *testing.T) {
	s := &State{gen: 7} // of instance 7
	if obj, err := s.Page(); obj != nil || err != nil {
		t.Fatalf("a new state has %v, %v", obj, err)
	}
	l, err := newPage(s, 100)
	if err != nil {
		t.Fatal(err)
	}
	l.Set("first")
	if obj, err := s.Page(); obj != "first" || err != nil {
		t.Fatalf("got %v, %v", obj, err)
	}
	if err := l.Grow(50); err != nil {
		t.Fatal(err)
	}
	if err := l.Grow(-30); err != nil {
		t.Fatal(err)
	}
	if l.Size() != 120 || MemoryUsed() != 120 || PagesLive() != 1 {
		t.Errorf("size %d, used %d, live %d", l.Size(), MemoryUsed(), PagesLive())
	}
	old := *s // DuckDB moves states by copying them
	second, err := newPage(s, 10)
	if err != nil {
		t.Fatal(err)
	}
	second.Set("second")
	if _, err := old.Page(); !errors.Is(err, ErrReclaimed) {
		t.Errorf("the page that was replaced: error %v", err)
	}
	if err := l.Grow(1); !errors.Is(err, ErrReclaimed) {
		t.Errorf("growing it: error %v", err)
	}
	if MemoryUsed() != 10 {
		t.Errorf("%d bytes in use", MemoryUsed())
	}
	s.Drop()
	s.Drop()
	if s.gen != 7 || s.handle != 0 || MemoryUsed() != 0 || PagesLive() != 0 {
		t.Errorf("after Drop: instance %d, handle %d, used %d, live %d", s.gen, s.handle, MemoryUsed(), PagesLive())
	}
}

// A handle that no store gave out is not followed anywhere.
func TestForgedHandles(t *testing.T) {
	for _, h := range []uint32{1, 2, 15, 16, 1 << 16, 1<<26 - 1, 1 << 28, ^uint32(0)} {
		s := State{handle: h, gen: 1}
		_, err := s.Page()
		if s.HasSlot() {
			_, err = s.Words()
		}
		if !errors.Is(err, ErrReclaimed) {
			t.Errorf("handle %d: error %v", h, err)
		}
		s.Drop()
	}
}

// newCallback stands for DuckDB calling: time passes for the store.
func newCallback(f func()) {
	fr := beginFrame()
	f()
	fr.end()
}

// TestReclaimOrder checks that finalized pages are reclaimed first, and then those that were not
// touched for longest. Pages that a running callback has touched stay.
func TestReclaimOrder(t *testing.T) {
	withLimit(t, 100<<10)
	states := make([]State, 100) // 1 KiB each: all of the budget
	for i := range states {
		newCallback(func() {
			l, err := newPage(&states[i], 1<<10)
			if err != nil {
				t.Fatal(err)
			}
			l.Set(i)
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
		ptrs := []*State{&states[90], &states[91], &states[92], &states[93]}
		States{p: unsafe.Pointer(&ptrs[0]), n: len(ptrs)}.markFinal()
	})
	alive := func() (gone []int) {
		for i := range states {
			if leaseOf(states[i].handle, states[i].gen) == nil {
				gone = append(gone, i)
			}
		}
		return gone
	}
	var extra State
	newCallback(func() {
		if _, err := newPage(&extra, 1<<10); err != nil {
			t.Fatal(err)
		}
	})
	// A sixteenth of the limit is 6.25 pages. So 7 go: the finalized ones, and three of the
	// oldest others, as precisely as buckets are.
	gone := alive()
	if len(gone) != 7 {
		t.Fatalf("reclaimed %v", gone)
	}
	for _, i := range gone {
		if i < 10 || i > 20 && (i < 90 || i > 93) {
			t.Errorf("reclaimed %v", gone)
		}
	}
	finalized := 0
	for _, i := range gone {
		if i >= 90 && i <= 93 {
			finalized++
		}
	}
	if finalized != 4 {
		t.Errorf("reclaimed %d of the 4 finalized pages: %v", finalized, gone)
	}
	// Everything else is in use by a running callback: no room.
	outer := beginFrame()
	for i := range states {
		_, _ = states[i].Page()
	}
	var none State
	newCallback(func() {
		if _, err := newPage(&none, 50<<10); !errors.Is(err, ErrBudget) {
			t.Errorf("error %v", err)
		}
	})
	outer.end()
	newCallback(func() {
		if _, err := newPage(&none, 50<<10); err != nil {
			t.Errorf("error %v", err)
		}
	})
	ReleaseAll()
	if MemoryUsed() != 0 || PagesLive() != 0 {
		t.Errorf("%d bytes, %d pages", MemoryUsed(), PagesLive())
	}
}

func TestMillionBlocks(t *testing.T) {
	withLimit(t, 1<<30)
	states := make([]State, 1_000_000)
	for i := range states {
		l, err := newPage(&states[i], 16)
		if err != nil {
			t.Fatal(err)
		}
		l.Set(&states[i])
	}
	if PagesLive() != 1_000_000 || MemoryUsed() != 16_000_000 {
		t.Fatalf("%d pages, %d bytes", PagesLive(), MemoryUsed())
	}
	for i := range states {
		if obj, err := states[i].Page(); err != nil || obj.(*State) != &states[i] {
			t.Fatalf("page %d: %v, %v", i, obj, err)
		}
	}
	for i := range states[:500_000] {
		states[i].Drop()
	}
	ReleaseAll()
	if PagesLive() != 0 || MemoryUsed() != 0 {
		t.Fatalf("%d pages, %d bytes", PagesLive(), MemoryUsed())
	}
	if n := len(store[3].free); n < 30_000 {
		t.Errorf("%d entries to use again", n)
	}
}

// Many threads make, read, grow, drop and reclaim; the books balance.
func TestPagesInParallel(t *testing.T) {
	const budget = 1 << 20
	withLimit(t, budget)
	shared := new(State) // read by all, as a window's source is
	l, err := newPage(shared, 100)
	if err != nil {
		t.Fatal(err)
	}
	l.Set("shared")
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			states := make([]State, 64)
			for n := range 3000 {
				f := beginFrame()
				s := &states[n%len(states)]
				switch l, err := newPage(s, int64(4<<10+g)); {
				case errors.Is(err, ErrBudget):
				case err != nil:
					errs <- err
				default:
					l.Set(g)
					if err := l.Grow(100); err != nil && !errors.Is(err, ErrBudget) && !errors.Is(err, ErrReclaimed) {
						errs <- err
					}
				}
				if obj, err := shared.Page(); err == nil && obj != "shared" {
					errs <- fmt.Errorf("the shared page is %v", obj)
				}
				other := &states[(n*7)%len(states)]
				if obj, err := other.Page(); err == nil && obj != nil && obj != g {
					errs <- fmt.Errorf("page of %d is %v", g, obj)
				}
				if u := MemoryUsed(); u > budget {
					errs <- fmt.Errorf("%d bytes in use", u)
				}
				f.end()
			}
			for i := range states {
				states[i].Drop()
			}
		}()
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Fatal(err)
	}
	shared.Drop()
	if MemoryUsed() != 0 || PagesLive() != 0 {
		t.Errorf("%d bytes in %d pages", MemoryUsed(), PagesLive())
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"1073741824": 1 << 30, "2GiB": 2 << 30, "500MB": 500e6, " 1.5 kib ": 1536,
		"10 b": 10, "3k": 3000, "1TB": 1e12, "7 bytes": 7,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "GiB", "0", "-1", "1 elephant", "1e3x", "99999999TiB", "0.5", "NaN", "Inf"} {
		if got, err := ParseBytes(text); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
	for n, want := range map[int64]string{6 << 30: "6.0 GiB", 1000: "1000 bytes", 1536: "1.5 KiB", 1 << 40: "1.0 TiB"} {
		if got := FormatBytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestMachineMemory(t *testing.T) {
	const meminfo = "MemTotal:       16384 kB\nMemFree:  100 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing known", nil, 0},
		{"no cgroup", map[string]string{"/proc/meminfo": meminfo}, 16 << 20},
		{"v2, no limit", map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n"}, 16 << 20},
		{"v2", map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "8388608\n"}, 8 << 20},
		{"v2, above", map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/memory.max": "4194304\n", "/sys/fs/cgroup/a/b/memory.max": "8388608\n"}, 4 << 20},
		{"v2, path of the host", map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/docker/abc\n", "/sys/fs/cgroup/memory.max": "2097152\n"}, 2 << 20},
		{"v1", map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "5:cpu,memory:/x\n4:pids:/x\n", "/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "1048576\n"}, 1 << 20},
		{"v1, no limit", map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "5:memory:/\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 16 << 20},
	} {
		got := machineMemory(func(name string) ([]byte, error) {
			if s, ok := c.files[name]; ok {
				return []byte(s), nil
			}
			return nil, errors.New("no such file")
		})
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
