package grid

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

func mustGlobe(t testing.TB, mp orb.MultiPolygon) orb.MultiPolygon {
	t.Helper()
	out, err := Globe(mp)
	if err != nil {
		t.Fatalf("%v: %v", mp, err)
	}
	for _, poly := range out {
		for _, r := range poly {
			for _, p := range r {
				if math.Abs(p[0]) > 180 || math.Abs(p[1]) > 90 {
					t.Fatalf("%v: %v lies outside of the globe's map", mp, p)
				}
			}
		}
	}
	return out
}

// eastOf is how far east of one longitude another is, from 0 up to 360.
func eastOf(from, to float64) float64 {
	d := math.Mod(to-from, 360)
	if d < 0 {
		d += 360
	}
	return d
}

// northward counts how often a ring is crossed on the way from a place to the north pole, on a sphere. It
// judges Globe without knowing the antimeridian, or how often a ring goes round.
func northward(r orb.Ring, place orb.Point) int {
	n := 0
	for i := range r[1:] {
		west, east := r[i], r[i+1]
		if eastOf(west[0], east[0]) > 180 {
			west, east = east, west
		}
		width, at := eastOf(west[0], east[0]), eastOf(west[0], place[0])
		if at < width && west[1]+(east[1]-west[1])*at/width > place[1] {
			n++
		}
	}
	return n
}

func randomPlace(rng *rand.Rand) orb.Point {
	return orb.Point{360*rng.Float64() - 180, 180*rng.Float64() - 90}
}

// anyTurn adds whole turns to longitudes, as far as they are allowed to go.
func anyTurn(rng *rand.Rand, r orb.Ring) orb.Ring {
	for i := range r[1:] {
		if lon := r[i][0] + 360*float64(rng.IntN(3)-1); math.Abs(lon) <= 540 {
			r[i][0] = lon
		}
	}
	r[len(r)-1] = r[0]
	return r
}

// Stars anywhere, most of them across the antimeridian, with holes, written with
// whatever turns.
func TestGlobeAcrossTheAntimeridian(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	crossing := 0
	for range 400 {
		centre, rx := orb.Point{140 + 80*rng.Float64(), 20*rng.Float64() - 10}, 5+100*rng.Float64()
		outer := anyTurn(rng, polygons.Ring(rng, centre, rx, 70, 5+rng.IntN(40)))
		hole := anyTurn(rng, polygons.Ring(rng, centre, rx/4, 20, 5+rng.IntN(9)))
		got := mustGlobe(t, orb.MultiPolygon{{outer, hole}})
		if len(got) > 1 {
			crossing++
		}
		for range 300 {
			p := randomPlace(rng)
			want := northward(outer, p)%2 == 1 && northward(hole, p)%2 == 0
			if planar.MultiPolygonContains(got, p) != want && !near(got, p, 1e-9) {
				t.Fatalf("%v is inside: %v\n%v\n%v", p, want, orb.Polygon{outer, hole}, got)
			}
		}
	}
	if crossing < 200 {
		t.Errorf("%d of 400 cross the antimeridian", crossing)
	}
}

// around is a ring once round the globe at about a latitude, which turns back on
// its way.
func around(rng *rand.Rand, lat, swing float64) orb.Ring {
	var r orb.Ring
	lon := 360 * rng.Float64()
	for end := lon + 360; lon < end; {
		r = append(r, orb.Point{math.Mod(lon, 360) - 180, lat + swing*(2*rng.Float64()-1)})
		lon += 70 * (rng.Float64() - 0.2)
	}
	r = anyTurn(rng, append(r, r[0]))
	if rng.IntN(2) == 0 {
		r.Reverse()
	}
	return r
}

// Rings round a pole, and what lies between two of them.
func TestGlobeOverPoles(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for range 400 {
		lat := []float64{-70, -40, 40, 70}[rng.IntN(4)]
		outer, hole := around(rng, lat, 15), around(rng, lat/2-10*rng.Float64(), 5)
		one, both := mustGlobe(t, orb.MultiPolygon{{outer}}), mustGlobe(t, orb.MultiPolygon{{outer, hole}})
		for range 300 {
			p := randomPlace(rng)
			// North of a ring an even number of its sides is on the way.
			inside := (northward(outer, p)%2 == 0) == (lat > 0)
			if planar.MultiPolygonContains(one, p) != inside && !near(one, p, 1e-9) {
				t.Fatalf("%v is inside: %v\n%v\n%v", p, inside, outer, one)
			}
			southOfHole := northward(hole, p)%2 == 1
			between := northward(outer, p)%2 == 0 && southOfHole
			if lat > 0 { // the hole is south of it
				between = northward(outer, p)%2 == 1 && !southOfHole
			}
			if planar.MultiPolygonContains(both, p) != between && !near(both, p, 1e-9) {
				t.Fatalf("%v is between: %v\n%v\n%v", p, between, orb.Polygon{outer, hole}, both)
			}
		}
	}
}

// The countries, which are cut at the antimeridian, are returned as they are.
func TestGlobeCountries(t *testing.T) {
	for _, c := range countries(t) {
		if got := mustGlobe(t, c.mp); !reflect.DeepEqual(got, c.mp) {
			t.Errorf("%s: %v\nwant %v", c.name, got, c.mp)
		}
	}
}

// Polygons away from the antimeridian and the poles are returned as they are, ring by ring, with any
// number of holes and members.
func TestGlobeLeavesTheRestAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 1))
	for i := range 200 {
		kind := []polygons.Kind{polygons.Star, polygons.Holed, polygons.Multi}[i%3]
		mp := polygons.Random(rng, kind, orb.Bound{Min: orb.Point{-60, -30}, Max: orb.Point{60, 30}})
		got := mustGlobe(t, mp)
		for m := range mp { // a hole that lies outside is left out
			mp[m] = slices.DeleteFunc(mp[m], func(r orb.Ring) bool { return !r.Bound().Intersects(mp[m][0].Bound()) })
		}
		if !reflect.DeepEqual(got, mp) {
			t.Fatalf("%v\nwant %v", got, mp)
		}
	}
}

// Neighbours that share a side across the antimeridian are cut in the same point of it, to the bit. So no
// cell along it is in both or in none.
func TestGlobeKeepsSharedSides(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	for range 1000 {
		a, b := orb.Point{180 - rng.Float64(), rng.Float64()}, orb.Point{-180 + rng.Float64(), rng.Float64()}
		var cuts [2][]float64 // latitudes, by ring: first those at 180, then those at -180
		for i, r := range []orb.Ring{{a, b, {-179, 2}, {179, 2}, a}, {b, a, {539, -1}, {181, -1}, b}} {
			for _, poly := range mustGlobe(t, orb.MultiPolygon{{r}}) {
				for _, p := range poly[0] {
					if math.Abs(p[0]) == 180 && p[1] > 0 && p[1] < 1 && !slices.Contains(cuts[i], p[1]) {
						cuts[i] = append(cuts[i], p[1])
					}
				}
			}
		}
		if len(cuts[0]) == 0 || !slices.Equal(cuts[0], cuts[1]) {
			t.Fatalf("%v to %v is cut at %v and %v", a, b, cuts[0], cuts[1])
		}
	}
}

func TestGlobeShapes(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"Fiji, west to east", "POLYGON((177 -20, -178 -20, -178 -15, 177 -15, 177 -20))",
			"MULTIPOLYGON(((177 -20, 180 -20, 180 -15, 177 -15, 177 -20)),((-180 -20, -178 -20, -178 -15, -180 -15, -180 -20)))"},
		{"Fiji, past 180", "POLYGON((177 -20, 182 -20, 182 -15, 177 -15, 177 -20))",
			"MULTIPOLYGON(((177 -20, 180 -20, 180 -15, 177 -15, 177 -20)),((-180 -20, -178 -20, -178 -15, -180 -15, -180 -20)))"},
		{"from 0 to 360", "POLYGON((200 10, 210 10, 210 20, 200 20, 200 10))", "POLYGON((-160 10, -150 10, -150 20, -160 20, -160 10))"},
		{"up to 180, and from there", "POLYGON((-180 10, -150 10, -150 20, 180 20, -180 10))", "POLYGON((-180 10, -150 10, -150 20, -180 20, -180 10))"},
		{"holes off the line", "POLYGON((170 0, -170 0, -170 20, 170 20, 170 0), (175 5, 176 5, 176 6, 175 5), (-176 5, -175 5, -175 6, -176 5))",
			`MULTIPOLYGON(((170 0, 180 0, 180 20, 170 20, 170 0),(175 5, 176 5, 176 6, 175 5)),
				((-180 0, -170 0, -170 20, -180 20, -180 0),(-176 5, -175 5, -175 6, -176 5)))`},
		{"a hole on the line", "POLYGON((170 0, -170 0, -170 20, 170 20, 170 0), (179 5, -179 5, -179 6, 179 6, 179 5))",
			`MULTIPOLYGON(((170 0, 180 0, 180 20, 170 20, 170 0),(179 5, 180 5, 180 6, 179 6, 179 5)),
				((-180 0, -170 0, -170 20, -180 20, -180 0),(-180 5, -179 5, -179 6, -180 6, -180 5)))`},
		{"the whole map", "POLYGON((-180 -90, 180 -90, 180 90, -180 90, -180 -90))", "POLYGON((-180 -90, 180 -90, 180 90, -180 90, -180 -90))"},
		{"north of 60", "POLYGON((0 60, 120 60, -120 60, 0 60))", "POLYGON((-180 60, 180 60, 180 90, -180 90, -180 60))"},
		{"south of 60, westward", "POLYGON((0 -60, -120 -60, 120 -60, 0 -60))", "POLYGON((-180 -90, 180 -90, 180 -60, -180 -60, -180 -90))"},
		{"the tropics, between two rings", "POLYGON((0 -23, 120 -23, -120 -23, 0 -23), (0 24, 120 24, -120 24, 0 24))", "POLYGON((-180 -23, 180 -23, 180 90, -180 90, -180 -23), (-180 24, 180 24, 180 90, -180 90))"},
		{"a slice with a corner at the pole", "POLYGON((170 70, -170 70, 0 90, 170 70))",
			"POLYGON((-180 70, -170 70, -170 90, 170 90, 170 70, 180 70, 180 90, -180 90, -180 70))"},
		{"a wide slice with a corner at the pole", "POLYGON((100 -80, 160 -80, -140 -80, -60 -80, 0 90, 100 -80))",
			"POLYGON((-180 -80, -60 -80, -60 90, 100 90, 100 -80, 180 -80, 180 90, -180 90, -180 -80))"},
		{"a slice from pole to pole", "POLYGON((10 -90, 40 0, 40 90, 10 0, 10 -90))", "POLYGON((10 -90, 40 -90, 40 90, 10 90, 10 -90))"},
		{"no area, along the line", "POLYGON((180 0, -180 10, 180 20, 180 0))", "POLYGON EMPTY"},
		{"nothing", "MULTIPOLYGON EMPTY", "POLYGON EMPTY"},
	} {
		got, want := mustGlobe(t, mustWKT(t, c.in)), mustWKT(t, c.want)
		if a, b := rings(got), rings(want); !slices.Equal(a, b) {
			t.Errorf("%s: members of %v rings, want %v\n%v", c.name, a, b, got)
		}
		g := mustGrid(t, 0.5)
		a, b := mustScan(t, g, got, MaxRect()), mustScan(t, g, want, MaxRect())
		for y := int64(-180); y < 180; y++ {
			if row, other := a.Row(y), b.Row(y); !slices.Equal(row, other) {
				t.Errorf("%s: row %d has %v, want %v\n%v", c.name, y, row, other, got)
				break
			}
		}
	}
}

// rings are the numbers of rings of the members.
func rings(mp orb.MultiPolygon) (n []int) {
	for _, poly := range mp {
		n = append(n, len(poly))
	}
	return n
}

func TestGlobeErrors(t *testing.T) {
	twice := "POLYGON((0 60, 120 60, -120 60, 0 60, 120 60, -120 60, 0 60))"
	for _, c := range []struct{ in, want string }{
		{"POLYGON((0 0, 10 0, 10 91, 0 0))", "polygon: ring 1, point 3 is (10 91): longitudes are from -540 to 540, latitudes from -90 to 90"},
		{"MULTIPOLYGON(((0 0, 9 0, 9 9, 0 0)), ((0 0, 9 0, 9 9, 0 0), (541 1, 1 2, 2 2, 541 1)))", "polygon: member 2, ring 2, point 1 is (541 1): longitudes are from -540 to 540, latitudes from -90 to 90"},
		{"POLYGON((-90 0, 90 0, 90 10, -90 0))", "polygon: ring 1, points 1 to 2, from (-90 0) to (90 0): 180 degrees either way; put points between them"},
		{"POLYGON((0 0, 540 1, 90 10, 0 0))", "polygon: ring 1, points 1 to 2, from (0 0) to (540 1): 180 degrees either way; put points between them"},
		{"POLYGON((-180 10, 180 10, 180 20, -180 20, -180 10))", "polygon: ring 1, points 1 to 2, from (-180 10) to (180 10): all the way round or no way at all; put points between them"},
		{"POLYGON((0 0, 120 0, -120 0, 0 0))", "polygon: ring 1 goes round the globe as near to one pole as to the other"},
		{twice, "polygon: ring 1 goes 2 times round the globe"},
		{"POLYGON((0 0, 170 0, 340 0, 510 0, -40 0, 130 0, 300 0, 470 0, 300 10, 130 10, -40 10, -210 10, -380 10, -190 10, 0 0))", "polygon: ring 1 runs over 1190 degrees of longitude; the limit is 1080"},
	} {
		got, err := Globe(mustWKT(t, c.in))
		if got != nil || !errors.Is(err, ErrPolygon) || err.Error() != c.want {
			t.Errorf("%s:\n got %v %v\nwant %s", c.in, got, err, c.want)
		}
	}
	if _, err := Globe(orb.MultiPolygon{{{{0, 0}, {math.NaN(), 0}, {1, 1}, {0, 0}}}}); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "ring 1, point 2") {
		t.Error(err)
	}
}
