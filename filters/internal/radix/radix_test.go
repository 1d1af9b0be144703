package radix

import (
	"cmp"
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
			if !slices.Equal(s.Sort(keys, 0), want) || !slices.Equal(pairs, want) {
				t.Fatalf("n %d mask %x: not sorted", n, mask)
			}
		}
	}
}

// Sort sorts by the bits above the low ones, and the same keys come out.
func TestSortIgnoresLowBits(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 0))
	var s Scratch
	for i := range 200 {
		keys := make([]uint64, r.IntN(2000))
		low := r.UintN(64)
		for j := range keys {
			keys[j] = r.Uint64()
			if i%3 == 0 { // few distinct ones
				keys[j] = 1 << r.UintN(64)
			}
		}
		want := slices.Sorted(slices.Values(keys))
		got := slices.Clone(s.Sort(keys, low))
		if !slices.IsSortedFunc(got, func(a, b uint64) int { return cmp.Compare(a>>low, b>>low) }) {
			t.Fatalf("%d keys, %d low bits: not sorted", len(keys), low)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("%d keys, %d low bits: other keys", len(keys), low)
		}
	}
}

// The memory of a Scratch serves inputs of all lengths, one after the other.
func TestScratchIsUsedAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 0))
	var s Scratch
	for range 100 {
		keys := make([]uint64, r.IntN(5000))
		values := make([]uint64, len(keys))
		for i := range keys {
			keys[i] = r.Uint64() >> r.UintN(64) << r.UintN(20)
			values[i] = ^keys[i]
		}
		want := slices.Sorted(slices.Values(keys))
		alone := slices.Clone(s.Sort(slices.Clone(keys), 0))
		s.SortPairs(keys, values)
		if !slices.Equal(keys, want) || !slices.Equal(alone, want) {
			t.Fatal("not sorted")
		}
		for i := range keys {
			if values[i] != ^keys[i] {
				t.Fatal("a value left its key")
			}
		}
	}
	keys := make([]uint64, 5000)
	if n := testing.AllocsPerRun(20, func() {
		for i := range keys {
			keys[i] = uint64(i) * 0x9e3779b97f4a7c15
		}
		s.Sort(keys, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
