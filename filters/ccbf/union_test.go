package ccbf

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Cells that come again and again are not taken for many.
func TestFewCellsStayExact(t *testing.T) {
	for name, params := range map[string]Params{"tree": {Bytes: 4000}, "counters": {Bytes: 4000, Overflow: ToCounters}, "standard": {Bytes: 4000, Mode: Standard}} {
		cfg := config(t, params)
		part, first := NewBuilder(cfg, nil), grid.Cell{X: 7, Y: 0}
		for i := range 600 {
			noError(t, part.Add(grid.Cell{X: int64(i * 7 % 40), Y: int64(i / 40)}, nil, 0, 1))
		}
		v := viewOf(t, blobOf(t, part))
		b := NewBuilder(cfg, nil)
		b.Hold = 1 << 20
		most := int64(0)
		for range 400 {
			noError(t, b.AddView(v))
			most = max(most, b.held)
		}
		if most > 2*b.Hold || 400*cells.Bytes(600) < 2*b.Hold {
			t.Errorf("%s: %d bytes held, %d are enough", name, most, b.Hold)
		}
		s := must(b.Sketch())
		if !s.IsExact() || s.Total != 400*600 || s.count(first, nil) != 400*v.Count(first, nil) {
			t.Errorf("%s: %v, total %d", name, s.Form(), s.Total)
		}
	}
}

// TestUnionOfMixedForms unites sketches of all forms, and results of intersections. In mode standard the
// order does not matter. In no mode does a cell count too few points.
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
					noError(t, s.Intersect(sketchOf(t, s.Config, p)))
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
					noError(t, into.AddView(viewOf(t, blobs[i])))
					if grouped {
						noError(t, b.Merge(part))
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
