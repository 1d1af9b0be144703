package grid

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

func mustGrid(t testing.TB, res float64) Grid {
	t.Helper()
	g, err := New(res)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func mustScan(t testing.TB, g Grid, mp orb.MultiPolygon, clip Rect) *Scanner {
	t.Helper()
	s, err := g.Scan(mp, clip)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustWKT(t testing.TB, s string) orb.MultiPolygon {
	t.Helper()
	mp, err := ParsePolygon([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return mp
}

// draw shows rows y1 down to 0, columns 0 to width-1, as text.
func draw(t testing.TB, s *Scanner, width, height int) string {
	t.Helper()
	lines := make([]string, height)
	for y := range height {
		line := []byte(strings.Repeat(".", width))
		for _, iv := range s.Row(int64(y)) {
			for x := iv.X0; x <= iv.X1; x++ {
				line[x] = '#'
			}
		}
		lines[height-1-y] = string(line)
	}
	return strings.Join(lines, "\n")
}

func TestScanShapes(t *testing.T) {
	clip := Rect{0, 0, 9, 5}
	for _, c := range []struct{ name, wkt, want string }{
		{"left and lower centres are in, right and upper are out", "POLYGON((1.5 1.5, 5.5 1.5, 5.5 3.5, 1.5 3.5, 1.5 1.5))", `
..........
..........
..........
.####.....
.####.....
..........`},
		{"hole", "POLYGON((0 0, 8 0, 8 6, 0 6, 0 0), (2 2, 2 4, 5 4, 5 2, 2 2))", `
########..
########..
##...###..
##...###..
########..
########..`},
		{"overlapping holes both subtract", "POLYGON((0 0, 8 0, 8 6, 0 6, 0 0), (1 1, 5 1, 5 3, 1 3, 1 1), (3 2, 7 2, 7 5, 3 5, 3 2))", `
########..
###....#..
###....#..
#......#..
#....###..
########..`},
		{"a hole outside its polygon adds nothing", "POLYGON((0 0, 3 0, 3 3, 0 3, 0 0), (2 2, 8 2, 8 5, 2 5, 2 2))", `
..........
..........
..........
##........
###.......
###.......`},
		{"a ring that crosses itself: even-odd", "POLYGON((0 0, 9 0, 9 5, 2 5, 2 2, 6 2, 6 6, 0 6, 0 0))", `
######....
##....###.
##....###.
##....###.
#########.
#########.`},
		{"members that overlap count once, holes fill", "MULTIPOLYGON(((0 0, 6 0, 6 6, 0 6, 0 0), (1 1, 5 1, 5 5, 1 5, 1 1)), ((3 2, 9 2, 9 4, 3 4, 3 2)))", `
######....
#....#....
#..######.
#..######.
#....#....
######....`},
		{"members that touch make one interval", "MULTIPOLYGON(((0 0, 4 0, 4 3, 0 3, 0 0)), ((4 0, 8 0, 8 3, 4 3, 4 0)))", `
..........
..........
..........
########..
########..
########..`},
	} {
		g := mustGrid(t, 1)
		s := mustScan(t, g, mustWKT(t, c.wkt), clip)
		if got := draw(t, s, 10, 6); got != strings.TrimSpace(c.want) {
			t.Errorf("%s:\n%s\nwant:%s", c.name, got, c.want)
		}
	}
}

// near reports whether a point is within tol of an edge.
func near(mp orb.MultiPolygon, p orb.Point, tol float64) bool {
	for _, poly := range mp {
		for _, r := range poly {
			for i := range r[1:] {
				if planar.DistanceFromSegment(r[i], r[i+1], p) <= tol {
					return true
				}
			}
		}
	}
	return false
}

// judge compares every cell of area with orb's planar, leaving out centres
// that lie on an edge up to rounding.
func judge(t *testing.T, name string, g Grid, mp orb.MultiPolygon, clip, area Rect) {
	t.Helper()
	s := mustScan(t, g, mp, clip)
	scale := 0.0
	for _, poly := range mp {
		for _, r := range poly {
			for _, p := range r {
				scale = max(scale, math.Abs(p[0]), math.Abs(p[1]))
			}
		}
	}
	for y := area.MinY; y <= area.MaxY; y++ {
		row := s.Row(y)
		for i, iv := range row {
			if iv.X0 > iv.X1 || i > 0 && iv.X0 <= row[i-1].X1+1 || !s.Bounds().Contains(Cell{iv.X0, y}) || !s.Bounds().Contains(Cell{iv.X1, y}) {
				t.Fatalf("%s: row %d: %v in bounds %v", name, y, row, s.Bounds())
			}
		}
		for x := area.MinX; x <= area.MaxX; x++ {
			in := false
			for _, iv := range row {
				in = in || iv.X0 <= x && x <= iv.X1
			}
			cx, cy := g.Center(Cell{x, y})
			p := orb.Point{cx, cy}
			want := clip.Contains(Cell{x, y}) && planar.MultiPolygonContains(mp, p)
			if in != want && !near(mp, p, 1e-9*scale) {
				t.Fatalf("%s: cell %d %d centre %v: got %v, want %v\n%v", name, x, y, p, in, want, mp)
			}
		}
	}
}

// randomPolygon makes a polygon within r or so of the origin.
func randomPolygon(rng *rand.Rand, r float64) orb.MultiPolygon {
	kind := polygons.Kinds[rng.IntN(len(polygons.Kinds))]
	mp := polygons.Random(rng, kind, orb.Bound{Min: orb.Point{-r, -r}, Max: orb.Point{r, r}})
	if rng.IntN(4) == 0 { // vertices on centres and on lines of cells
		for i := range mp[0][0] {
			p := &mp[0][0][i]
			p[0], p[1] = math.Round(2*p[0])/2, math.Round(2*p[1])/2
		}
	}
	return mp
}

func TestScanAgainstPlanar(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 600
	if testing.Short() {
		rounds = 100
	}
	for i := range rounds {
		r := []float64{0.7, 3, 12, 25}[i%4]
		mp := randomPolygon(rng, r)
		n := int64(2*r) + 2
		area := Rect{-n, -n, n, n}
		judge(t, "whole", mustGrid(t, 1), mp, MaxRect(), area)
		x, y := rng.Int64N(2*n)-n, rng.Int64N(2*n)-n
		judge(t, "clipped", mustGrid(t, 1), mp, Rect{x, y, x + rng.Int64N(n), y + rng.Int64N(n)}, area)
	}
}

// Multiplied by a power of two, a polygon on a grid has the same cells, up to the ends of float64. Rows may
// be left out, and asked again.
func TestScanScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		mp := randomPolygon(rng, 10)
		one := mustScan(t, mustGrid(t, 1), mp, MaxRect())
		for _, scale := range []float64{0x1p-1010, 0x1p-20, 1, 0x1p20, 0x1p1018} {
			scaled := mp.Clone()
			for _, poly := range scaled {
				for _, r := range poly {
					for i := range r {
						r[i][0] *= scale
						r[i][1] *= scale
					}
				}
			}
			s := mustScan(t, mustGrid(t, scale), scaled, MaxRect())
			for range 40 {
				y := rng.Int64N(50) - 25
				if row, want := s.Row(y), one.Row(y); !slices.Equal(row, want) {
					t.Fatalf("scale %v, row %d: %v, want %v", scale, y, row, want)
				}
			}
		}
	}
}

func TestScanErrors(t *testing.T) {
	g := mustGrid(t, 1)
	nan := math.NaN()
	for _, c := range []struct {
		mp   orb.MultiPolygon
		want string
		is   error
	}{
		{orb.MultiPolygon{{{{0, 0}, {1, 0}, {1, 1}, {0, 0}}, {{0, 0}, {0, 1}, {1, 1}, {1, 0}}}},
			"polygon: ring 2 is not closed: first point (0 0), last point (1 0)", ErrPolygon},
		{orb.MultiPolygon{{}, {{}}}, "polygon: member 2, ring 1 has 0 points; a ring needs at least 4, the last equal to the first", ErrPolygon},
		{orb.MultiPolygon{{{{0, 0}, {nan, 0}, {1, 1}, {0, 0}}}}, "polygon: ring 1, point 2 is (NaN 0), not finite", ErrNotFinite},
		{orb.MultiPolygon{{{{0, 0}, {1, 0}, {1, math.Inf(-1)}, {0, 0}}}}, "polygon: ring 1, point 3 is (1 -Inf), not finite", ErrNotFinite},
		{orb.MultiPolygon{{make(orb.Ring, MaxVertices+1)}}, "polygon: more than 10000000 points", ErrTooLarge},
	} {
		_, err := g.Scan(c.mp, MaxRect())
		if err == nil || err.Error() != c.want || !errors.Is(err, c.is) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
	if s, err := g.Scan(orb.MultiPolygon{{}}, MaxRect()); err != nil || !s.Bounds().Empty() || len(s.Row(0)) != 0 {
		t.Errorf("a polygon without rings: %v", err)
	}
}
