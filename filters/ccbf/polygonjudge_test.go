package ccbf

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// judged is an exact sketch beside what it holds, to ask both about polygons.
type judged struct {
	blob  []byte
	kept  *View // one that was asked before
	grid  grid.Grid
	bound orb.Bound
	spots []judgedSpot
}

type judgedSpot struct {
	centre orb.Point
	n      uint64
}

// judgedMap is points in clusters and everywhere within a bound, in about so
// many cells.
func judgedMap(t *testing.T, seed uint64, res float64, bound orb.Bound, cells int) *judged {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	j := &judged{bound: bound}
	c := config(t, Params{Res: res})
	j.grid = c.Grid
	width, height := bound.Right()-bound.Left(), bound.Top()-bound.Bottom()
	clusters := make([]orb.Point, 12)
	for i := range clusters {
		clusters[i] = orb.Point{bound.Left() + width*r.Float64(), bound.Bottom() + height*r.Float64()}
	}
	var p points
	for i := range cells {
		x, y := bound.Left()+width*r.Float64(), bound.Bottom()+height*r.Float64()
		if at := clusters[r.IntN(len(clusters))]; i%2 == 0 {
			x, y = at[0]+0.02*width*r.NormFloat64(), at[1]+0.02*height*r.NormFloat64()
		}
		p.add(spot{must(c.Grid.Cell(x, y)), plain}, 1+r.Uint64N(9))
	}
	j.blob = blobOf(t, builderOf(t, c, p))
	j.kept = viewOf(t, j.blob)
	if !j.kept.IsExact() {
		t.Fatal("the sketch is not exact")
	}
	m := p.model()
	for _, s := range sortedSpots(m) {
		x, y := c.Grid.Center(s.Cell)
		j.spots = append(j.spots, judgedSpot{orb.Point{x, y}, m[s]})
	}
	return j
}

// sum asks the sketch: one that was asked before, one that was not, and one
// among many that a polygon is asked about.
func (j *judged) sum(t *testing.T, mp orb.MultiPolygon) uint64 {
	t.Helper()
	sum := must(j.kept.Sum(NewPolygon(mp).Area(), Categories{}))
	first := must(viewOf(t, j.blob).Sum(NewPolygon(mp).Area(), Categories{}))
	if among := must(j.kept.Sum(NewPolygon(mp).Area(), Categories{})); sum != first || sum != among {
		t.Fatalf("%d, as a first question %d, among many %d\n%v", sum, first, among, mp)
	}
	return sum
}

// truth is the sum over the cells whose centres inside finds inside.
func (j *judged) truth(mp orb.MultiPolygon, inside func(mp orb.MultiPolygon, p orb.Point) bool) (sum uint64) {
	b := mp.Bound()
	for _, s := range j.spots {
		if b.Contains(s.centre) && inside(mp, s.centre) {
			sum += s.n
		}
	}
	return sum
}

// Polygons of all kinds against orb's planar over the exact count of every cell:
// equal. Orb decides by other arithmetic, so that a centre within rounding of an
// edge, 1e-14 of the map's size, could be found on either side of it. Of the
// 2.4e8 pairs of an edge and a centre asked about here 2e-6 are expected to be
// that near, by the lengths of the edges, and none is.
func TestPolygonSumsAgainstPlanar(t *testing.T) {
	rounds := 3_000
	switch {
	case os.Getenv("CCBF_LONG") != "":
		rounds = 10_000
	case testing.Short():
		rounds = 500
	}
	maps := []*judged{
		judgedMap(t, 81, 1, orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}, 2000),
		judgedMap(t, 82, 0.001, orb.Bound{Min: orb.Point{13, 52.3}, Max: orb.Point{13.8, 52.7}}, 2000),
		judgedMap(t, 83, 250, orb.Bound{Min: orb.Point{3e5, 5e6}, Max: orb.Point{7e5, 6e6}}, 2000),
	}
	r := rand.New(rand.NewPCG(84, 0))
	empty := 0
	for i := range rounds {
		j := maps[i%len(maps)]
		kind := polygons.Kinds[i%len(polygons.Kinds)]
		mp := polygons.Random(r, kind, j.bound)
		want := j.truth(mp, planar.MultiPolygonContains)
		if got := j.sum(t, mp); got != want {
			t.Fatalf("polygon %d, a %s: %d, orb's planar %d\n%v", i, kind, got, want, mp)
		}
		if want == 0 {
			empty++
		}
	}
	t.Logf("%d polygons over %d, %d and %d cells; %d have no point inside", rounds, len(maps[0].spots), len(maps[1].spots), len(maps[2].spots), empty)
	if empty > rounds/2 {
		t.Errorf("%d of %d polygons have no point inside: too many to tell", empty, rounds)
	}
}

// halfOpen decides by the rule of grid.Scanner in whole numbers: corners and
// centres are multiples of a half here, whose products are exact.
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
		// A centre level with an edge's lower end is beside the edge, one level
		// with its upper end is not, and one on the edge lies right of it.
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

// Corners on the centres and the corners of cells, where everything is a tie:
// equal to the half-open rule in exact arithmetic, except for centres on a
// slanting edge, whose crossing is rounded. Those are counted, and no sum is
// further off than they have points.
func TestPolygonSumsAtTies(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 200
	}
	j := judgedMap(t, 85, 1, orb.Bound{Min: orb.Point{-20, -20}, Max: orb.Point{20, 20}}, 1500)
	r := rand.New(rand.NewPCG(86, 0))
	ties, off := uint64(0), uint64(0)
	for i := range rounds {
		mp := polygons.Random(r, polygons.Kinds[i%len(polygons.Kinds)], j.bound)
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
		got, want := j.sum(t, mp), j.truth(mp, halfOpen)
		slanting := j.truth(mp, onSlope)
		if diff := max(got, want) - min(got, want); diff > slanting {
			t.Fatalf("polygon %d: %d, exactly %d, %d on slanting edges\n%v", i, got, want, slanting, mp)
		} else {
			off += diff
		}
		ties += slanting
	}
	t.Logf("%d points in cells whose centre is on a slanting edge, of which %d were put on the other side", ties, off)
}

// stairs puts a corner between every two of a ring, so that all edges are level
// or upright.
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
