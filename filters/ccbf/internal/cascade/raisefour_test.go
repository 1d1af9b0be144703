package cascade

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Four counters of 4 bits are raised as one by one, under any counters above. Keys are few or many for the
// counters; points come alone or together, up to more than a counter holds.
func TestFoursAreRaisedAsOneByOne(t *testing.T) {
	for _, c := range []struct {
		widths []int
		sizes  []uint64
	}{
		{[]int{4, 8}, []uint64{2, 1}},
		{[]int{4, 8}, []uint64{45, 15}},
		{[]int{4, 8}, []uint64{512, 64}},
		{[]int{4, 8, 16}, []uint64{960, 120, 40}},
		{[]int{4, 8, 12}, []uint64{960, 120, 40}},
		{[]int{4, 8, 16, 32}, []uint64{3 << 12, 3 << 9, 3 << 6, 3 << 3}},
		{[]int{4, 8, 8, 8, 8}, []uint64{3 << 12, 3 << 9, 3 << 6, 3 << 3, 3}},
	} {
		for _, keys := range []int{1, 30, 3000, 30_000} {
			r := rand.New(rand.NewPCG(332, c.sizes[0]))
			together, single := New(shapeOf(t, c.widths, c.sizes, 4)), New(shapeOf(t, c.widths, c.sizes, 4))
			if !together.raisesFours() {
				t.Fatalf("widths %v are not for raiseFours", c.widths)
			}
			for _, most := range []uint{1, 4, 12, 26, 64} { // bits of a weight
				h1, h2 := keysOf(r, 2*keyBatch+13, keys)
				n := make([]uint64, len(h1))
				for i := range n {
					n[i] = r.Uint64() >> (64 - r.UintN(most) - 1)
					single.Insert(false, h1[i:i+1], h2[i:i+1], n[i:i+1])
				}
				if together.Insert(false, h1, h2, n); most == 1 {
					together.Insert(false, h1, h2, nil)
					for i := range h1 {
						single.Insert(false, h1[i:i+1], h2[i:i+1], nil)
					}
				}
				if !bytes.Equal(together.Body, single.Body) || together.Saturated != single.Saturated {
					t.Fatalf("widths %v, %d keys, weights of up to %d bits: together and one by one differ", c.widths, keys, most)
				}
			}
		}
	}
}
