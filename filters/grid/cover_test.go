package grid

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/paulmach/orb"

	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
)

// cellRows are the cells of an area, kept to judge a cover by counting.
type cellRows struct {
	ys   []int64
	rows [][]Interval
}

func (c *cellRows) add(y int64, row []Interval) {
	if len(row) > 0 {
		c.ys, c.rows = append(c.ys, y), append(c.rows, append([]Interval(nil), row...))
	}
}

func rowsOf(s *Scanner) (c cellRows) {
	for y := s.Bounds().MinY; y <= s.Bounds().MaxY; y++ {
		c.add(y, s.Row(y))
	}
	return c
}

// relation counts the cells that a quad has in the area.
func (c *cellRows) relation(level int, x, y int64) Relation {
	x0, x1 := x<<level, (x+1)<<level-1
	var n uint64
	for i, row := range c.rows {
		if c.ys[i]>>level != y {
			continue
		}
		for _, iv := range row {
			if from, to := max(iv.X0, x0), min(iv.X1, x1); from <= to {
				n += span(from, to)
			}
		}
	}
	switch n {
	case 0:
		return Outside
	case 1 << (2 * level):
		return Inside
	}
	return Partly
}

// bands are the quads of a level that hold a cell, row by row, found by
// halving each cell's index.
func (c *cellRows) bands(level int) (out []cellRows) {
	at := map[int64]map[int64]bool{}
	var ys []int64
	for i, row := range c.rows {
		y := c.ys[i] >> level
		if at[y] == nil {
			at[y] = map[int64]bool{}
			ys = append(ys, y)
		}
		for x := range cells(row) {
			at[y][x>>level] = true
		}
	}
	for _, y := range ys {
		var row []Interval
		for x := int64(-1000); x <= 1000; x++ {
			if at[y][x] {
				row = emit(row, x, x+1)
			}
		}
		out = append(out, cellRows{[]int64{y}, [][]Interval{row}})
	}
	return out
}

// judgeCover compares every quad of every level in and around area with what
// counting says, in the order of rows and again in random order.
func judgeCover(t *testing.T, rng *rand.Rand, c Cover, top int, want cellRows, area Rect) {
	t.Helper()
	for _, band := range want.bands(top) {
		if !c.Next() {
			t.Fatalf("top %d: no band %d", top, band.ys[0])
		}
		y, quads := c.Band()
		if y != band.ys[0] || !reflect.DeepEqual(quads, band.rows[0]) {
			t.Fatalf("top %d: band %d %v, want %d %v", top, y, quads, band.ys[0], band.rows[0])
		}
		for level := range top + 1 {
			x0, x1 := area.MinX>>level-1, area.MaxX>>level+1
			y0, y1 := y<<(top-level), (y+1)<<(top-level)-1
			check := func(qx, qy int64) {
				if got, want := c.Relation(level, qx, qy), want.relation(level, qx, qy); got != want {
					t.Fatalf("top %d: quad (%d, %d, %d): relation %d, want %d", top, level, qx, qy, got, want)
				}
			}
			for qy := max(y0, area.MinY>>level-1); qy <= min(y1, area.MaxY>>level+1); qy++ {
				for qx := x0; qx <= x1; qx++ {
					check(qx, qy)
				}
			}
			for range 40 {
				check(x0+rng.Int64N(x1-x0+1), y0+rng.Int64N(y1-y0+1))
			}
		}
	}
	if c.Next() {
		y, _ := c.Band()
		t.Fatalf("top %d: band %d without cells", top, y)
	}
}

func TestCoverAgainstRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	rounds := 15
	if testing.Short() {
		rounds = 3
	}
	bound := orb.Bound{Min: orb.Point{-25, -21}, Max: orb.Point{20, 27}}
	for _, kind := range polygons.Kinds {
		for i := range rounds {
			g := mustGrid(t, []float64{1, 0.8, 2.5}[i%3])
			clip := MaxRect()
			if i%2 == 1 {
				x, y := rng.Int64N(20)-20, rng.Int64N(20)-20
				clip = Rect{x, y, x + rng.Int64N(40), y + rng.Int64N(40)}
			}
			mp := polygons.Random(rng, kind, bound)
			rows := rowsOf(mustScan(t, g, mp, clip))
			for _, top := range []int{0, 1, 3, 5, 8, MaxLevel} {
				judgeCover(t, rng, mustScan(t, g, mp, clip).Cover(top), top, rows, Rect{-45, -45, 45, 45})
			}
		}
	}
}

func TestRectCoverAgainstRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	area := Rect{-20, -20, 20, 20}
	for range 40 {
		x, y := rng.Int64N(30)-15, rng.Int64N(30)-15
		r := Rect{x, y, x + rng.Int64N(20) - 1, y + rng.Int64N(20) - 1} // one in ten is empty
		var rows cellRows
		for y := r.MinY; y <= r.MaxY; y++ {
			rows.add(y, emit(nil, r.MinX, r.MaxX+1))
		}
		g := mustGrid(t, 1)
		ring := orb.Bound{Min: orb.Point{float64(r.MinX), float64(r.MinY)}, Max: orb.Point{float64(r.MaxX + 1), float64(r.MaxY + 1)}}
		for _, top := range []int{0, 2, 4, MaxLevel} {
			judgeCover(t, rng, r.Cover(top), top, rows, area)
			judgeCover(t, rng, mustScan(t, g, orb.MultiPolygon{ring.ToPolygon()}, MaxRect()).Cover(top), top, rows, area)
		}
	}
}

// Levels out of range are the nearest in it, and what has no cells no bands.
func TestCoverLimits(t *testing.T) {
	g := mustGrid(t, 1)
	mp := mustWKT(t, "POLYGON((-3 -3, 5 -3, 5 5, -3 5, -3 -3))")
	area := Rect{-3, -3, 4, 4}
	for _, c := range []struct {
		top  int
		want []Interval
	}{{-1, []Interval{{-3, 4}}}, {MaxLevel + 1, []Interval{{-1, 0}}}} {
		for _, cover := range []Cover{mustScan(t, g, mp, MaxRect()).Cover(c.top), area.Cover(c.top)} {
			if !cover.Next() {
				t.Fatal("no band")
			}
			if y, quads := cover.Band(); y != c.want[0].X0 || !reflect.DeepEqual(quads, c.want) {
				t.Errorf("top %d: band %d %v, want %v", c.top, y, quads, c.want)
			}
		}
	}
	for _, c := range []Cover{
		EmptyRect().Cover(3), Rect{1, 1, 0, 5}.Cover(0),
		mustScan(t, g, orb.MultiPolygon{}, MaxRect()).Cover(3),
		mustScan(t, g, mp, Rect{9, 9, 10, 10}).Cover(3),
		mustScan(t, g, mustWKT(t, "POLYGON((0.6 0, 0.8 0, 0.8 1e5, 0.6 0))"), MaxRect()).Cover(3),
	} {
		for range 2 {
			if c.Next() {
				t.Error("a band of nothing")
			}
		}
	}
}

// The largest indices: nothing overflows, and both covers agree.
func TestCoverEndsOfTheGrid(t *testing.T) {
	g := mustGrid(t, 1)
	const far = 1e17
	strip := orb.Bound{Min: orb.Point{-far, -3}, Max: orb.Point{far, 9}}
	corner := orb.Bound{Min: orb.Point{MaxIndex - 40, MaxIndex - 40}, Max: orb.Point{far, far}}
	for _, b := range []orb.Bound{strip, corner} {
		box, err := g.Box(b.Min[0], b.Min[1], b.Max[0], b.Max[1])
		if err != nil || box.Empty() {
			t.Fatal(box, err)
		}
		for _, top := range []int{0, 3, MaxLevel} {
			p, r := mustScan(t, g, orb.MultiPolygon{b.ToPolygon()}, MaxRect()).Cover(top), box.Cover(top)
			for r.Next() {
				wantY, want := r.Band()
				if !p.Next() {
					t.Fatalf("no band %d", wantY)
				}
				y, quads := p.Band()
				if y != wantY || !reflect.DeepEqual(quads, want) {
					t.Fatalf("band %d %v, want %d %v", y, quads, wantY, want)
				}
				for level := range top + 1 {
					for _, x := range []int64{box.MinX >> level, box.MinX>>level + 1, 0, box.MaxX>>level - 1, box.MaxX >> level, box.MaxX>>level + 1} {
						for qy := max(box.MinY>>level, y<<(top-level)); qy <= min(box.MaxY>>level, (y+1)<<(top-level)-1); qy++ {
							if a, b := p.Relation(level, x, qy), r.Relation(level, x, qy); a != b {
								t.Fatalf("quad (%d, %d, %d): %d of the polygon, %d of the box", level, x, qy, a, b)
							}
						}
					}
				}
			}
			if p.Next() {
				t.Fatal("a band too many")
			}
		}
	}
}

// Two islands 2^50 rows apart are done at once: the sea between costs nothing.
func TestCoverSkipsEmptyRows(t *testing.T) {
	const far = 1 << 50
	island := func(y float64) orb.Polygon {
		return orb.Bound{Min: orb.Point{0, y}, Max: orb.Point{8, y + 8}}.ToPolygon()
	}
	g := mustGrid(t, 1)
	c := mustScan(t, g, orb.MultiPolygon{island(far), island(0), island(-far)}, MaxRect()).Cover(3)
	for _, want := range []int64{-far >> 3, 0, far >> 3} {
		if !c.Next() {
			t.Fatalf("no band %d", want)
		}
		if y, quads := c.Band(); y != want || c.Relation(3, 0, y) != Inside || len(quads) != 1 {
			t.Errorf("band %d %v, want %d", y, quads, want)
		}
	}
	if c.Next() {
		t.Error("a band too many")
	}
	// Within one band too.
	c = mustScan(t, g, orb.MultiPolygon{island(1 << 23), island(0)}, MaxRect()).Cover(MaxLevel)
	if !c.Next() || c.Relation(MaxLevel, 0, 0) != Partly || c.Relation(3, 0, 1<<20) != Inside ||
		c.Relation(3, 0, 1<<19) != Outside || c.Relation(22, 0, 1) != Outside || c.Relation(22, 0, 2) != Partly {
		t.Error("islands of one band")
	}
}

// descend counts the cells of a cover and the quads that it asks for.
func descend(c Cover, top int) (cells, quads uint64) {
	var down func(level int, x, y int64)
	down = func(level int, x, y int64) {
		quads++
		switch c.Relation(level, x, y) {
		case Inside:
			cells += 1 << (2 * level)
		case Partly:
			level--
			down(level, 2*x, 2*y)
			down(level, 2*x+1, 2*y)
			down(level, 2*x, 2*y+1)
			down(level, 2*x+1, 2*y+1)
		}
	}
	for c.Next() {
		y, runs := c.Band()
		for _, iv := range runs {
			for x := iv.X0; x <= iv.X1; x++ {
				down(top, x, y)
			}
		}
	}
	return cells, quads
}

func TestCoverDescentHasTheCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	bound := orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}
	for i := range 70 {
		g := mustGrid(t, 0.5)
		mp := polygons.Random(rng, polygons.Kinds[i%len(polygons.Kinds)], bound)
		want := count(mustScan(t, g, mp, MaxRect()))
		for _, top := range []int{0, 4, 10} {
			if cells, _ := descend(mustScan(t, g, mp, MaxRect()).Cover(top), top); cells != want {
				t.Fatalf("%v, top %d: %d cells, want %d", mp, top, cells, want)
			}
		}
	}
}

// Bands take their room from the bands before.
func TestCoverAllocatesForOneBand(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	s := mustScan(t, mustGrid(t, 1), orb.MultiPolygon{{polygons.Ring(rng, orb.Point{}, 4000, 4000, 30)}}, MaxRect())
	bands := 0
	allocs := testing.AllocsPerRun(1, func() {
		c := s.Cover(3)
		for bands = 0; c.Next(); bands++ {
		}
	})
	if bands < 500 || allocs > 100 {
		t.Errorf("%v allocations for %d bands", allocs, bands)
	}
}
