package memory

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

func TestBudgetErrors(t *testing.T) {
	withLimit(t, 1000)
	var c Callback
	c.Begin() // so the page is not reclaimed
	defer c.End()
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

// TestCachesAreEmptiedFirst checks that caches leave a quarter of the budget free, and are emptied
// before pages are reclaimed.
func TestCachesAreEmptiedFirst(t *testing.T) {
	releaseAll()
	withLimit(t, 1<<20)
	var have int64
	before := EmptyCache
	t.Cleanup(func() { EmptyCache = before })
	EmptyCache = func() int64 {
		n := have
		have = 0
		UnreserveCache(n)
		return n
	}
	keep := func(n int64) bool {
		if !ReserveCache(n) {
			return false
		}
		have += n
		return true
	}
	if keep(0) || keep(-1) || keep(800<<10) || !keep(500<<10) || keep(300<<10) || !keep(200<<10) {
		t.Fatalf("%d bytes are kept of a budget of %d", have, Limit())
	}
	var s Ref
	l, err := newPage(&s, 700<<10)
	if err != nil || have != 0 || Used() != 700<<10 {
		t.Fatalf("%v, %d bytes are kept and %d used", err, have, Used())
	}
	if keep(100 << 10) {
		t.Error("memory is kept where little is free")
	}
	s.Drop()
	if l.size.Load() > 0 || !keep(100<<10) {
		t.Error("nothing can be kept any more")
	}
	if Cached() != have {
		t.Errorf("%d bytes are kept, and not %d", Cached(), have)
	}
	releaseAll()
	if have != 0 || Cached() != 0 || Used() != 0 {
		t.Errorf("%d bytes are kept and %d used after releaseAll", have, Used())
	}
	// Where no query runs, a thirty-second stays, and not a byte more.
	for _, n := range []int64{32 << 10, 32<<10 + 1} {
		if !keep(n) {
			t.Fatalf("%d bytes cannot be kept", n)
		}
		Release(0)
		if want := n % (32<<10 + 1); have != want {
			t.Errorf("%d bytes stay of %d while no query runs", have, n)
		}
		releaseAll()
	}
}

// A lease says how little of the budget is left, whoever has the rest.
func TestScarce(t *testing.T) {
	releaseAll()
	withLimit(t, 1000)
	var s, other Ref
	defer s.Drop()
	defer other.Drop()
	l, err := newPage(&s, 100)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := newPage(&other, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		delta int64
		want  int
	}{{0, 0}, {400, 0}, {1, 1}, {249, 1}, {1, 2}, {-252, 0}} {
		if err := rest.Grow(of.delta); err != nil {
			t.Fatal(err)
		}
		if got := l.Scarce(); got != of.want {
			t.Errorf("%d of %d bytes held: %d, want %d", Used(), Limit(), got, of.want)
		}
	}
}

// TestImportReadsNothing checks that importing the package does not read the environment. In a
// process of its own, the budget follows the environment at its first use.
func TestImportReadsNothing(t *testing.T) {
	const child = "CCBF_TEST_IMPORT"
	if os.Getenv(child) != "" {
		t.Setenv(LimitVariable, "123456")
		if got := Limit(); got != 123456 {
			t.Errorf("the budget is %d: it was read before anything asked for it", got)
		}
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestImportReadsNothing$")
	c.Env = append(os.Environ(), child+"=1", LimitVariable+"=654321")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
