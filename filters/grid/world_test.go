package grid

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/ccbfsql/ccbfsql/internal/data"
	"github.com/paulmach/orb"
)

type country struct {
	name string
	raw  []byte
	mp   orb.MultiPolygon
}

// worldFile is the text of the file with all countries.
func worldFile(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(data.Path(t, "ne_110m_countries.geojson"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// countries are the parts of that file.
func countries(t testing.TB) []country {
	t.Helper()
	var world struct {
		Features []json.RawMessage `json:"features"`
	}
	if err := json.Unmarshal(worldFile(t), &world); err != nil {
		t.Fatal(err)
	}
	var out []country
	for _, raw := range world.Features {
		var f struct {
			Properties struct {
				Name string `json:"NAME"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(raw, &f); err != nil {
			t.Fatal(err)
		}
		mp, err := ParsePolygon(raw)
		if err != nil {
			t.Fatalf("%s: %v", f.Properties.Name, err)
		}
		out = append(out, country{f.Properties.Name, raw, mp})
	}
	return out
}

func TestCountriesAgainstPlanar(t *testing.T) {
	all := countries(t)
	if len(all) != 177 {
		t.Errorf("%d countries, want 177", len(all))
	}
	for _, c := range all {
		b := c.mp.Bound()
		size := max(b.Max[0]-b.Min[0], b.Max[1]-b.Min[1])
		g := mustGrid(t, size/61) // some 60 x 60 cells each
		area, err := g.Box(b.Min[0]-size/20, b.Min[1]-size/20, b.Max[0]+size/20, b.Max[1]+size/20)
		if err != nil {
			t.Fatal(err)
		}
		judge(t, c.name, g, c.mp, MaxRect(), area)
	}
}

// The countries of the world at 0.1 degrees, read as one collection. Their union has as many cells as they
// have together, less those that two countries of Natural Earth share.
func TestWorldIsTheUnionOfItsCountries(t *testing.T) {
	all := countries(t)
	world, err := ParsePolygon(worldFile(t))
	if err != nil {
		t.Fatal(err)
	}
	g := mustGrid(t, 0.1)
	covered := map[Cell]bool{}
	for _, c := range all {
		s := mustScan(t, g, c.mp, MaxRect())
		for y := s.Bounds().MinY; y <= s.Bounds().MaxY; y++ {
			for _, iv := range s.Row(y) {
				for x := iv.X0; x <= iv.X1; x++ {
					covered[Cell{x, y}] = true
				}
			}
		}
	}
	if got := count(mustScan(t, g, world, MaxRect())); got != uint64(len(covered)) {
		t.Errorf("%d cells in the union, %d in the countries", got, len(covered))
	}
}

func count(s *Scanner) (n uint64) {
	b := s.Bounds()
	for y := b.MinY; y <= b.MaxY; y++ {
		for _, iv := range s.Row(y) {
			n += span(iv.X0, iv.X1)
		}
	}
	return n
}

// A random subdivision of the plane into polygons with shared edges puts every
// cell into exactly one of them.
func TestSubdivisionCoversEachCellOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for round := range 60 {
		const n = 7
		size := []float64{10, 1e3, 1e-3, 1e9}[round%4]
		res := size * (0.002 + 0.03*rng.Float64())
		g := mustGrid(t, res)
		// A lattice of points, shaken so little that its quadrilaterals stay
		// convex; some of them, and the frame, on centres of cells.
		var pt [n + 1][n + 1]orb.Point
		for i := range pt {
			for j := range pt[i] {
				x, y := float64(i)-n/2.0, float64(j)-n/2.0
				if i > 0 && i < n && j > 0 && j < n {
					x += 0.45 * (rng.Float64() - 0.5)
					y += 0.45 * (rng.Float64() - 0.5)
				}
				x, y = x*size, y*size
				if rng.IntN(3) == 0 || i == 0 || j == 0 || i == n || j == n {
					x, y = g.center(g.lower(x)), g.center(g.lower(y))
				}
				pt[i][j] = orb.Point{x, y}
			}
		}
		frame, err := g.Box(pt[0][0][0], pt[0][0][1], pt[n][n][0], pt[n][n][1])
		if err != nil {
			t.Fatal(err)
		}
		var parts []orb.Ring
		for i := range n {
			for j := range n {
				a, b, c, d := pt[i][j], pt[i+1][j], pt[i+1][j+1], pt[i][j+1]
				switch rng.IntN(3) {
				case 0:
					parts = append(parts, orb.Ring{a, b, c, d, a})
				case 1:
					parts = append(parts, orb.Ring{a, b, c, a}, orb.Ring{a, d, c, a})
				default:
					// cut by a common point: a fan of four
					m := orb.Point{(a[0] + c[0]) / 2, (a[1] + c[1]) / 2}
					parts = append(parts, orb.Ring{a, b, m, a}, orb.Ring{b, c, m, b}, orb.Ring{c, d, m, c}, orb.Ring{d, a, m, d})
				}
			}
		}
		var scans []*Scanner
		for _, r := range parts {
			scans = append(scans, mustScan(t, g, orb.MultiPolygon{{r}}, MaxRect()))
		}
		for y := frame.MinY - 1; y <= frame.MaxY+1; y++ {
			var row []Interval
			for _, s := range scans {
				row = append(row, s.Row(y)...)
			}
			slices.SortFunc(row, func(a, b Interval) int { return int(a.X0 - b.X0) })
			if y < frame.MinY || y > frame.MaxY {
				if len(row) > 0 {
					t.Fatalf("row %d lies outside the frame %v: %v", y, frame, row)
				}
				continue
			}
			next := frame.MinX
			for _, iv := range row {
				if iv.X0 != next {
					t.Fatalf("round %d, res %v, row %d of %v: %v: gap or overlap at %d", round, res, y, frame, row, next)
				}
				next = iv.X1 + 1
			}
			if next != frame.MaxX+1 {
				t.Fatalf("round %d, row %d of %v ends at %d", round, y, frame, next-1)
			}
		}
	}
}

// A hole and an outer ring that no sample of rows need meet: cells are counted,
// not estimated.
func TestCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range 400 {
		res := math.Exp(-7 * rng.Float64())
		mp := polygons.Random(rng, polygons.Star, orb.Bound{Min: orb.Point{-4, -10}, Max: orb.Point{8, 2}})
		if i%4 == 0 {
			mp[0] = append(mp[0], orb.Ring{{2.9, -4}, {3.1, -4.1}, {3, -3.8}, {2.9, -4}})
		}
		clip := MaxRect()
		if i%3 == 0 {
			clip, _ = mustGrid(t, res).Box(1, -5, 4, -3)
		}
		s := mustScan(t, mustGrid(t, res), mp, clip)
		if got, want := s.Count(), count(s); got != want {
			t.Errorf("res %v: %d cells, rows have %d", res, got, want)
		}
		height := s.Bounds().Height()
		if w := s.Work(); w < height || w > height*uint64(1+len(mp[0][0])+4) {
			t.Errorf("work %d for %v rows", w, height)
		}
	}
	s := mustScan(t, mustGrid(t, 1), mustWKT(t, "POLYGON((0 1000, 1000000 1000, 1000000 1010, 0 1010, 0 1000), (-9 0, -8 0, -8 100000, -9 100000, -9 0))"), MaxRect())
	if n := s.Count(); n != 1e7 {
		t.Errorf("ten rows of a million cells: %d", n)
	}
}

// A polygon as large as float64 allows on the finest grid: clipped, in no time.
func TestHuge(t *testing.T) {
	for _, res := range []float64{1e-300, 1, 1e290} {
		for _, m := range []float64{1e300, math.MaxFloat64} {
			g := mustGrid(t, res)
			mp := orb.MultiPolygon{{{{-m, -m}, {m, -m}, {m, m}, {-m, m}, {-m, -m}}}, {{{-m, -m}, {m, m}, {-m / 2, m}, {-m, -m}}}}
			s := mustScan(t, g, mp, MaxRect())
			b := s.Bounds()
			if b.Intersect(MaxRect()) != b || b.Empty() {
				t.Fatalf("bounds %v", b)
			}
			for _, y := range []int64{b.MinY, -1, 0, 1 << 40, b.MaxY} {
				if row := s.Row(y); b.MinY <= y && y <= b.MaxY && (len(row) != 1 || row[0] != Interval{b.MinX, b.MaxX}) {
					t.Errorf("res %v, extent %v, row %d: %v", res, m, y, row)
				}
			}
			if s.Work() == 0 {
				t.Error("no work")
			}
			s = mustScan(t, g, mp, Rect{5, 5, 7, 7})
			if n := count(s); n != 9 && res < 1e200 {
				t.Errorf("res %v, clipped to nine cells: %d", res, n)
			}
		}
	}
}

// A comb whose teeth all begin in the first row, in the worst order: sorting
// them must not take quadratic time.
func TestCombSortsFast(t *testing.T) {
	const teeth = 200_000
	rng := rand.New(rand.NewPCG(10, 10))
	var mp orb.MultiPolygon
	for _, i := range rng.Perm(teeth) {
		x := float64(4 * i)
		mp = append(mp, orb.Polygon{{{x, 0}, {x + 2, 0}, {x + 2, 2}, {x, 2}, {x, 0}}})
	}
	s := mustScan(t, mustGrid(t, 1), mp, MaxRect())
	for y := range int64(2) {
		row := s.Row(y)
		if len(row) != teeth {
			t.Fatalf("%d intervals", len(row))
		}
		for i, iv := range row {
			if iv.X0 != int64(4*i) || iv.X1 != iv.X0+1 {
				t.Fatalf("interval %d: %v", i, iv)
			}
		}
	}
}
