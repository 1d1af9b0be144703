package ccbf

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// A question for several categories is the sum of the questions for each of them, and
// none is counted twice: in boxes, polygons and cells, and of an exact sketch the truth.
func TestSeveralCategories(t *testing.T) {
	all := forms()
	all["tree"] = Params{Bytes: 600}
	for name, params := range all {
		r := rand.New(rand.NewPCG(101, 0))
		params.Categories = true
		var p points
		for range 600 {
			p.add(spot{grid.Cell{X: r.Int64N(40) - 20, Y: r.Int64N(40) - 20}, categories[r.IntN(len(categories))]}, 1+r.Uint64N(3))
		}
		v := viewOf(t, blobOf(t, builderOf(t, config(t, params), p)))
		if (name == "tree") != (v.Form() == Tree) {
			t.Fatalf("%s is %v", name, v.Form())
		}
		m := p.model()
		for range 60 {
			var of [][]byte
			for range r.IntN(8) {
				of = append(of, []byte(append(categories, "none")[r.IntN(len(categories)+1)]))
			}
			set := AnyOf(of...)
			distinct := map[string]bool{}
			for _, c := range of {
				distinct[string(c)] = true
			}
			if set.Number() != len(distinct) {
				t.Fatalf("%d categories of %q", set.Number(), of)
			}
			box := randomBox(r, 20)
			bound := v.Grid.Bound(box)
			polygon := NewPolygon(orb.MultiPolygon{bound.ToPolygon()})
			var want Estimate
			truth, certain := uint64(0), v.Form() != Dense || len(distinct) == 0
			cells := []grid.Cell{p[0].Cell, p[1].Cell, {X: box.MinX, Y: box.MinY}}
			counts := make([]uint64, len(cells))
			for c := range distinct {
				e, err := v.Estimate(Box(box), Of([]byte(c)))
				if err != nil {
					t.Fatal(err)
				}
				n, err := v.Sum(Box(box), Of([]byte(c)))
				if err != nil {
					t.Fatal(err)
				}
				truth += boxTruth(m, box, []byte(c))
				want.Low, want.High, want.Value = want.Low+e.Low, want.High+n, want.Value+e.Value
				for i, cell := range cells {
					counts[i] += v.Count(cell, []byte(c))
				}
			}
			got, err := v.Sum(Box(box), set)
			again, err2 := v.Sum(polygon.Area(), set)
			if err != nil || err2 != nil || got != want.High || again != got || got < truth || v.IsExact() && got != truth {
				t.Fatalf("%s: box %v of %q sums to %d and %d, its categories to %d, truth %d, errors %v %v", name, box, of, got, again, want.High, truth, err, err2)
			}
			e, err := v.Estimate(Box(box), set)
			f, err2 := v.Estimate(polygon.Area(), set)
			if err != nil || err2 != nil || e != f || e.Certain != certain || e.Cells != box.Count() || e.High > want.High || e.Low > truth && certain {
				t.Fatalf("%s: box %v of %q is estimated as %+v and %+v, truth %d", name, box, of, e, f, truth)
			}
			if certain && (e.Low != want.Low || e.High != want.High || math.Abs(e.Value-want.Value) > 1e-6*(1+want.Value)) {
				t.Fatalf("%s: box %v of %q is estimated as %+v, its categories as %+v", name, box, of, e, want)
			}
			dst := []uint64{9, 9, 9}
			if v.Counts(dst, cells, set); !slices.Equal(dst, counts) {
				t.Fatalf("%s: cells of %q count %d, want %d", name, of, dst, counts)
			}
		}
	}
}
