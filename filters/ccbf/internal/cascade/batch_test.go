package cascade

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// batched are layers of which every kernel, or none, takes batches of keys. Some have another number of
// positions, and others have fours that continue in layers of few counters or of many.
var batched = []struct {
	widths []int
	sizes  []uint64
	k      int
}{
	{[]int{8, 16}, []uint64{600, 60}, 4},
	{[]int{8, 16}, []uint64{1024, 64}, 1},
	{[]int{32}, []uint64{256}, 32},
	{[]int{5, 9}, []uint64{600, 60}, 7},
	{[]int{4, 8, 16}, []uint64{1024, 64, 16}, 6},
	{[]int{16, 32}, []uint64{512, 64}, 8},
	{[]int{4}, []uint64{600}, 3},
	{[]int{4}, []uint64{1001}, 4},
	{[]int{4, 8}, []uint64{2, 1}, 4},
	{[]int{4, 8}, []uint64{48, 16}, 4},
	{[]int{4, 8}, []uint64{45, 15}, 4}, // too few above for eight at once
	{[]int{4, 8}, []uint64{5 << 12, 5 << 9}, 4},
	{[]int{4, 16}, []uint64{3 << 9, 3 << 6}, 4},
	{[]int{4, 8, 12}, []uint64{960, 120, 40}, 4},
	{[]int{4, 8, 16, 32}, []uint64{3 << 12, 3 << 9, 3 << 6, 3 << 3}, 4},
	{[]int{4, 8, 8, 8, 8}, []uint64{3 << 12, 3 << 9, 3 << 6, 3 << 3, 3}, 4},
	{[]int{4, 8}, []uint64{simd.MaxSize / 31 * 31, simd.MaxSize / 31}, 4},
	{[]int{4, 8}, []uint64{(simd.MaxSize/31 + 1) * 31, simd.MaxSize/31 + 1}, 4},
}

// TestCountsOfManyKeys: many keys at once read as each of them alone, and that is the least of its
// counters one by one. Counters are as nobody inserts them: flags beside counters of 0 above, and the other
// way about.
func TestCountsOfManyKeys(t *testing.T) {
	for _, c := range batched {
		r := rand.New(rand.NewPCG(331, c.sizes[0]))
		d := New(shapeOf(t, c.widths, c.sizes, c.k))
		for x := range d.Shape.Layers {
			l := &d.Layers[x]
			for j := range l.Size {
				if r.IntN(3) > 0 {
					l.store(j, r.Uint64()>>r.UintN(64)&(l.Mask|l.Flag))
				}
			}
		}
		for _, n := range []int{0, 1, 7, 8, 9, 100, KeyBatch - 3, KeyBatch} {
			h1, h2, got := make([]uint64, n), make([]uint64, n), make([]uint64, n)
			for i := range h1 {
				h1[i], h2[i] = r.Uint64(), r.Uint64()|1
			}
			d.Counts(got, h1, h2)
			for i, n := range got {
				want := ^uint64(0)
				l := &d.Layers[0]
				for x, at := 0, l.mod(h1[i]); x < c.k; x++ {
					at = next(at, l.mod(h2[i]), l.Size)
					want = min(want, d.Value(at))
				}
				if alone := d.Count(h1[i], h2[i]); n != want || alone != want {
					t.Fatalf("widths %v, sizes %v, key %d of %d: %d, alone %d, counter by counter %d", c.widths, c.sizes, i, len(got), n, alone, want)
				}
			}
		}
	}
}

// TestInsertsOfManyKeys: many keys at once are counted as one by one, with weights and without. Counters carry
// and reach the ceiling of the last layer. Keys are few or many for the counters.
func TestInsertsOfManyKeys(t *testing.T) {
	for _, c := range batched {
		for _, sums := range []bool{false, true} {
			for _, keys := range []int{1, 30, 3000} {
				r := rand.New(rand.NewPCG(332, c.sizes[0]))
				together, single := New(shapeOf(t, c.widths, c.sizes, c.k)), New(shapeOf(t, c.widths, c.sizes, c.k))
				for _, most := range []uint{0, 1, 4, 12, 26, 64} { // bits of a weight
					h1, h2 := keysOf(r, 2*KeyBatch+13, keys)
					var weights []uint64
					for i := range h1 {
						n := uint64(1)
						if most > 0 {
							n = r.Uint64() >> (64 - r.UintN(most) - 1)
							weights = append(weights, n)
						}
						single.Insert(sums, h1[i:i+1], h2[i:i+1], []uint64{n})
					}
					together.Insert(sums, h1, h2, weights)
					if !bytes.Equal(together.Body, single.Body) || together.Saturated != single.Saturated {
						t.Fatalf("widths %v, sizes %v, sums %v, %d keys, weights of up to %d bits: together and one by one differ", c.widths, c.sizes, sums, keys, most)
					}
				}
			}
		}
	}
}
