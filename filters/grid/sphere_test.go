package grid

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

const globeKm2 = 4 * math.Pi * EarthRadius * EarthRadius / 1e6

func mustArea(t testing.TB, mp orb.MultiPolygon) float64 {
	t.Helper()
	a, err := AreaKm2(mp)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func within(got, want, relative float64) bool { return math.Abs(got-want) <= relative*math.Abs(want) }

func TestAreaOfBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		west, south := rng.Float64()*300-180, rng.Float64()*150-90
		side := math.Pow(10, rng.Float64()*6-5) // 1 m to 10 degrees
		box := orb.Bound{Min: orb.Point{west, south}, Max: orb.Point{west + side, south + side}}
		sin := func(lat float64) float64 { return math.Sin(lat * math.Pi / 180) }
		// The area between two parallels (Archimedes); small boxes lose digits in the difference
		// of sines.
		want := globeKm2 / 2 * (sin(box.Max[1]) - sin(box.Min[1])) * (box.Max[0] - box.Min[0]) / 360
		if got := mustArea(t, orb.MultiPolygon{box.ToPolygon()}); !within(got, want, 1e-12+1e-14/side*100) {
			t.Errorf("%v: %v km2, want %v", box, got, want)
		}
	}
	world := orb.MultiPolygon{orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}.ToPolygon()}
	if got := mustArea(t, world); !within(got, globeKm2, 1e-12) {
		t.Errorf("the world has %v km2, want %v", got, globeKm2)
	}
	octant := mustGlobe(t, orb.MultiPolygon{{{{0, 0}, {90, 0}, {0, 90}, {0, 0}}}})
	if got := mustArea(t, octant); !within(got, globeKm2/8, 1e-12) {
		t.Errorf("an eighth of the globe has %v km2, want %v", got, globeKm2/8)
	}
}

// TestAreaBySteps adds up strips below each side.
func TestAreaBySteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		n := 3 + rng.IntN(10)
		ring := make(orb.Ring, 0, n+1)
		x, y, size := rng.Float64()*360-180, rng.Float64()*100-50, rng.Float64()*30
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			r := size * (0.2 + rng.Float64())
			ring = append(ring, orb.Point{x + r*cos, y + r*sin})
		}
		ring = append(ring, ring[0])
		sum := 0.0
		for i := range n {
			a, b := ring[i], ring[i+1]
			const steps = 20_000
			for s := range steps {
				part := (float64(s) + 0.5) / steps
				sum += (b[0] - a[0]) / steps / 360 * math.Sin((a[1]+(b[1]-a[1])*part)*math.Pi/180)
			}
		}
		want := math.Abs(sum) * globeKm2 / 2
		if got := mustArea(t, orb.MultiPolygon{{ring}}); !within(got, want, 1e-6) {
			t.Errorf("%v: %v km2, want %v", ring, got, want)
		}
	}
}

func TestAreaOfParts(t *testing.T) {
	box := func(west, south, east, north float64) orb.Ring {
		return orb.Bound{Min: orb.Point{west, south}, Max: orb.Point{east, north}}.ToRing()
	}
	whole, hole := mustArea(t, orb.MultiPolygon{{box(0, 0, 3, 3)}}), mustArea(t, orb.MultiPolygon{{box(1, 1, 2, 2)}})
	if got := mustArea(t, orb.MultiPolygon{{box(0, 0, 3, 3), box(1, 1, 2, 2)}}); !within(got, whole-hole, 1e-12) {
		t.Errorf("with a hole %v km2, want %v", got, whole-hole)
	}
	if got := mustArea(t, orb.MultiPolygon{{box(0, 0, 3, 3)}, {box(4, 0, 7, 3)}}); !within(got, 2*whole, 1e-12) {
		t.Errorf("two members have %v km2, want %v", got, 2*whole)
	}
	if got := mustArea(t, nil); got != 0 {
		t.Errorf("no polygon has %v km2", got)
	}
}

func TestCircle(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	centres := []orb.Point{{0, 0}, {-0.1276, 51.5072}, {180, 0}, {-180, -17}, {179.999, 65}, {12, 89.9}, {12, 90}, {-77, -90}, {10, 85}}
	for range 200 {
		centres = append(centres, orb.Point{rng.Float64()*360 - 180, math.Asin(rng.Float64()*2-1) * 180 / math.Pi})
	}
	for _, c := range centres {
		for _, metres := range []float64{1, 100, 5_000, 1e5, 1e6, 5e6, 9e6, MaxCircle, math.Pow(10, rng.Float64()*7)} {
			circle, err := Circle(c[0], c[1], metres)
			if err != nil {
				t.Errorf("%v, %v m: %v", c, metres, err)
				continue
			}
			if want := globeKm2 * (1 - math.Cos(metres/EarthRadius)) / 2; metres > 1000 && !within(mustArea(t, circle), want, 1e-3) {
				t.Errorf("%v, %v m: %v km2, want %v", c, metres, mustArea(t, circle), want)
			}
			// Places around the rim: the polygon has those a hundredth inside, and none a
			// hundredth outside.
			for range 20 {
				azimuth, part := rng.Float64()*2*math.Pi, 0.99
				if rng.IntN(2) == 0 {
					part = 1.01
				}
				p := destination(c, azimuth, metres*part)
				if got := planar.MultiPolygonContains(circle, p); got != (part < 1) {
					t.Errorf("%v, %v m: has %v, %v of the radius away: %v", c, metres, p, part, got)
				}
			}
		}
	}
}

// destination is the place at a distance from another one, by vectors.
func destination(from orb.Point, azimuth, metres float64) orb.Point {
	const degree = math.Pi / 180
	sinLat, cosLat := math.Sincos(from[1] * degree)
	sinLon, cosLon := math.Sincos(from[0] * degree)
	up := [3]float64{cosLat * cosLon, cosLat * sinLon, sinLat}
	north := [3]float64{-sinLat * cosLon, -sinLat * sinLon, cosLat}
	east := [3]float64{-sinLon, cosLon, 0}
	sin, cos := math.Sincos(metres / EarthRadius)
	var v [3]float64
	for i := range v {
		v[i] = cos*up[i] + sin*(math.Cos(azimuth)*north[i]+math.Sin(azimuth)*east[i])
	}
	return orb.Point{math.Atan2(v[1], v[0]) / degree, math.Atan2(v[2], math.Hypot(v[0], v[1])) / degree}
}

func TestSphereErrors(t *testing.T) {
	for _, c := range [][3]float64{{181, 0, 1}, {0, 91, 1}, {0, 0, 0.5}, {0, 0, -1}, {0, 0, MaxCircle + 1}} {
		if _, err := Circle(c[0], c[1], c[2]); !errors.Is(err, ErrPolygon) {
			t.Errorf("Circle(%v): %v", c, err)
		}
	}
	if _, err := Circle(0, math.NaN(), 1); !errors.Is(err, ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
	if _, err := AreaKm2(orb.MultiPolygon{{{{0, 0}, {1, 0}, {1, 91}, {0, 0}}}}); !errors.Is(err, ErrPolygon) {
		t.Errorf("a latitude of 91: %v", err)
	}
	if _, err := AreaKm2(orb.MultiPolygon{{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}}}); !errors.Is(err, ErrPolygon) {
		t.Errorf("an open ring: %v", err)
	}
}
