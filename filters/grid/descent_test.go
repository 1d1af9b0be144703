package grid

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/paulmach/orb"
)

func mustDescend(t testing.TB, g Grid, mp orb.MultiPolygon) *Descent {
	t.Helper()
	d, err := g.Descend(mp)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// descentJudge holds a Descent against the rows of a Scanner.
type descentJudge struct {
	testing.TB
	rng    *rand.Rand
	d      *Descent
	inside map[Cell]bool
	partly int // rectangles entered
}

func newDescentJudge(t testing.TB, rng *rand.Rand, g Grid, mp orb.MultiPolygon, area Rect) *descentJudge {
	t.Helper()
	j := &descentJudge{TB: t, rng: rng, d: mustDescend(t, g, mp), inside: map[Cell]bool{}}
	s := mustScan(t, g, mp, area)
	for y := s.Bounds().MinY; y <= s.Bounds().MaxY; y++ {
		for _, iv := range s.Row(y) {
			for x := iv.X0; x <= iv.X1; x++ {
				j.inside[Cell{x, y}] = true
			}
		}
	}
	return j
}

// enter looks at a rectangle and cuts it up at random until all is known.
func (j *descentJudge) enter(r Rect) {
	cells := 0
	for y := r.MinY; y <= r.MaxY; y++ {
		for x := r.MinX; x <= r.MaxX; x++ {
			if j.inside[Cell{x, y}] {
				cells++
			}
		}
	}
	switch got := j.d.Enter(r); {
	case got == Outside && cells > 0, got == Inside && uint64(cells) < r.Count():
		j.Fatalf("%v is %d, with %d of %d cells inside", r, got, cells, r.Count())
	case got != Partly:
		return
	case r.Count() == 1:
		j.Fatalf("the cell %v is Partly, want in (%v) or out", r, cells == 1)
	}
	j.partly++
	low, high := r, r
	if x := r.MinX + j.rng.Int64N(r.MaxX-r.MinX+1); x < r.MaxX && j.rng.IntN(2) == 0 || r.MinY == r.MaxY {
		x = min(x, r.MaxX-1)
		low.MaxX, high.MinX = x, x+1
	} else {
		y := r.MinY + j.rng.Int64N(r.MaxY-r.MinY)
		low.MaxY, high.MinY = y, y+1
	}
	j.enter(low)
	j.enter(high)
	j.d.Leave()
}

func TestDescentAgreesWithRows(t *testing.T) {
	bound := orb.Bound{Min: orb.Point{-30, -20}, Max: orb.Point{30, 20}}
	for _, kind := range polygons.Kinds {
		rng := rand.New(rand.NewPCG(21, 1))
		partly := 0
		for range 60 {
			mp := polygons.Random(rng, kind, bound)
			size := mp.Bound()
			g := mustGrid(t, max(size.Max[0]-size.Min[0], size.Max[1]-size.Min[1])/(10+30*rng.Float64()))
			b := mustScan(t, g, mp, MaxRect()).Bounds()
			area := Rect{b.MinX - 3, b.MinY - 3, b.MaxX + 3, b.MaxY + 3}
			if b.Empty() {
				area = Rect{-5, -5, 5, 5}
			}
			j := newDescentJudge(t, rng, g, mp, area)
			j.enter(area)
			partly += j.partly
		}
		if partly == 0 {
			t.Errorf("%s: nothing to enter", kind)
		}
	}
}

// Edges along centres of cells, in all directions, and rings that touch.
func TestDescentOnCentres(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	g := mustGrid(t, 1)
	place := func() orb.Point { return orb.Point{float64(rng.IntN(13)) / 2, float64(rng.IntN(13)) / 2} }
	for range 2000 {
		var mp orb.MultiPolygon
		for range 1 + rng.IntN(3) {
			var p orb.Polygon
			for range 1 + rng.IntN(3) {
				r := orb.Ring{place(), place(), place(), place()}
				p = append(p, append(r, r[0]))
			}
			mp = append(mp, p)
		}
		newDescentJudge(t, rng, g, mp, Rect{-2, -2, 8, 8}).enter(Rect{-2, -2, 8, 8})
	}
}

// Extents and slopes that overflow, and cells at the end of all cells.
func TestDescentAtTheLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	for _, scale := range []float64{1e-300, 1e300, 1.9e307} { // 9 times the last is just below infinity
		g := mustGrid(t, scale)
		for range 100 {
			mp := polygons.Random(rng, polygons.Crossed, orb.Bound{Min: orb.Point{-9, -9}, Max: orb.Point{9, 9}})
			for i := range mp[0][0] {
				mp[0][0][i][0] *= scale
				mp[0][0][i][1] *= scale
			}
			area := Rect{-11, -11, 11, 11}
			newDescentJudge(t, rng, g, mp, area).enter(area)
		}
	}
	g := mustGrid(t, 1)
	flat := orb.MultiPolygon{{{{-9, 0.5}, {9, math.Nextafter(0.5, 1)}, {9, 3}, {-9, math.Nextafter(3, 4)}, {-9, 0.5}}}}
	area := Rect{-10, -1, 10, 4}
	newDescentJudge(t, rng, g, flat, area).enter(area)
	last := orb.MultiPolygon{{{{MaxIndex - 4, -3}, {1e17, -3}, {1e17, 3}, {MaxIndex - 4, -3}}}}
	area = Rect{MaxIndex - 9, -4, MaxIndex, 4}
	newDescentJudge(t, rng, g, last, area).enter(area)
}

// The rest of an outline does not matter: a rectangle keeps the edges that cross it and no others.
func TestDescentLeavesEdgesBehind(t *testing.T) {
	d := mustDescend(t, mustGrid(t, 0.001), orb.MultiPolygon{{polygons.Ring(rand.New(rand.NewPCG(24, 1)), orb.Point{}, 10, 10, 10_000)}})
	if d.Enter(d.Bounds()) != Partly || d.Work() < 9_000 {
		t.Fatalf("%d comparisons in %v", d.Work(), d.Bounds())
	}
	if r := d.Enter(Rect{-1000, -1000, 1000, 1000}); r != Inside {
		t.Errorf("the middle is %d, want Inside", r)
	}
	// Seen from the middle, at most atan(871/2000) to either side of the axis.
	if r := d.Enter(Rect{2000, -871, 12000, 871}); r != Partly || d.Work() > 10_000*48/360 {
		t.Errorf("a part of the border is %d, with %d comparisons", r, d.Work())
	}
}

func TestDescendErrors(t *testing.T) {
	g := mustGrid(t, 1)
	if _, err := g.Descend(orb.MultiPolygon{{{{0, 0}, {math.NaN(), 1}, {1, 1}, {0, 0}}}}); !errors.Is(err, ErrNotFinite) {
		t.Errorf("a polygon with NaN: %v", err)
	}
	for _, mp := range []orb.MultiPolygon{nil, {{}}, {{{{0.1, 0.1}, {0.2, 0.1}, {0.2, 0.2}, {0.1, 0.1}}}}} {
		if d := mustDescend(t, g, mp); d.Enter(MaxRect()) != Outside {
			t.Errorf("something inside %v", mp)
		}
	}
}
