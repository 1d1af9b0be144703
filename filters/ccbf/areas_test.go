package ccbf

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
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
			if meets := must(p.Area().on(v, Categories{})) != nil; meets != want || !meets && got != 0 {
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

func TestRasterIsNorthFirst(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{X: -2, Y: 1}, plain}, 7)
	p.add(spot{grid.Cell{X: 1, Y: -2}, plain}, 9)
	for name, params := range map[string]Params{"exact": {}, "dense": {Dense: true}} {
		v := viewOf(t, blobOf(t, builderOf(t, config(t, params), p)))
		counts, density := make([]uint64, 8), make([]float64, 8)
		noError(t, errors.Join(v.Raster(counts, kit.Bound(-2, -2, 2, 2), 4, 2, Categories{}), v.Density(density, kit.Bound(-2, -2, 2, 2), 4, 2, Categories{})))
		for i, want := range []uint64{7, 0, 0, 0, 0, 0, 0, 9} {
			if counts[i] != want || density[i] != float64(want) {
				t.Errorf("%s: pixel %d is %d and %v, want %d", name, i, counts[i], density[i], want)
			}
		}
	}
}

func TestRasterLimits(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{}, plain}, 2)
	p.add(spot{grid.Cell{X: 20_000, Y: 20_000}, plain}, 4)
	exact := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), p)))
	dense := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), p)))
	nan, inf := math.NaN(), math.Inf(1)
	unit := kit.Bound(0, 0, 1, 1)
	for _, c := range []struct {
		b             orb.Bound
		width, height int
		want          error
	}{
		{unit, 0, 1, ErrRaster},
		{unit, 1, 0, ErrRaster},
		{unit, -1, 1, ErrRaster},
		{unit, MaxSide + 1, 1, ErrRaster},
		{unit, 1, math.MaxInt, ErrRaster},
		{unit, MaxSide, MaxSide, ErrRaster},
		{kit.Bound(nan, 0, 1, 1), 1, 1, grid.ErrBox},
		{kit.Bound(0, 0, 1, nan), 1, 1, grid.ErrBox},
		{kit.Bound(-inf, 0, 1, 1), 1, 1, grid.ErrBox},
		{kit.Bound(0, 0, 1, inf), 1, 1, grid.ErrBox},
		{kit.Bound(-1e308, 0, 1e308, 1), 1, 1, grid.ErrBox},
		{kit.Bound(1, 0, 1, 1), 1, 1, grid.ErrBox},
		{kit.Bound(0, 2, 1, 1), 1, 1, grid.ErrBox},
		{unit, 1, 2, ErrRaster}, // no room for it in dst
	} {
		counts, density := make([]uint64, 1), make([]float64, 1)
		for _, v := range []*View{exact, dense} {
			if err := v.Raster(counts, c.b, c.width, c.height, Categories{}); !errors.Is(err, c.want) {
				t.Errorf("raster of %v, %d x %d: %v", c.b, c.width, c.height, err)
			}
			if err := v.Density(density, c.b, c.width, c.height, Categories{}); !errors.Is(err, c.want) {
				t.Errorf("density of %v, %d x %d: %v", c.b, c.width, c.height, err)
			}
		}
	}
	if err := form.CheckRaster(unit, MaxSide, MaxPixels/MaxSide); err != nil {
		t.Error(err)
	}
	counts, density := make([]uint64, 4), make([]float64, 4)
	// Boxes without a cell, and of no length that floats can divide.
	for _, b := range []orb.Bound{kit.Bound(1e300, 1e300, 2e300, 2e300), kit.Bound(-1e9, 0, -1e8, 1), kit.Bound(1, 1, 1+1e-15, 1+1e-15), kit.Bound(-1e-300, -1e-300, -1e-301, 1e-300)} {
		for _, v := range []*View{exact, dense, viewOf(t, blobOf(t, NewBuilder(config(t, Params{}), nil)))} {
			if err := errors.Join(v.Raster(counts, b, 2, 2, Categories{}), v.Density(density, b, 2, 2, Categories{})); err != nil {
				t.Errorf("%v: %v", b, err)
			}
			if sum := counts[0] + counts[1] + counts[2] + counts[3]; sum != 0 {
				t.Errorf("%v: counts of %d", b, sum)
			}
		}
	}
}

// TestDensityOfManyCategoriesInOneCell: one cell fills the picture, and has many categories. Their points
// are added up.
func TestDensityOfManyCategoriesInOneCell(t *testing.T) {
	var p points
	for i := range 5000 {
		p.add(spot{grid.Cell{X: -1, Y: 3}, string(rune('a' + i))}, 2)
	}
	v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Categories: true}), p)))
	got := make([]float64, 1<<20)
	noError(t, v.Density(got, kit.Bound(-0.75, 3.25, -0.25, 3.75), 1<<10, 1<<10, Categories{}))
	for i, n := range got {
		if want := 10_000 * 0.25 / (1 << 20); math.Abs(n-want) > 1e-9 {
			t.Fatalf("pixel %d is %v, want %v", i, n, want)
		}
	}
}
