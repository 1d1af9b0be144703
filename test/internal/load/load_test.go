package load

import (
	"flag"
	"testing"
)

var (
	count       = flag.Int("queries", 200, "random queries")
	seed        = flag.Uint64("seed", 1, "of the queries")
	from        = flag.Int("from", 0, "number of the first query")
	connections = flag.Int("connections", 4, "at most so many at once")
)

// A sample of the queries of make differential.
func TestDifferential(t *testing.T) {
	counts, err := Run(Options{
		Seed: *seed, From: *from, To: *from + *count, Connections: *connections, Dir: t.TempDir(),
		Failed: func(f Failure) { t.Errorf("query %d (%s): %v\n%s", f.Number, f.Kind, f.Err, f.Script) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", counts)
}
