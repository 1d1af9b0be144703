package cbf

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/pace"
)

// A filter beside Go's map of the same keys. Ratios: measured on an AMD EPYC.
func TestPace(t *testing.T) {
	const n = 1 << 12
	h1s, h2s := pace.Hashes(n)
	fill := func() *Sketch {
		s := mustNew(t, Params{Capacity: n})
		s.AddHashes(h1s, h2s, nil)
		return s
	}
	full, tally := fill(), pace.Tally(h1s)
	found, counts := make([]bool, n), make([]uint64, n)
	pace.Check(t, []pace.Case{
		{Name: "add", Op: func() { fill() }, Reference: func() { pace.Tally(h1s) }, Ratio: 2.6},
		{Name: "contains", Op: func() { full.ContainsHashes(found, h1s, h2s) }, Reference: func() { pace.Look(counts, tally, h1s) }, Ratio: 4.3},
	})
}
