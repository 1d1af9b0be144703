package cells

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Few writes what the list of the same cells does: of any number of keys, far from each other
// and near, at both ends of the region, some several times.
func TestFewIsTheList(t *testing.T) {
	r := rand.New(rand.NewPCG(46, 0))
	var few Few // one for all, as it is used
	wide := 0
	for range 20_000 {
		keys := make([]uint64, 1+r.IntN(MaxFew))
		from, within := r.Uint64(), r.IntN(65)
		for i := range keys {
			switch keys[i] = from + r.Uint64()>>within; r.IntN(8) {
			case 0:
				keys[i] = keys[r.IntN(i+1)]
			case 1:
				keys[i] = -uint64(r.IntN(2))
			}
		}
		before := slices.Clone(keys)
		few.Set(keys)
		if !slices.Equal(keys, before) {
			t.Fatal("the keys were changed")
		}
		counts := map[uint64]uint64{}
		for _, k := range keys {
			counts[k]++
		}
		slices.Sort(keys)
		run := Run{Keys: slices.Compact(keys)}
		for _, k := range run.Keys {
			run.Counts = append(run.Counts, counts[k])
		}
		list := List{{Label: Label{None: true}, Run: run}}
		bounds := list.Bounds()
		if b := few.Bounds(); b != bounds {
			t.Fatalf("bounds of %x: %v, want %v", before, b, bounds)
		}
		want, _ := list.AppendBody([]byte("x"), bounds, 1<<30)
		got, ok := few.AppendBody([]byte("x"))
		if !ok {
			wide++
		} else if !bytes.Equal(got, want) {
			t.Fatalf("body of %x: %x, want %x", before, got, want)
		}
	}
	if wide == 0 || wide > 10_000 {
		t.Errorf("%d of 20000 have a cell that takes too many bits", wide)
	}
}

// The order of up to four bit lengths is that of their histogram.
func TestBestOrderOfFour(t *testing.T) {
	for n := range 5 {
		r := rand.New(rand.NewPCG(48, uint64(n)))
		for range 20_000 {
			from, within := r.IntN(64), 1+r.IntN(5)
			var histogram [65]uint32
			lengths := [4]int{noGap, noGap, noGap, noGap}
			for i := range n {
				lengths[i] = min(from+r.IntN(within), 64)
				histogram[lengths[i]]++
			}
			if k, want := bestOrderOfFour(lengths, n), bitio.BestOrderOf(&histogram, uint(n)); k != want {
				t.Fatalf("%d of %v: order %d, want %d", n, lengths, k, want)
			}
		}
	}
}
