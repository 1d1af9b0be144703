package radix

import (
	"math/bits"
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

// SortBitsIn sorts by the bits of its mask alone and keeps the order of keys that
// agree in them, whatever the mask.
func TestSortBitsInIsStable(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 0))
	var s Scratch
	for i := range 200 {
		n := r.IntN(2000)
		mask := r.Uint64() & r.Uint64()
		switch i % 4 {
		case 0:
			mask = (1<<r.UintN(64) - 1) << r.UintN(64)
		case 1:
			mask = 0
		}
		keys := make([]uint64, n)
		for j := range keys {
			keys[j] = r.Uint64()
			if i%3 == 0 { // few distinct ones
				keys[j] = 1 << r.UintN(64)
			}
		}
		// A pass may take bits between those of the mask along: it sorts by
		// the stretches that pass says.
		cover := uint64(0)
		for rest := mask; rest != 0; {
			shift, width, next := pass(rest)
			if width > digit || bits.OnesCount64(rest) <= bits.OnesCount64(next) {
				t.Fatalf("mask %x: a pass of %d bits, %x left of %x", mask, width, next, rest)
			}
			cover |= (1<<width - 1) << shift
			rest = next
		}
		if cover&mask != mask {
			t.Fatalf("mask %x: only %x is sorted by", mask, cover)
		}
		want := slices.Clone(keys)
		slices.SortStableFunc(want, func(a, b uint64) int {
			if a&cover < b&cover {
				return -1
			} else if a&cover > b&cover {
				return 1
			}
			return 0
		})
		if !slices.Equal(s.SortBitsIn(keys, make([]uint64, n), mask), want) {
			t.Fatalf("%d keys, mask %x: not sorted", n, mask)
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
		alone := slices.Clone(keys)
		s.Sort(alone)
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
		s.Sort(keys)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
