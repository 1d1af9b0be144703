package ccbf

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/paulmach/orb"
)

// TestPolygonOverManySketches queries sketches of all forms with one Polygon, on several grids,
// near and far. Meets is false if the boxes have no cell in common. Sum equals the one with a new Polygon.
func TestPolygonOverManySketches(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 0))
	var blobs [][]byte
	for _, params := range forms() {
		for _, params.Res = range []float64{0.25, 1} {
			for tile := range 4 {
				var p points
				for range 1 + 100*tile {
					p.add(spot{grid.Cell{X: int64(tile)*30 + r.Int64N(30) - 60, Y: r.Int64N(30) - 15}, plain}, 1+r.Uint64N(3))
				}
				blobs = append(blobs, blobOf(t, builderOf(t, config(t, params), p)))
			}
		}
		blobs = append(blobs, blobOf(t, NewBuilder(config(t, params), nil)))
	}
	met, missed := 0, 0
	for i := range 60 {
		mp := polygons.Random(r, polygons.Kinds[i%len(polygons.Kinds)], orb.Bound{Min: orb.Point{-40, -10}, Max: orb.Point{20, 10}})
		p := NewPolygon(mp)
		for j, blob := range blobs {
			v := viewOf(t, blob)
			got, err := v.Sum(p.Area(), Categories{})
			if want := must(v.Sum(NewPolygon(mp).Area(), Categories{})); err != nil || got != want {
				t.Fatalf("polygon %d, sketch %d: %d, alone %d, error %v", i, j, got, want, err)
			}
			var h Head
			if _, err := h.parse(blob); err != nil || h.Bounds != v.Bounds {
				t.Fatalf("the head says %v, the view %v, error %v", h.Bounds, v.Bounds, err)
			}
			b := mp.Bound()
			box := must(h.Grid.Box(b.Min[0], b.Min[1], b.Max[0], b.Max[1]))
			want := !v.Bounds.Intersect(box).Empty()
			if meets := must(h.meets(p.Area())); meets != want || !meets && got != 0 {
				t.Fatalf("polygon %d, sketch %d: meets %v, want %v, sum %d", i, j, meets, want, got)
			}
			if want {
				met++
			} else {
				missed++
			}
		}
	}
	if met < 100 || missed < 100 {
		t.Errorf("%d polygons meet, %d do not: too few to tell", met, missed)
	}
}
