package ccbf

import (
	"errors"
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

func TestAreaLimits(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{X: 0, Y: 0}, plain}, 2)
	p.add(spot{grid.Cell{X: 99, Y: 99}, plain}, 3)
	p.add(spot{grid.Cell{X: 20_000, Y: 20_000}, plain}, 4)
	exact := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), p)))
	dense := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), p)))
	world := orb.MultiPolygon{{{{-1e6, -1e6}, {1e6, -1e6}, {1e6, 1e6}, {-1e6, 1e6}, {-1e6, -1e6}}}}
	if n, err := exact.Sum(Box(grid.MaxRect()), Categories{}); n != 9 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := exact.Sum(NewPolygon(world).Area(), Categories{}); n != 9 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	var tooMany *ErrTooManyCells
	if _, err := dense.Sum(Box(grid.MaxRect()), Categories{}); !errors.As(err, &tooMany) || tooMany.Cells != 20_001*20_001 {
		t.Errorf("the sum over all of %v: %v", dense.Bounds, err)
	}
	if _, err := dense.Sum(NewPolygon(world).Area(), Categories{}); !errors.As(err, &tooMany) || tooMany.Cells < 20_001*20_000 {
		t.Errorf("the sum over all of %v: %v", dense.Bounds, err)
	}
	for _, c := range []struct {
		box  grid.Rect
		fits bool
	}{
		{grid.Rect{MinX: -1000, MinY: -1000, MaxX: 99, MaxY: 99}, true}, // 10,000 cells inside of the bounds
		{grid.Rect{MinX: 0, MinY: 0, MaxX: 20_000, MaxY: AreaLimit/20_001 + 1}, false},
		{grid.Rect{MinX: 0, MinY: 0, MaxX: 1 << 40, MaxY: 7}, true},
	} {
		if n, err := dense.Sum(Box(c.box), Categories{}); (err == nil) != c.fits || c.fits && n < p.model().in(c.box, Categories{}) {
			t.Errorf("%v: %d, %v", c.box, n, err)
		}
	}
	none := viewOf(t, blobOf(t, NewBuilder(config(t, Params{Dense: true}), nil)))
	for _, v := range []*View{none, viewOf(t, blobOf(t, NewBuilder(config(t, Params{}), nil)))} {
		if n, err := v.Sum(Box(grid.MaxRect()), Categories{}); n != 0 || err != nil {
			t.Errorf("an empty sketch: %d, %v", n, err)
		}
		if n, err := v.Sum(NewPolygon(world).Area(), Categories{}); n != 0 || err != nil {
			t.Errorf("an empty sketch: %d, %v", n, err)
		}
	}
	bad := orb.MultiPolygon{{{{0, 0}, {math.NaN(), 1}, {1, 1}, {0, 0}}}}
	for _, v := range []*View{exact, dense} {
		if _, err := v.Sum(NewPolygon(bad).Area(), Categories{}); !errors.Is(err, grid.ErrNotFinite) {
			t.Errorf("a polygon with NaN: %v", err)
		}
	}
}

// Questions of one caller count together where it says so, and not otherwise.
func TestAreasTogether(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{}, plain}, 1)
	p.add(spot{grid.Cell{X: 99, Y: 99}, plain}, 1)
	blob := blobOf(t, builderOf(t, config(t, Params{Dense: true}), p))
	v, alone := viewOf(t, blob), viewOf(t, blob)
	v.limitAreas()
	v.head.Limit.Covered = AreaLimit - 25_000
	var tooMany *ErrTooManyCells
	for i := range 4 { // of 10,000 cells each
		noError(t, v.Reset(blob))
		_, err := v.Sum(Box(grid.MaxRect()), Categories{})
		if i < 2 && err != nil || i >= 2 && (!errors.As(err, &tooMany) || tooMany.Left != 5000) {
			t.Errorf("question %d: %v", i, err)
		}
		if _, err := alone.Sum(Box(grid.MaxRect()), Categories{}); err != nil || alone.head.Limit.Covered != 0 {
			t.Errorf("question %d alone: %v", i, err)
		}
	}
	v.limitAreas()
	if n, err := v.Sum(Box(grid.MaxRect()), Categories{}); err != nil || n < 2 {
		t.Errorf("of the next chunk: %d, %v", n, err)
	}
}
