package cascade

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Keys without weights are counted as those with a weight of 1 each are: through carries, and up to
// the ceiling of the last layer.
func TestInsertsOfManyKeys(t *testing.T) {
	for _, p := range []struct {
		widths []int
		sizes  []uint64
		k      int
	}{
		{[]int{8, 16}, []uint64{1024, 64}, 4},
		{[]int{8, 16}, []uint64{64, 16}, 1},
		{[]int{16, 32}, []uint64{512, 64}, 5},
		{[]int{32}, []uint64{256}, 32},
		{[]int{8}, []uint64{64}, 8},
		{[]int{16, 32}, []uint64{512, 64}, 8},
		{[]int{4, 8, 16}, []uint64{1024, 64, 16}, 6},
		{[]int{8, 16}, []uint64{600, 60}, 4},
	} {
		for _, sums := range []bool{false, true} {
			shape := shapeOf(t, p.widths, p.sizes, p.k)
			plain, weighted := New(shape), New(shape)
			r := rand.New(rand.NewPCG(17, 4))
			for range 30 {
				n := r.IntN(600)
				h1, h2, ones := make([]uint64, n), make([]uint64, n), make([]uint64, n)
				for i := range h1 {
					h1[i], h2[i] = key.HashCell(0, r.Int64N(1+r.Int64N(200)), 0)
					ones[i] = 1
				}
				plain.Insert(sums, h1, h2, nil)
				weighted.Insert(sums, h1, h2, ones)
				if !bytes.Equal(plain.Body, weighted.Body) || plain.Saturated != weighted.Saturated {
					t.Fatalf("%v, sums %v: other counters without weights than with weights of 1", p, sums)
				}
			}
		}
	}
}
