package sbf

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/pace"
)

// A filter beside Go's map of the same keys. Ratios: measured on an AMD EPYC.
func TestPace(t *testing.T) {
	const n = 1 << 12
	h1s, h2s := pace.Hashes(n)
	fill := func(m Method) *Sketch {
		s := mustNew(t, Params{Capacity: n, Method: m})
		s.AddHashes(h1s, h2s, nil)
		return s
	}
	full, tally := fill(MS), pace.Tally(h1s)
	estimates, counts := make([]uint64, n), make([]uint64, n)
	pace.Check(t, []pace.Case{
		{Name: "add, ms", Op: func() { fill(MS) }, Reference: func() { pace.Tally(h1s) }, Ratio: 0.44},
		{Name: "add, mi", Op: func() { fill(MI) }, Reference: func() { pace.Tally(h1s) }, Ratio: 1.4},
		{Name: "count", Op: func() { full.CountHashes(estimates, h1s, h2s) }, Reference: func() { pace.Look(counts, tally, h1s) }, Ratio: 1},
	})
}
