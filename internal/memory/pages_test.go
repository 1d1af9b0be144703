package memory

import (
	"errors"
	"fmt"
	"sync"
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
	if l.Size() != 120 || Used() != 120 || store.live.Load() != 1 {
		t.Errorf("size %d, used %d, live %d", l.Size(), Used(), store.live.Load())
	}
	old := *s // DuckDB moves states by copying them
	second, err := newPage(s, 10)
	if err != nil {
		t.Fatal(err)
	}
	second.Set("second")
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
	if *s != 7 || Used() != 0 || store.live.Load() != 0 {
		t.Errorf("after Drop: %d, used %d, live %d", *s, Used(), store.live.Load())
	}
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

// newCallback stands for DuckDB calling: time passes for the store.
func newCallback(f func()) {
	var c Callback
	c.Begin()
	f()
	c.End()
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
		for i := 90; i < 94; i++ {
			states[i].MarkFinal()
		}
	})
	alive := func() (gone []int) {
		for i := range states {
			if states[i].lease() == nil {
				gone = append(gone, i)
			}
		}
		return gone
	}
	var extra Ref
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
	if Used() != 0 || store.live.Load() != 0 {
		t.Errorf("%d bytes, %d pages", Used(), store.live.Load())
	}
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
	l.Set("shared")
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			states := make([]Ref, 64)
			for n := range 3000 {
				var c Callback
				c.Begin()
				s := &states[n%len(states)]
				switch l, err := newPage(s, int64(4<<10+g)); {
				case errors.Is(err, ErrBudget):
				case err != nil:
					errs <- err
				default:
					l.Set(g)
					if err := l.Grow(100); err != nil && !errors.Is(err, ErrBudget) {
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
				if u := Used(); u > budget {
					errs <- fmt.Errorf("%d bytes in use", u)
				}
				c.End()
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
	if Used() != 0 || store.live.Load() != 0 {
		t.Errorf("%d bytes in %d pages", Used(), store.live.Load())
	}
}

func TestBudgetErrors(t *testing.T) {
	withLimit(t, 1000)
	var r Ref
	if _, err := newPage(&r, 2000); !errors.Is(err, ErrBudget) {
		t.Errorf("error %v", err)
	}
	l, err := newPage(&r, 400)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Drop()
	const text = "memory budget of 1000 bytes is used up (raise it with ccbf_memory_limit)"
	if err := l.Grow(601); !errors.Is(err, ErrBudget) || err.Error() != text {
		t.Errorf("error %v", err)
	}
	if err := l.Grow(600); err != nil {
		t.Error(err)
	}
	if Used() != 1000 {
		t.Errorf("%d bytes in use", Used())
	}
	if err := l.Grow(-1001); err == nil {
		t.Error("gave back more than it had")
	}
	if SetLimit(0) == nil {
		t.Error("a limit of 0 was taken")
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"1073741824": 1 << 30, "2GiB": 2 << 30, "500MB": 500e6, " 1.5 kib ": 1536,
		"10 b": 10, "3k": 3000, "1TB": 1e12, "7 bytes": 7,
	} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "GiB", "0", "-1", "1 elephant", "1e3x", "99999999TiB", "0.5", "NaN", "Inf"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
	for n, want := range map[int64]string{6 << 30: "6.0 GiB", 1000: "1000 bytes", 1536: "1.5 KiB", 1 << 40: "1.0 TiB"} {
		if got := formatBytes(n); got != want {
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
