package grid

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/data"
	"github.com/paulmach/orb"
)

type country struct {
	name string
	mp   orb.MultiPolygon
}

func countries(t testing.TB) []country {
	t.Helper()
	text, err := os.ReadFile(data.Path("ne_110m_countries.geojson"))
	if err != nil {
		t.Fatal(err)
	}
	var world struct {
		Features []json.RawMessage `json:"features"`
	}
	if err := json.Unmarshal(text, &world); err != nil {
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
		out = append(out, country{f.Properties.Name, mp})
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

// Count and Work are sums over all rows.
func TestCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 100 {
		s := mustScan(t, mustGrid(t, math.Exp(-4*rng.Float64())), randomPolygon(rng, 10), Rect{-50, -50, 200, 200})
		b := s.Bounds()
		cells, work := uint64(0), b.Height()
		for y := b.MinY; y <= b.MaxY; y++ {
			for _, iv := range s.Row(y) {
				cells += uint64(iv.X1 - iv.X0 + 1)
			}
			work += uint64(len(s.active))
		}
		if s.Count() != cells || s.Work() != work {
			t.Errorf("%d cells and %d crossings, rows have %d and %d", s.Count(), s.Work(), cells, work)
		}
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
			if n := s.Count(); n != 9 && res < 1e200 {
				t.Errorf("res %v, clipped to nine cells: %d", res, n)
			}
		}
	}
}
