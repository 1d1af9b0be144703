package radix

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortAgreesWithComparing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var s Scratch
	for _, n := range []int{0, 1, 2, 255, 256, 5000} {
		for _, mask := range []uint64{0, 1, 0xff00, 1<<26 - 1, 3<<62 | 1<<26 - 1, ^uint64(0)} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = r.Uint64() & mask
			}
			want := slices.Clone(keys)
			slices.Sort(want)

			values := make([]uint64, n)
			pairs := slices.Clone(keys)
			for i := range values {
				values[i] = uint64(i)
			}
			s.SortPairs(pairs, values)
			for i, v := range values {
				if pairs[i] != keys[v] {
					t.Fatalf("n %d mask %x: value %d went to another key", n, mask, v)
				}
				if i > 0 && pairs[i] == pairs[i-1] && v < values[i-1] {
					t.Fatalf("n %d mask %x: equal keys changed their order", n, mask)
				}
			}
			s.Sort(keys)
			if !slices.Equal(keys, want) || !slices.Equal(pairs, want) {
				t.Fatalf("n %d mask %x: not sorted", n, mask)
			}
		}
	}
}
