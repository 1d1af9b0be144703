package cascade

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Some leaves out only keys of which one of the first counters is 0, and all of those:
// whatever their number is, beyond what is sorted out at once, too.
func TestSomeAreThoseWithoutAZero(t *testing.T) {
	for _, widths := range [][]int{{4, 8}, {8, 16}, {16, 16}, {32, 32}} {
		for _, k := range []int{2, 3, 4, 7} {
			for _, keys := range []int{1, keyBatch, 2*keyBatch + 77} {
				r := rand.New(rand.NewPCG(uint64(k), uint64(keys)))
				d := New(shapeOf(t, widths, []uint64{3 << 9, 3 << 6}, k))
				h1, h2 := make([]uint64, keys), make([]uint64, keys)
				for i := range h1 {
					h1[i], h2[i] = r.Uint64(), r.Uint64()|1
				}
				d.Insert(false, h1[:keys/3], h2[:keys/3], nil)
				for range 200 { // half of the counters or so, in no order
					d.Insert(false, []uint64{r.Uint64()}, []uint64{r.Uint64() | 1}, nil)
				}
				looked := 4
				if k < 4 || widths[0] != 4 {
					looked = 0
				}
				var want []uint32
				l := &d.Layers[0]
				for i := range h1 {
					some, j := true, l.mod(h1[i])
					for range looked {
						j = next(j, l.mod(h2[i]), l.Size)
						some = some && l.Load(j) != 0
					}
					if some {
						want = append(want, uint32(i))
					}
				}
				if got := d.Some(make([]uint32, keys), h1, h2); !slices.Equal(got, want) {
					t.Errorf("widths %v, k = %d, %d keys: %d have a count, want %d", widths, k, keys, len(got), len(want))
				}
			}
		}
	}
}
