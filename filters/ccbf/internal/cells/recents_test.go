package cells

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Recent cells add up to the keys, and are not many more than there are, whatever the keys share.
func TestCountRecent(t *testing.T) {
	r := rand.New(rand.NewPCG(334, 0))
	for _, cells := range []uint64{1, 9, 3000, 200_000} {
		for _, base := range []uint64{0, 5 << wordKeys} {
			for _, wide := range []uint64{0, 1 << 63} {
				keys, want := make([]uint64, 1<<15), map[uint64]uint64{}
				for i := range keys {
					keys[i] = base + r.Uint64N(cells)*0x10000
				}
				keys[7] |= wide
				for _, k := range keys {
					want[k]++
				}
				got, run := map[uint64]uint64{}, CountRecent(slices.Clone(keys))
				for i, k := range run.Keys {
					n := uint64(1)
					if run.Counts != nil {
						n = run.Counts[i]
					}
					if n == 0 {
						t.Fatalf("cell %d is there without a point", k)
					}
					got[k] += n
				}
				if !maps.Equal(got, want) {
					t.Errorf("%d cells of base %x, one at %x: the run has others", cells, base, wide)
				}
				if wide == 0 && cells <= 9 && len(run.Keys) != len(want) {
					t.Errorf("%d cells are there %d times", len(want), len(run.Keys))
				}
			}
		}
	}
}
