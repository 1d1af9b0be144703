package load

import (
	"flag"
	"testing"
	"time"
)

var (
	count       = flag.Int("queries", 200, "random queries")
	seed        = flag.Uint64("seed", 1, "of the queries")
	from        = flag.Int("from", 0, "number of the first query")
	connections = flag.Int("connections", 4, "at most so many at once")
)

// A sample of what make differential runs.
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

// The load of make soak, for three samples: no query fails, and nothing is held
// when none runs.
func TestSoak(t *testing.T) {
	err := Soak(SoakOptions{
		Seed: *seed, Connections: 4, Every: 500 * time.Millisecond, Dir: t.TempDir(),
		Done:    func(samples int) bool { return samples == 3 },
		Sampled: func(s Sample) { t.Log(s.Row()) },
		Failed:  func(statement string, err error) { t.Errorf("%v\n%s", err, statement) },
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The slope of a straight line is found, and its error: of points on the line
// none; of points beside it, by the formulas of least squares worked out by hand
// for three of them: residuals 1, -2, 1 mean a variance of 6 and an error of
// sqrt(6 / 2).
func TestGrowth(t *testing.T) {
	at := func(hours int, resident int64) Sample {
		return Sample{After: time.Duration(hours) * time.Hour, Resident: resident}
	}
	if slope, sigma := Growth([]Sample{at(0, 5), at(1, 8), at(2, 11), at(5, 20)}); slope != 3 || sigma != 0 {
		t.Errorf("slope %v, error %v, want 3 and 0", slope, sigma)
	}
	if slope, sigma := Growth([]Sample{at(0, 11), at(1, 18), at(2, 31)}); slope != 10 || sigma*sigma < 2.999999 || sigma*sigma > 3.000001 {
		t.Errorf("slope %v, error %v, want 10 and sqrt(3)", slope, sigma)
	}
}
