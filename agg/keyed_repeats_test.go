package agg

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestDistinctKeys compares the keys that find finds, their order, and the counts of rows with a map.
func TestDistinctKeys(t *testing.T) {
	var r distinctKeys // used for all rounds, as it is for chunks
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		keys := make([]uint64, 1+random.IntN(chunkLen))
		switch round {
		case 0:
			keys = keys[:1]
		case 1, 2:
			keys = make([]uint64, chunkLen) // one key; all different
			for i := range keys {
				keys[i] = uint64(i * (round - 1))
			}
		default:
			different := uint64(1) << random.IntN(20)
			for i := range keys {
				keys[i] = random.Uint64N(different) << random.IntN(2)
			}
		}
		n := r.find(keys)
		times := r.count(n, len(keys))
		truth, seen, counted := map[uint64]uint64{}, map[uint64]uint64{}, uint64(0)
		order := 0
		for row, v := range keys {
			at := int(r.number[row])
			if at >= n || r.keys[at] != v {
				t.Fatalf("round %d: row %d of key %d has number %d of %d", round, row, v, at, n)
			}
			if truth[v] == 0 { // the numbers of new keys ascend
				if at < order {
					t.Fatalf("round %d: key %d is new, its number %d is not", round, v, at)
				}
				order = at
			}
			truth[v]++
		}
		for at, v := range r.keys[:n] {
			seen[v] += times[at]
			counted += times[at]
		}
		if counted != uint64(len(keys)) || fmt.Sprint(seen) != fmt.Sprint(truth) {
			t.Fatalf("round %d: %d rows of %d", round, counted, len(keys))
		}
		// With far more slots than keys few repeats are missed: none where all keys
		// have slots of their own, as a single one has.
		if len(truth) == 1 && n != 1 {
			t.Fatalf("round %d: one key taken for %d", round, n)
		}
	}
}
