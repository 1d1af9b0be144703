package picture

import (
	"math"
	"testing"

	"github.com/paulmach/orb"
)

func bound(x0, y0, x1, y1 float64) orb.Bound {
	return orb.Bound{Min: orb.Point{x0, y0}, Max: orb.Point{x1, y1}}
}

func TestHeight(t *testing.T) {
	for _, c := range []struct {
		area  orb.Bound
		width int
		want  int
	}{
		{bound(-10, -10, 10, 10), 400, 400}, // around the equator
		{bound(0, 59, 2, 61), 400, 800},     // at 60 degrees north a degree is half as wide
		{bound(0, -61, 2, -59), 400, 800},   // and south
		{bound(-180, -90, 180, 90), 360, 180},
		{bound(0, 0, 400, 200), 100, 50}, // no degrees
		{bound(500000, 5000000, 500200, 5000100), 100, 50},
		{bound(0, 0, 1000, 1), 9, 1},
		{bound(0, 89, 1e-9, 90), 400, 8193},
		{bound(1, 1, 1, 1), 400, 1},
		{bound(2, 2, 1, 1), 400, 400}, // which is refused elsewhere
		{bound(math.NaN(), 0, 1, 1), 400, 1},
	} {
		if got := Height(c.area, c.width, 8192); got != c.want {
			t.Errorf("%v: %d, want %d", c.area, got, c.want)
		}
	}
}
