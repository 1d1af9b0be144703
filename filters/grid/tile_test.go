package grid

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTileKnown(t *testing.T) {
	for _, c := range []struct {
		lon, lat float64
		z        int
		x, y     int64
		quadkey  string
	}{
		{0, 0, 0, 0, 0, ""},
		{0, 0, 1, 1, 1, "3"},
		{-0.0001, 0.0001, 1, 0, 0, "0"},
		{13.405, 52.52, 12, 2200, 1343, "120210233222"},
		{-122.33, 47.6, 8, 41, 89, "02123003"},
		{180, -90, 3, 7, 7, "333"},
		{-180, 90, 30, 0, 0, strings.Repeat("0", 30)},
		{180, -85.06, 30, 1<<30 - 1, 1<<30 - 1, strings.Repeat("3", 30)},
	} {
		x, errX := TileX(c.lon, c.z)
		y, errY := TileY(c.lat, c.z)
		q, errQ := Quadkey(c.lon, c.lat, c.z)
		if x != c.x || y != c.y || q != c.quadkey || errX != nil || errY != nil || errQ != nil {
			t.Errorf("(%v %v) at %d: %d %d %q %v %v %v, want %d %d %q", c.lon, c.lat, c.z, x, y, q, errX, errY, errQ, c.x, c.y, c.quadkey)
		}
		z, px, py, err := ParseQuadkey(c.quadkey)
		if z != c.z || px != c.x || py != c.y || err != nil {
			t.Errorf("%q: %d %d %d %v", c.quadkey, z, px, py, err)
		}
	}
}

func TestTileErrors(t *testing.T) {
	nan := math.NaN()
	_, errX := TileX(180.5, 4)
	_, errNaN := TileX(nan, 4)
	_, errY := TileY(-91, 4)
	_, errZ := TileY(0, 31)
	_, errQ := Quadkey(0, nan, 3)
	_, errZ0 := Quadkey(0, 0, -1)
	_, _, _, _, errT := TileBounds(2, 4, 0)
	_, _, _, _, errTZ := TileBounds(64, 0, 0)
	_, _, _, _, errA := TileBounds(2, 0, -1)
	_, _, _, errD := ParseQuadkey("0142")
	_, _, _, errL := ParseQuadkey(strings.Repeat("1", 31))
	for _, c := range []struct {
		err  error
		want string
	}{
		{errX, "longitude 180.5 is outside -180..180"},
		{errNaN, "longitude NaN is outside -180..180"},
		{errY, "latitude -91 is outside -90..90"},
		{errZ, "zoom 31 is outside 0..30"},
		{errQ, "latitude NaN is outside -90..90"},
		{errZ0, "zoom -1 is outside 0..30"},
		{errT, "tile 2/4/0 does not exist: at zoom 2, x and y go from 0 to 3"},
		{errTZ, "zoom 64 is outside 0..30"},
		{errA, "tile 2/0/-1 does not exist: at zoom 2, x and y go from 0 to 3"},
		{errD, `quadkey "0142": "4" is not a digit 0 to 3`},
		{errL, `quadkey "111111111111111111111111"... has 31 digits; the limit is 30`},
	} {
		if !errors.Is(c.err, ErrTile) || c.err.Error() != c.want {
			t.Errorf("got %v\nwant %s", c.err, c.want)
		}
	}
}

// A point lies within the bounds of its tile, at every zoom, even when it is
// on an edge or one ulp off.
func TestTileBoundsHoldThePoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		z := rng.IntN(MaxZoom + 1)
		lon, lat := 360*rng.Float64()-180, 2*MaxLat*rng.Float64()-MaxLat
		if rng.IntN(2) == 0 {
			n := int64(1) << z
			var err error
			if lon, lat, _, _, err = TileBounds(z, rng.Int64N(n), rng.Int64N(n)); err != nil {
				t.Fatal(err)
			}
			switch rng.IntN(3) {
			case 0:
				lon, lat = math.Nextafter(lon, 200), math.Nextafter(lat, 200)
			case 1:
				lon, lat = math.Nextafter(lon, -200), math.Nextafter(lat, -200)
			}
			lon = min(max(lon, -180), 180)
		}
		x, err := TileX(lon, z)
		if err != nil {
			t.Fatal(err)
		}
		y, err := TileY(lat, z)
		if err != nil {
			t.Fatal(err)
		}
		xmin, ymin, xmax, ymax, err := TileBounds(z, x, y)
		c := min(max(lat, -MaxLat), MaxLat)
		inX := xmin <= lon && (lon < xmax || lon == 180)
		inY := c <= ymax && (ymin < c || c == -MaxLat)
		if err != nil || !inX || !inY {
			t.Fatalf("(%v %v) is in tile %d/%d/%d of bounds %v %v %v %v: %v", lon, lat, z, x, y, xmin, ymin, xmax, ymax, err)
		}
	}
}

// Tiles that touch share their edge to the bit, and so do zooms.
func TestTileEdgesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20000 {
		z := rng.IntN(MaxZoom)
		n := int64(1) << z
		x, y := rng.Int64N(n), rng.Int64N(n)
		xmin, ymin, xmax, ymax, _ := TileBounds(z, x, y)
		if !(xmin < xmax && ymin < ymax) {
			t.Fatalf("%d/%d/%d is empty", z, x, y)
		}
		if x+1 < n {
			if e, _, _, _, _ := TileBounds(z, x+1, y); e != xmax {
				t.Fatalf("%d/%d/%d: east %v, neighbour's west %v", z, x, y, xmax, e)
			}
		}
		if y+1 < n {
			if _, _, _, e, _ := TileBounds(z, x, y+1); e != ymin {
				t.Fatalf("%d/%d/%d: south %v, neighbour's north %v", z, x, y, ymin, e)
			}
		}
		cx, _, _, cy, _ := TileBounds(z+1, 2*x, 2*y)
		_, dy, dx, _, _ := TileBounds(z+1, 2*x+1, 2*y+1)
		if cx != xmin || cy != ymax || dx != xmax || dy != ymin {
			t.Fatalf("%d/%d/%d: the children's edges differ", z, x, y)
		}
	}
	xmin, ymin, xmax, ymax, _ := TileBounds(0, 0, 0)
	if xmin != -180 || xmax != 180 || ymin != -MaxLat || ymax != MaxLat {
		t.Errorf("the world is %v %v %v %v", xmin, ymin, xmax, ymax)
	}
	if _, e, _, _, _ := TileBounds(1, 0, 0); e != 0 {
		t.Errorf("the equator is at %v", e)
	}
}

func TestQuadkeysNest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 5000 {
		lon, lat := 360*rng.Float64()-180, 180*rng.Float64()-90
		full, err := Quadkey(lon, lat, MaxZoom)
		if err != nil {
			t.Fatal(err)
		}
		for z := range MaxZoom + 1 {
			q, err := Quadkey(lon, lat, z)
			if q != full[:z] || err != nil {
				t.Fatalf("(%v %v) at %d: %s %v, at 30 %s", lon, lat, z, q, err, full)
			}
			kz, x, y, err := ParseQuadkey(q)
			tx, _ := TileX(lon, z)
			ty, _ := TileY(lat, z)
			if kz != z || x != tx || y != ty || err != nil {
				t.Fatalf("%s: %d %d %d %v, want %d %d %d", q, kz, x, y, err, z, tx, ty)
			}
		}
	}
}
