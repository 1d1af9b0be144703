package ccbf

import (
	"errors"
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

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
