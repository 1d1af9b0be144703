package cells

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// The list of a Counter is that of a map, of any number of keys in any order.
func TestCounterCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 0))
	var counter Counter // one for all, as it is used
	for n := 1; n <= 700; n++ {
		for _, different := range []uint64{1, 2, 100, 1 << 20, 1 << 63} {
			keys, counts := make([]uint64, n), map[uint64]uint64{}
			for i := range keys {
				keys[i] = r.Uint64N(different) * ((1<<64 - 1) / max(different-1, 1) >> (n % 64))
				if different > 100 && i%3 == 0 {
					keys[i] = keys[r.IntN(i+1)]
				}
				counts[keys[i]]++
			}
			switch n % 3 {
			case 1:
				slices.Sort(keys)
			case 2:
				slices.SortFunc(keys, func(a, b uint64) int { return cmp.Compare(b, a) })
			}
			before := slices.Clone(keys)
			counter.Set(keys)
			list := List(counter.section[:])
			if !slices.Equal(keys, before) {
				t.Fatal("the keys were changed")
			}
			if len(list) != 1 || list[0].Label != (Label{None: true}) || len(list[0].Keys) != len(counts) || len(list[0].Counts) != len(counts) {
				t.Fatalf("%d keys: %d cells of %d", n, list.Cells(), len(counts))
			}
			bounds := list.Bounds()
			if b := counter.Bounds(); b != bounds {
				t.Fatalf("%d keys: bounds %v, want %v", n, b, bounds)
			}
			for _, limit := range []uint64{1 << 30, uint64(3 * n)} {
				want, fits := list.AppendBody([]byte("x"), bounds, limit)
				got, ok := counter.AppendBody([]byte("x"), limit)
				if ok != fits || ok && !bytes.Equal(got, want) {
					t.Fatalf("%d keys, %d bytes: %v, %x, want %v, %x", n, limit, ok, got, fits, want)
				}
			}
			for i, k := range list[0].Keys {
				if i > 0 && k <= list[0].Keys[i-1] || list[0].Counts[i] != counts[k] {
					t.Fatalf("%d keys: cell %d is %d, which counts %d, of %d", n, i, k, list[0].Counts[i], counts[k])
				}
			}
		}
	}
}
