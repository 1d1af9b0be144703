package cells

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/kit"
)

// townKeys makes keys of n points in towns.
func townKeys(n int) []uint64 {
	keys := make([]uint64, n)
	for i, c := range kit.Towns(n) {
		_, _, keys[i] = Key(c)
	}
	return keys
}

func TestSortedRunsCountEveryKey(t *testing.T) {
	keys := townKeys(100_000)
	for _, n := range []int{0, 1, 300, 5000, 100_000} {
		want := map[uint64]uint64{}
		for _, k := range keys[:n] {
			want[k]++
		}
		for name, weights := range map[string][]uint64{"plain": nil, "weighted": make([]uint64, n)} {
			for i := range weights {
				weights[i] = 1
			}
			in := append([]uint64(nil), keys[:n]...)
			r := Collect(in, weights)
			if len(r.Keys) != len(want) {
				t.Fatalf("%s, %d keys: %d cells, want %d", name, n, len(r.Keys), len(want))
			}
			for i, k := range r.Keys {
				if r.Counts[i] != want[k] || i > 0 && k <= r.Keys[i-1] {
					t.Fatalf("%s, %d keys: cell %d counts %d, want %d", name, n, k, r.Counts[i], want[k])
				}
			}
		}
	}
}
