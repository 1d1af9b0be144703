package cells

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sumOf adds up runs in a map.
func sumOf(runs ...Run) map[uint64]uint64 {
	sum := map[uint64]uint64{}
	for _, r := range runs {
		for i, k := range r.Keys {
			if sum[k] += r.Counts[i]; sum[k] < r.Counts[i] {
				sum[k] = math.MaxUint64
			}
		}
	}
	return sum
}

func sameRun(t *testing.T, what string, r Run, want map[uint64]uint64) {
	t.Helper()
	if len(r.Keys) != len(want) || len(r.Counts) != len(r.Keys) || !slices.IsSorted(r.Keys) {
		t.Fatalf("%s: %d cells, %d counts, sorted: %v; want %d", what, len(r.Keys), len(r.Counts), slices.IsSorted(r.Keys), len(want))
	}
	for i, k := range r.Keys {
		if r.Counts[i] != want[k] {
			t.Fatalf("%s: cell %d counts %d, want %d", what, k, r.Counts[i], want[k])
		}
	}
}

// Runs that were packed, in any number and of any length, add up to what their cells
// do in a map.
func TestPackedAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 1))
	random := func(cells int) Run {
		keys := map[uint64]bool{}
		wide := r.Uint64N(40)
		for len(keys) < cells {
			keys[r.Uint64N(uint64(2*cells)<<wide)] = true
		}
		var run Run
		for k := range keys {
			run.Keys = append(run.Keys, k)
		}
		slices.Sort(run.Keys)
		for range run.Keys {
			n := 1 + uint64(r.ExpFloat64())
			if r.Uint32N(200) == 0 {
				n = math.MaxUint64 - r.Uint64N(3) // sums end at 2^64-1
			}
			run.Counts = append(run.Counts, n)
		}
		return run
	}
	for round := range 200 {
		var all, runs []Run
		var packed []Packed
		for range 1 + r.IntN(12) {
			size := 1 + r.IntN(40)
			switch r.IntN(4) {
			case 0:
				size = blockCells * (1 + r.IntN(4))
			case 1:
				size = 1 + r.IntN(3000)
			}
			run := random(size)
			all = append(all, run)
			if r.IntN(3) == 0 {
				runs = append(runs, run)
				continue
			}
			p := Pack(nil, []Run{run})
			if p.Len() != size {
				t.Fatalf("%d cells packed, %d are there", size, p.Len())
			}
			packed = append(packed, p)
		}
		want := sumOf(all...)
		sameRun(t, "Sum", Sum(packed, runs), want)
		p := Pack(packed, runs)
		sameRun(t, "Pack", Sum([]Packed{p}, nil), want)
		if round == 0 {
			// Nothing that was added up is changed.
			sameRun(t, "again", Sum(packed, runs), want)
		}
	}
}
