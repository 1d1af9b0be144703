// Package pace guards the speed of operations in ordinary tests: the time of
// each is held against that of a plain loop beside it, in the same process and
// in turn, so that what the machine is and what else it does cancel out.
package pace

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Case is an operation and the loop that it is measured by. Both are run many
// times and do the same every time. Each should take some ten to some hundred
// microseconds: much more than the clock's step, and less than the time for
// which the scheduler leaves a thread alone.
type Case struct {
	Name          string
	Op, Reference func()
	// Ratio is the time of Op in parts of that of Reference, measured on a
	// quiet machine.
	Ratio float64
}

// slack is how many times Ratio the measured one may be: so far below 2 that an
// operation that does all of its work twice fails, although some of that hides
// behind the rest. On 2 processors with a load of 10 the ratios were up to 1.5
// times what they are on a quiet machine.
const slack = 1.6

// An operation that is interrupted, or robbed of its caches, takes longer and
// never shorter. So the least of many rounds counts, and where the fewest do not
// suffice, as other work shares the machine, more are run.
const (
	fewest = 100
	most   = 50 * fewest
)

// Check fails the test for each case that takes more than slack times Ratio.
func Check(t *testing.T, cases []Case) {
	skip(t)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			ratio := c.measure()
			t.Logf("%.2f times the reference, %.2f on a quiet machine", ratio, c.Ratio)
			if ratio > slack*c.Ratio {
				t.Errorf("takes %.2f times as long as the reference; on a quiet machine it is %.2f, at most %.2f is allowed",
					ratio, c.Ratio, slack*c.Ratio)
			}
		})
	}
}

// skip skips a test where times say nothing.
func skip(t *testing.T) {
	t.Helper()
	switch {
	case testing.Short():
		t.Skip("skipped: -short, and times take many rounds")
	case raceDetector:
		t.Skip("skipped: the race detector slows down loops by unlike factors")
	}
}

// measure is the ratio of the least times. It ends once that is as it should be.
func (c *Case) measure() (ratio float64) {
	op, reference := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for round := 1; round <= most; round++ {
		op, reference = min(op, timed(c.Op)), min(reference, timed(c.Reference))
		ratio = float64(op) / float64(reference)
		if round >= fewest && ratio <= slack*c.Ratio {
			break
		}
	}
	return ratio
}

// Hashes are those of n random keys.
func Hashes(n int) (h1s, h2s []uint64) {
	r := rand.New(rand.NewPCG(1, 1))
	for range n {
		h1s, h2s = append(h1s, r.Uint64()), append(h2s, r.Uint64())
	}
	return h1s, h2s
}

// Tally counts keys in a map: what one would do without a sketch, and so the
// reference of sketches of keys.
func Tally(keys []uint64) map[uint64]uint64 {
	m := make(map[uint64]uint64, len(keys))
	for _, k := range keys {
		m[k]++
	}
	return m
}

// Look looks keys up in such a map.
func Look(dst []uint64, m map[uint64]uint64, keys []uint64) {
	for i, k := range keys {
		dst[i] = m[k]
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
