package load

import (
	"flag"
	"testing"
)

var (
	count       = flag.Int("queries", 200, "`number` of random queries to run")
	seed        = flag.Uint64("seed", 1, "`seed` of the random queries")
	from        = flag.Int("from", 0, "`number` of the first query to run")
	connections = flag.Int("connections", 4, "most `connections` that query at once")
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
