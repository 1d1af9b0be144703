package ccbf

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Sketches of all forms unite: exact ones, ones that became dense, ones that
// were dense from the first row on, and results of intersections. In mode
// standard order does not matter; in no mode is a cell counted too few.
func TestUnionOfMixedForms(t *testing.T) {
	for _, mode := range []Mode{Standard, MinimalIncrement} {
		for round := range 12 {
			r := rand.New(rand.NewPCG(121, uint64(round)))
			var blobs [][]byte
			var all points
			lost := false
			for range 2 + r.IntN(5) {
				kind := r.IntN(4)
				p := weigh(r, hot(r, []int{0, 40, 700}[r.IntN(3)], 500))
				s := sketchOf(t, config(t, Params{Mode: mode, Overflow: ToCounters, Bytes: 600, Dense: kind == 1}), p)
				if kind == 2 { // with itself, which leaves counts as they are
					if err := s.Intersect(sketchOf(t, s.Config, p)); err != nil {
						t.Fatal(err)
					}
					lost = lost || !s.TotalKnown
				}
				blobs = append(blobs, s.Blob())
				all = append(all, p...)
			}
			unite := func(order []int, grouped bool) []byte {
				b := NewBuilder(viewOf(t, blobs[0]).Config, nil)
				b.Exact = true
				for _, i := range order {
					part := NewBuilder(b.Config, nil)
					into := b
					if grouped {
						into = part
					}
					if err := into.AddView(viewOf(t, blobs[i])); err != nil {
						t.Fatal(err)
					}
					if grouped {
						if err := b.Merge(part); err != nil {
							t.Fatal(err)
						}
					}
				}
				return blobOf(t, b)
			}
			first := make([]int, len(blobs))
			for i := range first {
				first[i] = i
			}
			want := unite(first, false)
			v := viewOf(t, want)
			counts(t, fmt.Sprint(mode), v, all.model(), v.IsExact())
			if _, known := v.Total(); known == lost {
				t.Errorf("%v: total known %v, lost by a part %v", mode, known, lost)
			}
			if lost && v.additive() {
				t.Errorf("%v: additive, of parts that are not", mode)
			}
			for range 5 {
				got := unite(r.Perm(len(blobs)), r.IntN(2) == 0)
				if mode == Standard {
					sameBytes(t, "another order", want, got)
				} else {
					g := viewOf(t, got)
					counts(t, "another order", g, all.model(), g.IsExact())
				}
			}
		}
	}
}
