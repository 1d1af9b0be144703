package cascade

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

func BenchmarkUnion(b *testing.B) {
	for name, points := range map[string]int{"a third full": 23_000, "nearly empty": 500} {
		b.Run(name, func(b *testing.B) {
			s, err := NewShape(4, []int{8, 16, 32})
			if err != nil || !s.Fit(1<<18) {
				b.Fatal(err)
			}
			var parts []*Counters
			for p := range 16 {
				d := New(s)
				for i := range points {
					h1, h2 := key.HashCell(uint64(p), int64(i), 0)
					d.Insert(true, []uint64{h1}, []uint64{h2}, nil)
				}
				parts = append(parts, d)
			}
			sum := New(s)
			b.SetBytes(int64(len(sum.Body)))
			for i := 0; b.Loop(); i++ {
				if i%1000 == 0 {
					clear(sum.Body)
				}
				sum.Union(parts[i%len(parts)])
			}
		})
	}
}

// Many keys at once read as each of them alone, whatever the width, and however
// many positions go into a batch.
func TestCountsOfManyKeys(t *testing.T) {
	for _, p := range []struct {
		widths []int
		sizes  []uint64
		k      int
	}{
		{[]int{8, 16}, []uint64{600, 60}, 4},
		{[]int{8, 16}, []uint64{1024, 64}, 1},
		{[]int{32}, []uint64{256}, 32},
		{[]int{5, 9}, []uint64{600, 60}, 7},
		{[]int{4, 8, 16}, []uint64{1024, 64, 16}, 6},
		{[]int{4, 8}, []uint64{600, 60}, 4},
		{[]int{4, 16}, []uint64{600, 60}, 4},
		{[]int{4}, []uint64{600}, 3},
		{[]int{4}, []uint64{600}, 4},
		{[]int{4, 8, 16}, []uint64{4800, 600, 60}, 4},
		{[]int{16, 32}, []uint64{512, 64}, 8},
	} {
		d, r := New(shapeOf(t, p.widths, p.sizes, p.k)), rand.New(rand.NewPCG(91, 0))
		keys := func(n int) (h1, h2 []uint64) {
			h1, h2 = make([]uint64, n), make([]uint64, n)
			for i := range h1 {
				h1[i], h2[i] = key.HashCell(0, r.Int64N(200), 0)
			}
			return h1, h2
		}
		h1, h2 := keys(60)
		ns := make([]uint64, len(h1))
		for i := range ns {
			ns[i] = r.Uint64() >> (44 + r.UintN(20)) // some past the first layer
		}
		d.Insert(true, h1, h2, ns)
		for n := range 200 {
			if n == 100 { // as nobody inserts: flags beside counters of 0 above, and the other way about
				for x := range d.Layers {
					for i := range d.Layers[x].data {
						d.Layers[x].data[i] = byte(r.Uint32())
					}
				}
			}
			h1, h2 := keys(3 * (n % 100)) // past a batch
			got := make([]uint64, len(h1))
			d.Counts(got, h1, h2)
			for i := range got {
				if want := d.Count(h1[i], h2[i]); got[i] != want {
					t.Fatalf("%v, key %d of %d: %d, alone %d", p, i, n, got[i], want)
				}
			}
		}
	}
}
