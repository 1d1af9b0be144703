package cms

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/pace"
)

// A sketch beside Go's map of the same keys. Ratios: measured on an AMD EPYC.
func TestPace(t *testing.T) {
	const n = 1 << 12
	h1s, h2s := pace.Hashes(n)
	fill := func(p Params) *Sketch {
		s := mustNew(t, p)
		s.AddHashes(h1s, h2s, nil)
		return s
	}
	full, tally := fill(Params{}), pace.Tally(h1s)
	estimates, counts := make([]uint64, n), make([]uint64, n)
	pace.Check(t, []pace.Case{
		{Name: "add", Op: func() { fill(Params{}) }, Reference: func() { pace.Tally(h1s) }, Ratio: 0.31},
		{Name: "add, conservative", Op: func() { fill(Params{Conservative: true}) }, Reference: func() { pace.Tally(h1s) }, Ratio: 0.75},
		{Name: "count", Op: func() { full.CountHashes(estimates, h1s, h2s) }, Reference: func() { pace.Look(counts, tally, h1s) }, Ratio: 0.88},
	})
}
