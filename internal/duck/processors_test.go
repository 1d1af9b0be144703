package duck

import (
	"runtime"
	"testing"
)

// Where DuckDB has as many threads as Go's scheduler has processors, there is one more of these. A
// number that somebody chose, another one or in the environment, stays.
func TestSpareProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range []struct {
		environment              string
		processors, threads, now int
	}{
		{"", 2, 2, 3},
		{"", 1, 1, 2},
		{"", 3, 2, 3},
		{"", 2, 8, 2},
		{"", 2, 0, 2}, // not known
		{"2", 2, 2, 2},
	} {
		t.Setenv(processorsVariable, c.environment)
		runtime.GOMAXPROCS(c.processors)
		spareProcessor(c.threads)
		if now := runtime.GOMAXPROCS(0); now != c.now {
			t.Errorf("%d processors, %d threads, GOMAXPROCS %q: now %d, want %d", c.processors, c.threads, c.environment, now, c.now)
		}
	}
}

// So after functions are registered with a database.
func TestRegisterSparesAProcessor(t *testing.T) {
	t.Setenv(processorsVariable, "")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	_, in := openDB(t, nil)
	threads := int(in.threads.Load())
	runtime.GOMAXPROCS(threads)
	openDB(t, nil)
	if now := runtime.GOMAXPROCS(0); threads == 0 || now != threads+1 {
		t.Errorf("%d processors beside %d threads", now, threads)
	}
}
