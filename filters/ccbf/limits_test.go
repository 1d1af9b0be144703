package ccbf

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/paulmach/orb"
)

// limited are queries about areas of cells, whose work is limited.
func limited(v *View, box grid.Rect, mp orb.MultiPolygon) map[string]func() error {
	b := mp.Bound()
	return map[string]func() error{
		"box":              func() error { _, err := v.Sum(Box(box), Categories{}); return err },
		"box estimate":     func() error { _, err := v.Estimate(Box(box), Categories{}); return err },
		"polygon":          func() error { _, err := v.Sum(NewPolygon(mp).Area(), Categories{}); return err },
		"polygon estimate": func() error { _, err := v.Estimate(NewPolygon(mp).Area(), Categories{}); return err },
		"hotspots":         func() error { _, err := v.Hotspots(Box(box), 1, Categories{}); return err },
		"top k":            func() error { _, err := v.TopK(Box(box), 10, Categories{}); return err },
		"raster":           func() error { return v.Raster(make([]uint64, 12), b, 3, 4, Categories{}) },
		"density":          func() error { return v.Density(make([]float64, 12), b, 3, 4, Categories{}) },
	}
}

// TestWrongBounds: a head may state other bounds than those of the cells or leaves, which only a
// full check detects. Every query then returns an answer or an error, and none panics.
func TestWrongBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(151, 0))
	for _, form := range []Params{{}, {Bytes: 500, Overflow: ToTree}, {Dense: true, Bytes: 4096}, {Dense: true, Bytes: 4096, Levels: 4}} {
		blob := blobOf(t, builderOf(t, config(t, form), hot(r, 4000, 3000)))
		for range 300 {
			v := reset(t, edited(t, blob, within(randomBox(r, 200))))
			area := randomBound(r, 100)
			box := boxOf(t, v.Grid, area)
			asks := limited(v, box, orb.MultiPolygon{area.ToPolygon()})
			asks["count"] = func() error { v.Count(grid.Cell{X: box.MinX, Y: box.MinY}, nil); return nil }
			asks["error and info"] = func() error { v.Error(); v.Info(); return nil }
			asks["cells"] = func() error {
				all, err := v.Cells(Box(box), Categories{})
				if err != nil {
					return err
				}
				for s := range all {
					s.Square(v.Grid)
				}
				return nil
			}
			asks["clip"] = func() error {
				s, err := v.Sketch()
				if err != nil {
					return err
				}
				return s.Clip(NewPolygon(orb.MultiPolygon{area.ToPolygon()}))
			}
			for what, ask := range asks {
				func() {
					defer func() {
						if p := recover(); p != nil {
							t.Fatalf("%+v, bounds %v, %s of %v: %v", form, v.Bounds, what, box, p)
						}
					}()
					v.head.Limit.Together()
					_ = ask()
				}()
			}
		}
	}
}

// An index in no particular order and blocks that are none: some answer, soon.
func TestAreasOfDamagedSketches(t *testing.T) {
	b := NewBuilder(config(t, Params{}), nil)
	noError(t, b.addPoints(crowd(20_000)))
	blob := blobOf(t, b)
	r := rand.New(rand.NewPCG(69, 0))
	asked := 0
	for range 200 {
		b := slices.Clone(blob)
		for at := len(blob) - len(must(sketch.Parse(blob)).Body) + 20 + r.IntN(1000); at < len(b); at += 1 + r.IntN(100) {
			b[at] = byte(r.Uint32())
		}
		var v View
		if v.Reset(b) != nil {
			continue
		}
		asked++
		for range 3 {
			must(v.Sum(NewPolygon(round(4000, 4000, 2000, 100)).Area(), Categories{}))
			must(v.Sum(Box(randomBox(r, 1<<13)), Categories{}))
		}
	}
	if asked < 100 {
		t.Errorf("only %d of 200 damaged sketches are read at all", asked)
	}
}

// TestWorkOfOneQuestion: one query to a small sketch does little work, for any bounds, k and
// resolution in its head. It looks up at most Limit.Cells cells, each in k counters of each layer,
// or is an error. The limit grows with the bytes up to AreaLimit.
func TestWorkOfOneQuestion(t *testing.T) {
	p := points{{spot{grid.Cell{X: 1, Y: 2}, plain}, 1}}
	const far = 1 << 40
	earth := orb.MultiPolygon{{{{-far, -far}, {far, -far}, {far, far}, {-far, 1}, {-far, -far}}}}
	for _, params := range []Params{
		{Bytes: 4000},
		{Bytes: 4000, K: 32},
		{Bytes: 4000, Levels: MaxLevels},
		{K: 32, Widths: []int{2, 3, 4, 5, 6, 7, 8, 9}, Counters: []uint64{1 << 13, 1 << 11, 1 << 9, 128, 32, 8, 4, 2}},
	} {
		params.Dense = true
		c := config(t, params)
		blob := edited(t, blobOf(t, builderOf(t, c, p)), within(grid.Rect{MinX: -far, MinY: -far, MaxX: far, MaxY: far}))
		full := slices.Clone(blob)
		body := full[len(full)-int(c.shape.Bytes()):]
		for i := range body {
			body[i] = 0xff
		}
		for _, b := range [][]byte{blob, full} {
			v := reset(t, b)
			// This is 0.12 s, at 3 ns for each counter and 50 ns for each cell: 0.2 s with the work
			// on the counts.
			if limit := v.head.Limit.Cells(); float64(limit)*(50+3*float64(v.K()*v.shape.Layers)) > 0.12e9 {
				t.Errorf("%+v: %d lookups", params, limit)
			}
			asks := limited(v, grid.MaxRect(), earth)
			asks["small box"] = limited(v, grid.Rect{MaxX: 299, MaxY: 299}, earth)["box"]
			for what, ask := range asks {
				v.head.Limit.Together()
				err := ask()
				var many *ErrTooManyCells
				if err != nil && !errors.As(err, &many) && !errors.Is(err, ErrSpots) || what == "small box" && err != nil {
					t.Errorf("%+v, %s: %v", params, what, err)
				}
				if v.head.Limit.Covered > v.head.Limit.Cells() {
					t.Errorf("%+v, %s: %d lookups of %d", params, what, v.head.Limit.Covered, v.head.Limit.Cells())
				}
				if many != nil && many.Limit > v.head.Limit.Work() {
					t.Errorf("%+v, %s: %v", params, what, err)
				}
			}
		}
	}
	large := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Bytes: 1 << 19}), p)))
	if large.head.Limit.Cells() < AreaLimit*9/10 || large.head.MaxSpots() != MaxSpots {
		t.Errorf("of %d bytes %d lookups and %d spots", len(large.blob), large.head.Limit.Cells(), large.head.MaxSpots())
	}
	// The rows of a polygon on a grid as fine as a sketch says.
	v := reset(t, edited(t, blobOf(t, builderOf(t, config(t, Params{}), p)), func(p *Head) { p.Grid = must(grid.New(1e-7)) }))
	if e, err := v.Estimate(NewPolygon(orb.MultiPolygon{{{{0, 0}, {5, 0}, {5, 4}, {0, 4}, {0, 0}}}}).Area(), Categories{}); err != nil || math.Abs(float64(e.Cells)-2e15) > 1e6 || v.head.Limit.Covered > 0 {
		t.Errorf("4e7 rows: %v, %v after %d", e, err, v.head.Limit.Covered)
	}
}

// TestLimits: counters are not asked for too many cells, exact sketches and the largest squares of levels
// are. The limit is on the cells inside of the bounds. Empty sketches have no points anywhere.
func TestLimits(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{}, plain}, 2)
	p.add(spot{grid.Cell{X: 99, Y: 99}, plain}, 3)
	p.add(spot{grid.Cell{X: 20_000, Y: 20_000}, plain}, 4)
	made := func(params Params, p points) *View { return viewOf(t, blobOf(t, builderOf(t, config(t, params), p))) }
	exact, dense, levels := made(Params{}, p), made(Params{Dense: true}, p), made(Params{Dense: true, Levels: 10}, p)
	world := orb.MultiPolygon{{{{-3e4, -3e4}, {3e4, -3e4}, {3e4, 3e4}, {-3e4, 3e4}, {-3e4, -3e4}}}}
	var tooMany *ErrTooManyCells
	for what, ask := range limited(dense, grid.MaxRect(), world) {
		if err := ask(); !errors.As(err, &tooMany) || tooMany.Cells < 20_001*20_000 {
			t.Errorf("counters, %s: %v", what, err)
		}
	}
	for what, ask := range limited(exact, grid.MaxRect(), world) {
		if err := ask(); err != nil {
			t.Errorf("cells, %s: %v", what, err)
		}
	}
	want := []Spot{{grid.Cell{X: 20_000, Y: 20_000}, 4, 0}, {grid.Cell{X: 99, Y: 99}, 3, 0}, {grid.Cell{}, 2, 0}}
	for _, v := range []*View{exact, levels} {
		if got := must(v.Hotspots(Box(grid.MaxRect()), 2, Categories{})); !slices.Equal(got, want) {
			t.Error(got)
		}
		if got := must(v.TopK(Box(grid.MaxRect()), 1, Categories{})); !slices.Equal(got, want[:1]) {
			t.Error(got)
		}
	}
	// 7 of 2^20 counters in use with each key: a chance of 1e-20 for a fourth.
	if n := must(made(Params{Dense: true, Levels: 20}, p).Sum(Box(grid.MaxRect()), Categories{})); n != 9 {
		t.Errorf("4e8 cells with 20 levels: %d", n)
	}
	for _, c := range []struct {
		box  grid.Rect
		fits bool
	}{
		{grid.Rect{MinX: -1000, MinY: -1000, MaxX: 99, MaxY: 99}, true}, // 10,000 cells inside of the bounds
		{grid.Rect{MinX: 0, MinY: 0, MaxX: 20_000, MaxY: AreaLimit/20_001 + 1}, false},
		{grid.Rect{MinX: 0, MinY: 0, MaxX: 1 << 40, MaxY: 7}, true},
	} {
		if n, err := dense.Sum(Box(c.box), Categories{}); (err == nil) != c.fits || c.fits && n < p.model().in(c.box, Categories{}) {
			t.Errorf("%v: %d, %v", c.box, n, err)
		}
	}
	for _, params := range []Params{{}, {Dense: true}, {Dense: true, Levels: 3}} {
		v := made(params, nil)
		for _, area := range []Area{Box(grid.MaxRect()), NewPolygon(world).Area()} {
			sum, hot, top := must(v.Sum(area, Categories{})), must(v.Hotspots(area, 1, Categories{})), must(v.TopK(area, 5, Categories{}))
			if sum != 0 || len(hot) > 0 || len(top) > 0 {
				t.Errorf("an empty sketch: %d, %v, %v", sum, hot, top)
			}
		}
	}
	for _, v := range []*View{exact, dense, levels} {
		for _, b := range []grid.Rect{{MinX: 3, MinY: 3, MaxX: 2, MaxY: 9}, {MinX: -9, MinY: -9, MaxX: -1, MaxY: 99}} {
			if hot, top := must(v.Hotspots(Box(b), 1, Categories{})), must(v.TopK(Box(b), 5, Categories{})); len(hot)+len(top) > 0 {
				t.Errorf("%v: %v, %v", b, hot, top)
			}
		}
	}
	bad := NewPolygon(orb.MultiPolygon{{{{0, 0}, {math.NaN(), 1}, {1, 1}, {0, 0}}}})
	for name, params := range forms() {
		v := made(params, p[:1])
		for range 2 {
			_, ofSum := v.Sum(bad.Area(), Categories{})
			_, ofEstimate := v.Estimate(bad.Area(), Categories{})
			if !errors.Is(ofSum, grid.ErrNotFinite) || !errors.Is(ofEstimate, grid.ErrNotFinite) {
				t.Errorf("%s: a polygon with NaN: %v, %v", name, ofSum, ofEstimate)
			}
		}
	}
	var h Head
	if _, err := h.parse([]byte("no sketch")); !errors.Is(err, sketch.ErrInvalid) {
		t.Errorf("a head of no sketch: %v", err)
	}
	// All counters of a large sketch, large enough for such lists, hold something.
	full := made(Params{Dense: true, Widths: []int{8}, Counters: []uint64{1 << 18}, K: 1}, p)
	for i := range full.counters.Counters.Body {
		full.counters.Counters.Body[i] = 2
	}
	box := Box(grid.Rect{MaxX: 1999, MaxY: 999})
	if _, err := full.Hotspots(box, 1, Categories{}); !errors.Is(err, ErrSpots) {
		t.Errorf("2,000,000 cells: %v", err)
	}
	if got := must(full.TopK(box, MaxSpots, Categories{})); len(got) != MaxSpots || got[MaxSpots-1].Cell != (grid.Cell{X: 1999, Y: 499}) {
		t.Errorf("%d of 2,000,000 equal cells", len(got))
	}
	one := must(New(Params{Res: 1}))
	noError(t, one.Add(grid.Cell{}, nil, math.MaxUint64))
	if most := must(NewView(one.Blob())); len(must(most.Hotspots(box, math.MaxUint64, Categories{}))) != 1 {
		t.Error("a cell that counts 2^64-1 is not found")
	}
	for _, v := range []*View{exact, dense} {
		if got, err := v.Hotspots(box, 0, Categories{}); !errors.Is(err, ErrSpots) || got != nil {
			t.Errorf("threshold 0: %v, %v", got, err)
		}
		for _, k := range []int{0, -1, MaxSpots + 1} {
			if got, err := v.TopK(box, k, Categories{}); !errors.Is(err, ErrSpots) || got != nil {
				t.Errorf("k of %d: %v, %v", k, got, err)
			}
		}
	}
}

// TestLimitsTogether: questions of one caller count together where it says so, and not otherwise.
func TestLimitsTogether(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{}, plain}, 2)
	p.add(spot{grid.Cell{X: 99, Y: 99}, plain}, 4)
	var tooMany *ErrTooManyCells
	for what, c := range map[string]struct {
		params Params
		ask    func(v *View) error
	}{
		"cells":           {Params{Dense: true}, func(v *View) error { return limited(v, grid.MaxRect(), nil)["box"]() }},
		"pixels":          {Params{Dense: true}, func(v *View) error { return v.Raster(make([]uint64, 4), kit.Bound(0, 0, 100, 100), 2, 2, Categories{}) }},
		"squares":         {Params{Dense: true, Levels: 5}, func(v *View) error { return limited(v, grid.MaxRect(), nil)["hotspots"]() }},
		"a sum of levels": {Params{Dense: true, Levels: 5}, func(v *View) error { return limited(v, grid.MaxRect(), nil)["box"]() }},
	} {
		blob := blobOf(t, builderOf(t, config(t, c.params), p))
		v, alone := viewOf(t, blob), viewOf(t, blob)
		v.head.Limit.Together()
		noError(t, c.ask(v))
		took := v.head.Limit.Covered
		v.head.Limit.Covered = AreaLimit
		if err := c.ask(v); !errors.As(err, &tooMany) {
			t.Errorf("%s, with no lookups left: %v", what, err)
		}
		v.head.Limit.Covered = AreaLimit - took*5/2 // two fit
		for i := range 4 {
			noError(t, v.Reset(blob))
			if err := c.ask(v); (err == nil) != (i < 2) || err != nil && !errors.As(err, &tooMany) {
				t.Errorf("%s, question %d: %v", what, i, err)
			}
			if err := c.ask(alone); err != nil || alone.head.Limit.Covered != 0 {
				t.Errorf("%s, question %d alone: %v", what, i, err)
			}
		}
		v.head.Limit.Together()
		if err := c.ask(v); err != nil {
			t.Errorf("%s, of the next chunk: %v", what, err)
		}
	}
	// The rows of a polygon count once. For very many, the size of the polygon says how many cells it has.
	p.add(spot{grid.Cell{X: 20_000, Y: 20_000}, plain}, 4)
	exact := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), p)))
	high := NewPolygon(orb.MultiPolygon{{{{0, 0}, {1, 0}, {1, 2e8}, {0, 2e8}, {0, 0}}}})
	if e, err := exact.Estimate(high.Area(), Categories{}); err != nil || e.Cells != 2e8 {
		t.Errorf("2e8 rows: %v, %v", e, err)
	}
	exact.head.Limit.Together()
	asked := NewPolygon(orb.MultiPolygon{{{{0, 0}, {1, 0}, {1, 1e6}, {0, 1e6}, {0, 0}}}})
	for range 5 {
		if e, err := exact.Estimate(asked.Area(), Categories{}); err != nil || e != (Estimate{2, 2, 2, true, 1e6}) || exact.head.Limit.Covered < 1e6 || exact.head.Limit.Covered > 4e6 {
			t.Errorf("%+v after %d, %v", e, exact.head.Limit.Covered, err)
		}
	}
}
