package bridge

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// TestEstimatesOfCounters: in pictures of estimates, empty country is empty for any noise. Pixels
// with many points keep them, and the sum is right on average.
func TestEstimatesOfCounters(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 3))
	var pts []grid.Cell
	truth := map[grid.Cell]uint64{}
	for range 30_000 { // 12 towns in the western half of 256 x 256 cells
		town := r.IntN(12)
		c := grid.Cell{X: int64(10 + 20*(town%6) + int(r.NormFloat64()*3)), Y: int64(50 + 150*(town/6) + int(r.NormFloat64()*3))}
		pts = append(pts, c)
		truth[c]++
	}
	for _, c := range []grid.Cell{{X: 0, Y: 0}, {X: 255, Y: 255}} {
		pts = append(pts, c)
		truth[c]++
	}
	for name, params := range map[string]ccbf.Params{
		"maxima":   {Res: 1, Overflow: ccbf.ToCounters, Bytes: 1600},
		"mi":       {Res: 1, Dense: true, Bytes: 1 << 12},
		"standard": {Res: 1, Dense: true, Bytes: 1 << 12, Mode: ccbf.Standard},
		"levels":   {Res: 1, Dense: true, Bytes: 1 << 13, Levels: 2},
	} {
		for _, side := range []int{32, 256} { // pixels of 64 cells, and of one
			for most, what := range map[uint64]string{1 << 30: "whole", 1 << 13: "sampled"} {
				v := viewOf(t, params, pts)
				if v.Form() != ccbf.Dense {
					t.Fatalf("%s is %v", name, v.Form())
				}
				n := NoiseOf(v)
				box := kit.Bound(0, 0, 256, 256)
				counts, e := make([]float64, side*side), &Estimates{Values: make([]float64, side*side), Box: box, Width: side, Height: side}
				if _, err := AddDensity(v, counts, box, side, side, ccbf.Categories{}, most); err != nil {
					t.Fatal(err)
				}
				if _, err := e.Add(v, n, ccbf.Categories{}, most); err != nil {
					t.Fatal(err)
				}
				e.Finish()
				all := 0.0
				for _, x := range e.Values {
					all += x
				}
				// The whole picture has the noise of all cells. Two cells share counters and are
				// too high together, so the variance doubles. Noise alone is not drawn.
				if cells := float64(v.Bounds.Count()); name == "standard" && what == "whole" && all > 30_002+4*math.Sqrt(2*cells*n.model.Second) {
					t.Errorf("%s, %d pixels: %v of 30,002 points, deviation %v", name, side, all, math.Sqrt(2*cells*n.model.Second))
				}
				drawn, raw, empty, missing, large := 0, 0, 0, 0, 0
				per := 256 / side
				var occupied [4][4]bool // of squares of 64 cells, as the largest that are drawn
				for c := range truth {
					occupied[c.Y/64][c.X/64] = true
				}
				for i, x := range e.Values {
					points := 0.0
					for cy := range per {
						for cx := range per {
							points += float64(truth[grid.Cell{X: int64(i%side*per + cx), Y: int64(255 - i/side*per - cy)}])
						}
					}
					cell := grid.Cell{X: int64(i % side * per), Y: int64(255 - i/side*per)}
					switch {
					case !occupied[cell.Y/64][cell.X/64]:
						empty++
						if x > 0 {
							drawn++
						}
						if counts[i] > 0 {
							raw++
						}
					case points > 3*counters.Surest*math.Sqrt(float64(per*per)*n.model.Second):
						large++
						if x < points/3 {
							missing++
						}
					}
				}
				if name != "levels" && raw < empty/10 {
					t.Errorf("%s, %d pixels, %s: of %d empty pixels counts draw %d: no noise to take off", name, side, what, empty, raw)
				}
				if float64(drawn) > 0.001*float64(empty) {
					t.Errorf("%s, %d pixels, %s: %d of %d pixels of empty country are drawn, of counts %d", name, side, what, drawn, empty, raw)
				}
				if what == "whole" && side == 32 && name != "levels" && (large == 0 && name != "maxima" || missing > 0) {
					t.Errorf("%s, %d pixels, %s: %d of %d pixels with many points miss most of them", name, side, what, missing, large)
				}
			}
		}
	}
}

// TestEstimatesOfExact: exact sketches look as in a picture of counts, also beside counters.
func TestEstimatesOfExact(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 4))
	exact := viewOf(t, ccbf.Params{Res: 1}, kit.Hot(r, 2000, 500))
	dense := viewOf(t, ccbf.Params{Res: 1, Dense: true, Bytes: 1 << 10}, kit.Hot(r, 2000, 500))
	box := exact.Grid.Bound(exact.Bounds)
	if NoiseOf(exact) != nil || NoiseOf(dense) == nil {
		t.Error("noise is of dense sketches")
	}
	const side = 50
	counts := make([]float64, side*side)
	e := &Estimates{Values: make([]float64, side*side), Box: box, Width: side, Height: side}
	kit.NoError(t, exact.Density(counts, box, side, side, ccbf.Categories{}))
	for _, v := range []*ccbf.View{exact, dense} {
		if _, err := e.Add(v, NoiseOf(v), ccbf.Categories{}, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	e.Finish()
	for i, n := range counts {
		if e.Values[i] < n {
			t.Fatalf("pixel %d has %v of %v exact points", i, e.Values[i], n)
		}
	}
	if _, err := e.Add(dense, NoiseOf(dense), ccbf.Categories{}, 1<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := (&Estimates{Values: counts[:7], Box: box, Width: side, Height: side}).Add(dense, NoiseOf(dense), ccbf.Categories{}, 100); err == nil {
		t.Error("7 pixels for a picture of 2,500")
	}
}

// Points too scattered for single pixels to stand out are drawn in squares that do, and not outside
// of where they are.
func TestEstimatesOfScatteredPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 5))
	var pts []grid.Cell
	for range 20_000 { // over a quarter of 256 x 256 cells
		pts = append(pts, grid.Cell{X: r.Int64N(128), Y: 128 + r.Int64N(128)})
	}
	for range 20_000 { // a town, which fills counters
		pts = append(pts, grid.Cell{X: 240 + r.Int64N(16), Y: r.Int64N(16)})
	}
	v := viewOf(t, ccbf.Params{Res: 1, Dense: true, Bytes: 1 << 13, Levels: 6}, pts)
	const side = 256
	box := kit.Bound(0, 0, side, side)
	e := &Estimates{Values: make([]float64, side*side), Box: box, Width: side, Height: side}
	if _, err := e.Add(v, NoiseOf(v), ccbf.Categories{}, 1<<30); err != nil {
		t.Fatal(err)
	}
	e.Finish()
	inside, outside, drawn := 0.0, 0.0, 0
	for i, n := range e.Values {
		x, y := i%side, i/side
		switch {
		case x < 128 && y < 128:
			inside += n
			if n > 0 {
				drawn++
			}
		case x < 192 || y < 192: // the town is in the last corner
			outside += n
		}
	}
	if drawn < 128*128*9/10 || inside < 10_000 || inside > 30_000 {
		t.Errorf("%.0f of 20,000 points, in %d of %d pixels", inside, drawn, 128*128)
	}
	if outside > 400 {
		t.Errorf("%.0f points where there are none", outside)
	}
}

// TestDensityWithin: with few lookups, a picture of counters differs from a whole one only by
// chance, and is the same each time. With enough lookups it is the whole one.
func TestDensityWithin(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	for name, p := range map[string]ccbf.Params{
		"plain":  {Res: 1, Dense: true, Bytes: 1 << 16},
		"levels": {Res: 1, Dense: true, Bytes: 1 << 16, Levels: 2},
	} {
		v := viewOf(t, p, kit.Hot(r, 20_000, 2000))
		box := v.Grid.Bound(v.Bounds)
		const side = 16
		whole, some, again := make([]float64, side*side), make([]float64, side*side), make([]float64, side*side)
		kit.NoError(t, v.Density(whole, box, side, side, ccbf.Categories{}))
		if sampled, err := AddDensity(v, some, box, side, side, ccbf.Categories{}, 1<<30); err != nil || sampled {
			t.Fatalf("%s: sampled %v, %v, though all may be read", name, sampled, err)
		}
		if total(some) != total(whole) {
			t.Errorf("%s: %v, and %v with no limit", name, total(some), total(whole))
		}
		cells := v.Bounds.Count()
		for _, most := range []uint64{cells / 8, cells / 100} {
			clear(some)
			clear(again)
			sampled, err := AddDensity(v, some, box, side, side, ccbf.Categories{}, most)
			if err != nil || !sampled {
				t.Fatalf("%s: sampled %v, %v, with %d lookups for %d cells", name, sampled, err, most, cells)
			}
			// One of each of m equal parts of the cells is read, and a square has at least
			// leastReads. So the deviation is at most that of m cells drawn at random from all.
			var sum, squares float64
			for y := v.Bounds.MinY; y <= v.Bounds.MaxY; y++ {
				for x := v.Bounds.MinX; x <= v.Bounds.MaxX; x++ {
					n := float64(v.Count(grid.Cell{X: x, Y: y}, nil))
					sum, squares = sum+n, squares+n*n
				}
			}
			n := float64(cells)
			deviation := n * math.Sqrt((squares/n-sum*sum/n/n)/(float64(most)/8))
			if p.Levels == 0 && math.Abs(total(some)-sum) > 4*deviation {
				t.Errorf("%s: %d lookups: %v of %v, deviation %v", name, most, total(some), sum, deviation)
			}
			if _, err := AddDensity(v, again, box, side, side, ccbf.Categories{}, most); err != nil || total(again) != total(some) {
				t.Errorf("%s: %v, and again %v, %v", name, total(some), total(again), err)
			}
		}
	}
}

func total(values []float64) (n float64) {
	for _, v := range values {
		n += v
	}
	return n
}

// Nobody can make a picture take long by the bounds that a sketch says it has.
func TestDensityWithinIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 2))
	v := viewOf(t, ccbf.Params{Res: 1e-6, Dense: true, Bytes: 1 << 12}, kit.Hot(r, 1000, 100))
	v.Bounds, hidden.Reader(v).(*counters.Reader).Head.Bounds = grid.MaxRect(), grid.MaxRect()
	for _, b := range []grid.Rect{grid.MaxRect(), {MinX: -1 << 30, MinY: -5, MaxX: 1 << 30, MaxY: 5}} {
		dst := make([]float64, 64*64)
		if sampled, err := AddDensity(v, dst, v.Grid.Bound(b), 64, 64, ccbf.Categories{}, 10_000); err != nil || !sampled {
			t.Errorf("%v: sampled %v, %v", b, sampled, err)
		}
	}
}

// TestRasterBoth: two goroutines draw a large raster of counters as one does, and fail as one does.
func TestRasterBoth(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 12))
	points := make([]grid.Cell, 4000)
	for i := range points {
		points[i] = grid.Cell{X: int64(r.IntN(800)), Y: int64(r.IntN(30) * r.IntN(30))}
	}
	both := func(first, second func() error) (err error) {
		var all sync.WaitGroup
		var other error
		all.Go(func() { other = second() })
		err = first()
		all.Wait()
		return cmp.Or(err, other)
	}
	const width, height = 103, 67
	for _, levels := range []int{0, 3, 9} {
		v := viewOf(t, ccbf.Params{Res: 1, Dense: true, Bytes: 1 << 13, Levels: levels, Categories: true}, points)
		for _, of := range []ccbf.Categories{{}, ccbf.Of(key.AppendInt64(nil, 1))} {
			one, two := make([]uint64, width*height), make([]uint64, width*height)
			box := kit.Bound(-3, 5, 790, 812)
			kit.NoError(t, v.Raster(one, box, width, height, of))
			kit.NoError(t, Raster(v, two, box, width, height, of, both))
			if !slices.Equal(one, two) {
				t.Errorf("%d levels: two goroutines drew other pixels", levels)
			}
		}
		// As many rasters are allowed, whichever goroutine draws what.
		var tooMany *ccbf.ErrTooManyCells
		full := viewOf(t, ccbf.Params{Res: 1, Dense: true, Bytes: 1 << 9, Levels: levels}, points)
		for _, height := range []int{100, 700} {
			dst := make([]uint64, 900*height)
			err := full.Raster(dst, kit.Bound(0, 0, 800, 900), 900, height, ccbf.Categories{})
			if also := Raster(full, dst, kit.Bound(0, 0, 800, 900), 900, height, ccbf.Categories{}, both); errors.As(err, &tooMany) != errors.As(also, &tooMany) {
				t.Errorf("%d levels, %d lines: %v, but %v", levels, height, err, also)
			}
		}
	}
}
