package cells

import (
	"math/rand/v2"
	"testing"
)

// TestRecentsCountAll: the evicted and the remaining cells add up to the keys counted. This holds
// for any number of keys to a slot, while the cache grows, and if a cell comes more often than a
// word counts.
func TestRecentsCountAll(t *testing.T) {
	r := rand.New(rand.NewPCG(334, 0))
	for _, cells := range []uint64{1, 9, 3000, 200_000} {
		const base = 5 << wordKeys
		got, want := map[uint64]uint64{}, map[uint64]uint64{}
		put := func(r Squares) {
			for i, k := range r.Keys {
				if r.Counts[i] == 0 {
					t.Fatalf("cell %d is put out without a point", k)
				}
				got[k] += r.Counts[i]
			}
		}
		var recents RecentCache
		keys, slots, misses, puts := make([]uint64, 3*recentBatch+17), 64, 0, 0
		for turn := range 200 { // 2.5 million keys: of one cell five times as many as a word counts
			if turn%40 == 0 {
				recents.Grow(slots)
				slots *= 2
			}
			for i := range keys {
				keys[i] = base + r.Uint64N(cells)*0x10000
				want[keys[i]]++
			}
			if !recents.Fits(keys) {
				t.Fatal("keys of the same base do not fit")
			}
			fresh, out := recents.Count(keys, put)
			misses, puts = misses+fresh, puts+out
		}
		if recents.Fits([]uint64{6 << wordKeys}) || !recents.Fits([]uint64{base + 1}) || recents.Fits([]uint64{base, 1}) {
			t.Error("keys of another base fit, or of the same do not")
		}
		if misses+1 < len(want) || puts > misses || misses-puts > recents.Slots() {
			t.Errorf("%d cells: %d keys were not there, %d were put out of %d slots", cells, misses, puts, recents.Slots())
		}
		recents.Each(func(Squares) {})
		recents.Each(put) // leaves them, and so has put each once
		same(t, got, want)
	}
}

// TestCountRecent: a cache of its own evicts everything at the end.
func TestCountRecent(t *testing.T) {
	r := rand.New(rand.NewPCG(335, 0))
	for _, n := range []int{1, 100, recentBatch, 3*recentBatch + 1} {
		keys, got, want := make([]uint64, n), map[uint64]uint64{}, map[uint64]uint64{}
		for i := range keys {
			keys[i] = r.Uint64N(77) << 30
			want[keys[i]]++
		}
		fresh := CountRecent(keys, func(r Squares) {
			for i, k := range r.Keys {
				got[k] += r.Counts[i]
			}
		})
		same(t, got, want)
		if fresh+1 < len(want) || fresh > n {
			t.Errorf("%d of %d keys, of %d cells, were not there", fresh, n, len(want))
		}
	}
}

func same(t *testing.T, got, want map[uint64]uint64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d cells, want %d", len(got), len(want))
	}
	for k, n := range want {
		if got[k] != n {
			t.Fatalf("cell %d has %d points, want %d", k, got[k], n)
		}
	}
}
