package ccbf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/paulmach/orb"
)

// TestPolygonSumsAtTies: corners lie on the centres and the corners of cells, so every decision is a tie.
// Sums equal the half-open rule in exact arithmetic, except for centres on a slanting edge, whose
// crossing is rounded. No sum is further off than the points of these cells.
func TestPolygonSumsAtTies(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 200
	}
	bound := orb.Bound{Min: orb.Point{-20, -20}, Max: orb.Point{20, 20}}
	r := rand.New(rand.NewPCG(86, 0))
	var p points
	for range 1500 {
		p.add(spot{grid.Cell{X: r.Int64N(40) - 20, Y: r.Int64N(40) - 20}, plain}, 1+r.Uint64N(9))
	}
	c := config(t, Params{Res: 1})
	v := viewOf(t, blobOf(t, builderOf(t, c, p)))
	truth := func(mp orb.MultiPolygon, inside func(mp orb.MultiPolygon, p orb.Point) bool) (sum uint64) {
		for s, n := range p.model() {
			x, y := c.Grid.Center(s.Cell)
			if inside(mp, orb.Point{x, y}) {
				sum += n
			}
		}
		return sum
	}
	ties, off := uint64(0), uint64(0)
	for i := range rounds {
		mp := polygons.Random(r, polygons.Kinds[i%len(polygons.Kinds)], bound)
		for _, poly := range mp {
			for _, ring := range poly {
				for k := range ring {
					ring[k] = orb.Point{math.Round(2*ring[k][0]) / 2, math.Round(2*ring[k][1]) / 2}
				}
			}
		}
		if i%3 == 0 { // a staircase has no slanting edge
			mp = stairs(mp)
		}
		got, want, slanting := must(v.Sum(NewPolygon(mp).Area(), Categories{})), truth(mp, halfOpen), truth(mp, onSlope)
		diff := max(got, want) - min(got, want)
		if diff > slanting {
			t.Fatalf("polygon %d: %d, exactly %d, %d on slanting edges\n%v", i, got, want, slanting, mp)
		}
		off += diff
		ties += slanting
	}
	t.Logf("%d points in cells whose centre is on a slanting edge; %d of these were put on the other side", ties, off)
}

// halfOpen decides by the rule of grid.Scanner in exact arithmetic: corners and centres are multiples of
// a half here, and so are their products.
func halfOpen(mp orb.MultiPolygon, p orb.Point) bool {
	for _, poly := range mp {
		in := inRing(poly[0], p)
		for _, hole := range poly[1:] {
			in = in && !inRing(hole, p)
		}
		if in {
			return true
		}
	}
	return false
}

func inRing(r orb.Ring, p orb.Point) bool {
	in := false
	for i := range r[1:] {
		a, b := r[i], r[i+1]
		if a[1] > b[1] {
			a, b = b, a
		}
		// A centre at the height of an edge's lower end is beside the edge, and one at the height of its
		// upper end is not. A centre on the edge lies right of it.
		if a[1] <= p[1] && p[1] < b[1] && (p[0]-a[0])*(b[1]-a[1]) >= (p[1]-a[1])*(b[0]-a[0]) {
			in = !in
		}
	}
	return in
}

// onSlope reports whether a point is on an edge that is neither level nor upright.
func onSlope(mp orb.MultiPolygon, p orb.Point) bool {
	for _, poly := range mp {
		for _, r := range poly {
			for i := range r[1:] {
				a, b := r[i], r[i+1]
				if a[0] != b[0] && a[1] != b[1] && min(a[1], b[1]) <= p[1] && p[1] <= max(a[1], b[1]) &&
					(p[0]-a[0])*(b[1]-a[1]) == (p[1]-a[1])*(b[0]-a[0]) {
					return true
				}
			}
		}
	}
	return false
}

// stairs adds a corner between every two of a ring, so that all edges are level or upright.
func stairs(mp orb.MultiPolygon) orb.MultiPolygon {
	var out orb.MultiPolygon
	for _, poly := range mp {
		var p orb.Polygon
		for _, r := range poly {
			ring := orb.Ring{r[0]}
			for i, b := range r[1:] {
				ring = append(ring, orb.Point{b[0], r[i][1]}, b)
			}
			p = append(p, ring)
		}
		out = append(out, p)
	}
	return out
}
