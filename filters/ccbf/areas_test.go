package ccbf

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// boxTruth is the sum of a view's counts over the model's cells in a box.
func boxTruth(m model, box grid.Rect, category []byte) (sum uint64) {
	for s, n := range m {
		if box.Contains(s.Cell) && (category == nil || s.category == string(category)) {
			sum = saturate.Add(sum, n)
		}
	}
	return sum
}

func randomBox(r *rand.Rand, reach int64) grid.Rect {
	a, b, c, d := r.Int64N(2*reach)-reach, r.Int64N(2*reach)-reach, r.Int64N(2*reach)-reach, r.Int64N(2*reach)-reach
	return grid.Rect{MinX: min(a, b), MinY: min(c, d), MaxX: max(a, b), MaxY: max(c, d)}
}

func TestBoxSumWhileExact(t *testing.T) {
	sets := cellSets()
	for name, p := range sets {
		r := rand.New(rand.NewPCG(61, 0))
		blob := blobOf(t, builderOf(t, config(t, Params{Bytes: 1 << 20}), p))
		m := p.model()
		cached := viewOf(t, blob)
		boxes := []grid.Rect{grid.MaxRect(), {MinX: 0, MinY: 0, MaxX: -1, MaxY: -1}, {MinX: 1, MinY: 5, MaxX: 0, MaxY: 9}}
		for _, reach := range []int64{5, 70, 1200, 1 << 31, 1 << 33, grid.MaxIndex} {
			for range 15 {
				boxes = append(boxes, randomBox(r, reach))
			}
		}
		for s := range m { // boxes that end at a cell
			boxes = append(boxes, grid.Rect{MinX: s.X, MinY: s.Y, MaxX: s.X, MaxY: s.Y},
				grid.Rect{MinX: s.X, MinY: s.Y, MaxX: s.X + 9, MaxY: s.Y + 3}, grid.Rect{MinX: s.X - 20, MinY: s.Y - 1, MaxX: s.X, MaxY: s.Y})
			if len(boxes) > 150 {
				break
			}
		}
		for _, box := range boxes {
			want := boxTruth(m, box, nil)
			for when, v := range map[string]*View{"the first question": viewOf(t, blob), "a later one": cached} {
				if got, err := v.Sum(Box(box), Categories{}); err != nil || got != want {
					t.Fatalf("%s, %s: box %v sums to %d, want %d, error %v", name, when, box, got, want, err)
				}
			}
		}
	}
}

// randomPolygon makes a polygon of one kind after the other around the origin.
// Nothing lies on the centre of a cell.
func randomPolygon(r *rand.Rand, i int, reach float64) orb.MultiPolygon {
	return polygons.Random(r, polygons.Kinds[i%len(polygons.Kinds)], orb.Bound{Min: orb.Point{-reach, -reach}, Max: orb.Point{reach, reach}})
}

// inside reports whether a cell's centre lies in a polygon, by orb's planar. It lies within the
// outer ring of a part and within none of its holes.
func inside(mp orb.MultiPolygon, g grid.Grid, c grid.Cell) bool {
	x, y := g.Center(c)
	return planar.MultiPolygonContains(mp, orb.Point{x, y})
}

func TestPolygonSum(t *testing.T) {
	for name, params := range forms() {
		r := rand.New(rand.NewPCG(63, 0))
		params.Res = 0.25
		cfg := config(t, params)
		p := hot(r, 3000, 800)
		if !params.Dense {
			for range 300 { // over the edge of the first region
				p.add(spot{grid.Cell{X: cells.Highest + r.Int64N(40) - 20, Y: r.Int64N(40) - 20}, plain}, 1+r.Uint64N(9))
			}
		}
		blob := blobOf(t, builderOf(t, cfg, p))
		m, cached := p.model(), viewOf(t, blob)
		for i := range 60 {
			mp := randomPolygon(r, i, []float64{1, 5, 20}[i%3])
			if !params.Dense && i%4 == 0 && cached.IsExact() {
				mp = shifted(mp, (cells.Highest+1)*0.25)
			}
			want, truth := uint64(0), uint64(0)
			for s, n := range m {
				if inside(mp, cfg.Grid, s.Cell) {
					truth += n
				}
			}
			if want = truth; !cached.IsExact() {
				want = 0
				bound := mp.Bound()
				box := must(cfg.Grid.Box(bound.Min[0]-1, bound.Min[1]-1, bound.Max[0]+1, bound.Max[1]+1)).Intersect(cached.Bounds)
				for y := box.MinY; y <= box.MaxY; y++ {
					for x := box.MinX; x <= box.MaxX; x++ {
						if c := (grid.Cell{X: x, Y: y}); inside(mp, cfg.Grid, c) {
							want += cached.Count(c, nil)
						}
					}
				}
			}
			for when, v := range map[string]*View{"first": viewOf(t, blob), "later": cached} {
				got, err := v.Sum(NewPolygon(mp).Area(), Categories{})
				if err != nil || got != want || got < truth {
					t.Fatalf("%s, %s, polygon %d: %d, want %d, error %v", name, when, i, got, want, err)
				}
			}
		}
	}
}

func shifted(mp orb.MultiPolygon, dx float64) orb.MultiPolygon {
	for _, p := range mp {
		for _, ring := range p {
			for i := range ring {
				ring[i][0] += dx
			}
		}
	}
	return mp
}

func TestAreaLimits(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{X: 0, Y: 0}, plain}, 2)
	p.add(spot{grid.Cell{X: 99, Y: 99}, plain}, 3)
	p.add(spot{grid.Cell{X: 20_000, Y: 20_000}, plain}, 4)
	exact := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), p)))
	dense := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), p)))
	world := orb.MultiPolygon{{{{-1e6, -1e6}, {1e6, -1e6}, {1e6, 1e6}, {-1e6, 1e6}, {-1e6, -1e6}}}}
	if n, err := exact.Sum(Box(grid.MaxRect()), Categories{}); n != 9 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := exact.Sum(NewPolygon(world).Area(), Categories{}); n != 9 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	var tooMany *ErrTooManyCells
	if _, err := dense.Sum(Box(grid.MaxRect()), Categories{}); !errors.As(err, &tooMany) || tooMany.Cells != 20_001*20_001 {
		t.Errorf("the sum over all of %v: %v", dense.Bounds, err)
	}
	if _, err := dense.Sum(NewPolygon(world).Area(), Categories{}); !errors.As(err, &tooMany) || tooMany.Cells < 20_001*20_000 {
		t.Errorf("the sum over all of %v: %v", dense.Bounds, err)
	}
	for _, c := range []struct {
		box  grid.Rect
		fits bool
	}{
		{grid.Rect{MinX: -1000, MinY: -1000, MaxX: 99, MaxY: 99}, true}, // 10,000 cells inside of the bounds
		{grid.Rect{MinX: 0, MinY: 0, MaxX: 20_000, MaxY: AreaLimit/20_001 + 1}, false},
		{grid.Rect{MinX: 0, MinY: 0, MaxX: 1 << 40, MaxY: 7}, true},
	} {
		if n, err := dense.Sum(Box(c.box), Categories{}); (err == nil) != c.fits || c.fits && n < boxTruth(p.model(), c.box, nil) {
			t.Errorf("%v: %d, %v", c.box, n, err)
		}
	}
	none := viewOf(t, blobOf(t, NewBuilder(config(t, Params{Dense: true}), nil)))
	for _, v := range []*View{none, viewOf(t, blobOf(t, NewBuilder(config(t, Params{}), nil)))} {
		if n, err := v.Sum(Box(grid.MaxRect()), Categories{}); n != 0 || err != nil {
			t.Errorf("an empty sketch: %d, %v", n, err)
		}
		if n, err := v.Sum(NewPolygon(world).Area(), Categories{}); n != 0 || err != nil {
			t.Errorf("an empty sketch: %d, %v", n, err)
		}
	}
	bad := orb.MultiPolygon{{{{0, 0}, {math.NaN(), 1}, {1, 1}, {0, 0}}}}
	for _, v := range []*View{exact, dense} {
		if _, err := v.Sum(NewPolygon(bad).Area(), Categories{}); !errors.Is(err, grid.ErrNotFinite) {
			t.Errorf("a polygon with NaN: %v", err)
		}
	}
}

// Questions of one caller count together where it says so, and not otherwise.
func TestAreasTogether(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{}, plain}, 1)
	p.add(spot{grid.Cell{X: 99, Y: 99}, plain}, 1)
	blob := blobOf(t, builderOf(t, config(t, Params{Dense: true}), p))
	v, alone := viewOf(t, blob), viewOf(t, blob)
	v.limitAreas()
	v.head.Limit.Covered = AreaLimit - 25_000
	var tooMany *ErrTooManyCells
	for i := range 4 { // of 10,000 cells each
		noError(t, v.Reset(blob))
		_, err := v.Sum(Box(grid.MaxRect()), Categories{})
		if i < 2 && err != nil || i >= 2 && (!errors.As(err, &tooMany) || tooMany.Left != 5000) {
			t.Errorf("question %d: %v", i, err)
		}
		if _, err := alone.Sum(Box(grid.MaxRect()), Categories{}); err != nil || alone.head.Limit.Covered != 0 {
			t.Errorf("question %d alone: %v", i, err)
		}
	}
	v.limitAreas()
	if n, err := v.Sum(Box(grid.MaxRect()), Categories{}); err != nil || n < 2 {
		t.Errorf("of the next chunk: %d, %v", n, err)
	}
}

// A polygon over many categories is the sum over each of them.
func TestPolygonOverManyCategories(t *testing.T) {
	r := rand.New(rand.NewPCG(64, 0))
	cfg := config(t, Params{Res: 0.25, Categories: true, Totals: true})
	var p points
	for i := range 3000 {
		x := r.Int64N(30) - 15
		if i%3 == 0 {
			x += cells.Highest
		}
		p.add(spot{grid.Cell{X: x, Y: r.Int64N(30) - 15}, string(rune('a' + r.IntN(300)))}, 1+r.Uint64N(4))
	}
	v, m := viewOf(t, blobOf(t, builderOf(t, cfg, p))), p.model()
	for i := range 40 {
		mp := randomPolygon(r, i, []float64{2, 5, 20}[i%3])
		if i%2 == 0 {
			mp = shifted(mp, (cells.Highest+1)*0.25)
		}
		want := uint64(0)
		for s, n := range m {
			if inside(mp, cfg.Grid, s.Cell) {
				want += n
			}
		}
		if got, err := v.Sum(NewPolygon(mp).Area(), Categories{}); err != nil || got != want {
			t.Fatalf("polygon %d: %d, want %d, error %v", i, got, want, err)
		}
	}
}

// TestBoxSumBesideHugeCounts: sums that pass 2^64-1 stop there, and the sums of boxes beside them are right.
func TestBoxSumBesideHugeCounts(t *testing.T) {
	var p points
	for i, n := range []uint64{3, math.MaxUint64, 5, math.MaxUint64 - 1, 7} {
		p.add(spot{grid.Cell{X: int64(i)}, plain}, n)
	}
	for i := range 20 {
		p.add(spot{grid.Cell{X: int64(i), Y: 4}, plain}, 1<<63>>i)
	}
	blob, m := blobOf(t, builderOf(t, config(t, Params{}), p)), p.model()
	cached := viewOf(t, blob)
	for y := int64(0); y <= 4; y += 4 {
		for x0 := range int64(20) {
			for x1 := x0; x1 < 20; x1++ {
				box := grid.Rect{MinX: x0, MinY: y, MaxX: x1, MaxY: y}
				want := boxTruth(m, box, nil)
				for when, v := range map[string]*View{"first": viewOf(t, blob), "later": cached} {
					if got, err := v.Sum(Box(box), Categories{}); err != nil || got != want {
						t.Fatalf("%s: box %v sums to %d, want %d, error %v", when, box, got, want, err)
					}
				}
			}
		}
	}
}

// TestBoxSumOfHugeBlocks: sums of boxes stop at 2^64-1 where whole blocks of cells reach it, and boxes
// beside such blocks are summed exactly.
func TestBoxSumOfHugeBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 0))
	var p points
	for y := range int64(48) {
		for x := range int64(48) {
			n := uint64(1)
			if r.IntN(100) == 0 {
				n = 1<<62 + r.Uint64N(1<<62)
			}
			p.add(spot{grid.Cell{X: x, Y: y}, plain}, n)
		}
	}
	blob, m := blobOf(t, builderOf(t, config(t, Params{}), p)), p.model()
	stopped := 0
	for range 300 {
		box := randomBox(r, 48)
		want := boxTruth(m, box, nil)
		if want == math.MaxUint64 {
			stopped++
		}
		if got, err := viewOf(t, blob).Sum(Box(box), Categories{}); err != nil || got != want {
			t.Fatalf("box %v sums to %d, want %d, error %v", box, got, want, err)
		}
	}
	if stopped < 30 || stopped > 270 {
		t.Fatalf("%d of 300 sums stop at 2^64-1: the test asks too little", stopped)
	}
}

// TestAreasWithCategories: the sum of a category over a box adds up the counts of its cells. It is never
// below the truth, and equals it in exact sketches.
func TestAreasWithCategories(t *testing.T) {
	for name, params := range forms() {
		r := rand.New(rand.NewPCG(62, 0))
		params.Categories, params.Totals = true, true
		var p points
		for range 400 {
			p.add(spot{grid.Cell{X: r.Int64N(20) - 10, Y: r.Int64N(20) - 10}, categories[r.IntN(len(categories))]}, 1+r.Uint64N(3))
		}
		v := viewOf(t, blobOf(t, builderOf(t, config(t, params), p)))
		m := p.model()
		// Categories alternate, so that data cached for one query is there in the next query about another.
		for i := range 60 {
			box := randomBox(r, 12)
			var category []byte
			if i%3 != 0 {
				category = []byte(categories[i%len(categories)])
			}
			if i%10 == 9 {
				category = []byte("other")
			}
			want := uint64(0)
			for y := box.MinY; y <= box.MaxY; y++ {
				for x := box.MinX; x <= box.MaxX; x++ {
					if c := (grid.Cell{X: x, Y: y}); v.Bounds.Contains(c) {
						want += v.Count(c, category)
					}
				}
			}
			got, err := v.Sum(Box(box), Of(category))
			if truth := boxTruth(m, box, category); err != nil || got != want || got < truth || v.IsExact() && got != truth {
				t.Fatalf("%s: box %v of %q sums to %d, its cells to %d, error %v", name, box, category, got, want, err)
			}
		}
	}
}
