package duck

import (
	"runtime"
	"testing"
)

// Go's scheduler has one processor more, unless the environment says how many it has.
func TestAddProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for environment, want := range map[string]int{"": 3, "2": 2} {
		t.Setenv(processorsVariable, environment)
		runtime.GOMAXPROCS(2)
		if addProcessor(); runtime.GOMAXPROCS(0) != want {
			t.Errorf("GOMAXPROCS %q: %d processors, want %d", environment, runtime.GOMAXPROCS(0), want)
		}
	}
}
