package cascade

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// Counting fours together, or the four of one key, gives what counting one by one gives. This holds for
// values that continue in no, one or several layers, and for any number of keys.
func TestFoursReadWhatOneReads(t *testing.T) {
	for _, c := range []struct {
		widths []int
		sizes  []uint64
	}{
		{[]int{4}, []uint64{1001}},
		{[]int{4, 8}, []uint64{48, 16}},
		{[]int{4, 8}, []uint64{45, 15}}, // too few above for eight at once
		{[]int{4, 8}, []uint64{5 << 12, 5 << 9}},
		{[]int{4, 16}, []uint64{3 << 9, 3 << 6}},
		{[]int{4, 8, 16, 32}, []uint64{3 << 12, 3 << 9, 3 << 6, 3 << 3}},
		{[]int{4, 8}, []uint64{simd.MaxSize / 31 * 31, simd.MaxSize / 31}},
		{[]int{4, 8}, []uint64{(simd.MaxSize/31 + 1) * 31, simd.MaxSize/31 + 1}},
	} {
		r := rand.New(rand.NewPCG(331, c.sizes[0]))
		d := New(shapeOf(t, c.widths, c.sizes, 4))
		for x := range d.Shape.Layers { // as a BLOB may have them: flags with nothing above, too
			l := &d.Layers[x]
			for j := range l.Size {
				if r.IntN(3) > 0 {
					l.store(j, r.Uint64()>>r.UintN(64)&(l.Mask|l.Flag))
				}
			}
		}
		for _, n := range []int{0, 1, 7, 8, 9, 100, keyBatch, keyBatch + 13, 2000} {
			h1, h2, got := make([]uint64, n), make([]uint64, n), make([]uint64, n)
			for i := range h1 {
				h1[i], h2[i] = r.Uint64(), r.Uint64()|1
			}
			d.countFours(got, h1, h2)
			for i, n := range got {
				l := &d.Layers[0]
				step := l.mod(h2[i])
				want := d.leastFrom(next(l.mod(h1[i]), step, l.Size), step)
				if alone := d.Least(h1[i], h2[i]); n != want || alone != want {
					t.Fatalf("widths %v, sizes %v, key %d of %d: %d, alone %d, counter by counter %d", c.widths, c.sizes, i, len(got), n, alone, want)
				}
			}
		}
	}
}
