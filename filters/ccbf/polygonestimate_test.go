package ccbf

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/paulmach/orb"
)

// side is the width of the maps here in cells.
const side = 80

// counted is a map: how many points each of its occupied cells holds, 800 of the
// 6,400. Half of them are in a town of 900 cells.
func counted(r *rand.Rand, count func() uint64) map[spot]uint64 {
	m := map[spot]uint64{}
	for len(m) < 800 {
		c := grid.Cell{X: r.Int64N(side), Y: r.Int64N(side)}
		if len(m)%2 == 0 {
			c = grid.Cell{X: 25 + r.Int64N(30), Y: 25 + r.Int64N(30)}
		}
		if s := (spot{c, plain}); m[s] == 0 {
			m[s] = count()
		}
	}
	return m
}

// skewed returns random counts like those of the UK file at 0.01. Half of the cells have 4 points
// or fewer. One in a hundred has some hundreds.
func skewed(r *rand.Rand) func() uint64 {
	return func() uint64 { return uint64(math.Pow(1-r.Float64(), -1.2)) }
}

func uniform(r *rand.Rand) func() uint64 {
	return func() uint64 { return 1 + r.Uint64N(4) }
}

// streamed are the points of a map in the order in which they come.
func streamed(r *rand.Rand, m map[spot]uint64) points {
	var p points
	for _, s := range sortedSpots(m) {
		for n := m[s]; n > 0; {
			part := min(n, 1+m[s]/20)
			p.add(s, part)
			n -= part
		}
	}
	return p.shuffled(r)
}

// built makes sketches of maps.
var built = []struct {
	name  string
	mode  Mode
	make  func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View
	exact bool // whether estimates are right on average
}{
	{"standard", Standard, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		return viewOf(t, blobOf(t, builderOf(t, c, streamed(r, m))))
	}, true},
	{"mi, of exact counts", MinimalIncrement, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		sections := sectionsOf(m)
		s := &Sketch{Config: c, TotalKnown: true, bounds: sections.Bounds(), dense: counters.Maxima(c.counters(), sections)}
		for _, n := range m {
			s.Total += n
		}
		return viewOf(t, s.Blob())
	}, true},
	{"mi, streamed", MinimalIncrement, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		return viewOf(t, blobOf(t, builderOf(t, c, streamed(r, m))))
	}, false},
	{"mi, united", MinimalIncrement, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		all, parts := NewBuilder(c, nil), make([]points, 3)
		for _, o := range streamed(r, m) {
			i := r.IntN(len(parts))
			parts[i] = append(parts[i], o)
		}
		for _, p := range parts {
			noError(t, all.AddView(viewOf(t, blobOf(t, builderOf(t, c, p)))))
		}
		return viewOf(t, blobOf(t, all))
	}, false},
}

// sizes are shapes of sketches of such maps, from nearly empty to nearly full.
var sizes = []Params{
	{K: 8, Widths: []int{16, 16}, Counters: []uint64{11264, 704}}, // the paper's 14 counters a cell
	{K: 8, Widths: []int{16, 16}, Counters: []uint64{2816, 176}},
	{Widths: []int{4, 8, 16, 32}, Counters: []uint64{4864, 608, 76, 19}},
	{Widths: []int{8, 16, 32}, Counters: []uint64{4864, 304, 19}},
	{Widths: []int{4, 8, 16, 32}, Counters: []uint64{1024, 128, 16, 2}},
	{K: 2, Widths: []int{8, 16, 32}, Counters: []uint64{2048, 128, 8}},
	{K: 1, Widths: []int{32}, Counters: []uint64{2048}},
	{Widths: []int{4, 8, 16, 32}, Counters: []uint64{8192, 1024, 128, 16}, Levels: 5},
}

// spotSum is the sum over the cells of a map that judge finds inside.
func spotSum(m map[spot]uint64, g grid.Grid, mp orb.MultiPolygon) (sum float64) {
	for s, n := range m {
		if inside(mp, g, s.Cell) {
			sum += float64(n)
		}
	}
	return sum
}

// TestIntervalsHoldTheTruth: over the seeds of the hash, intervals hold the truth with the stated
// probability. Areas are single cells, with and without points, and polygons of all kinds; sketches
// have all modes and sizes. The polygons of one sketch may all miss together. So the fraction of
// misses of n sketches deviates by sqrt(0.05*0.95/n). It may exceed the stated one by 4 of that.
func TestIntervalsHoldTheTruth(t *testing.T) {
	seeds := 5
	switch {
	case os.Getenv("CCBF_LONG") != "":
		seeds = 14
	case testing.Short():
		seeds = 3
	}
	bound := orb.Bound{Min: orb.Point{0, 0}, Max: orb.Point{side, side}}
	sketches, missed := 0.0, 0.0
	for _, b := range built {
		some, misses := 0.0, 0.0
		for i, params := range sizes {
			for seed := range uint64(2 * seeds) {
				r := rand.New(rand.NewPCG(230, seed))
				m := counted(r, skewed(r))
				if seed%2 == 0 {
					m = counted(r, uniform(r))
				}
				params.Mode, params.Dense, params.Seed = b.mode, true, seed
				v := b.make(t, config(t, params), r, m)
				spots := sortedSpots(m)
				asked := []orb.MultiPolygon{cellSquare(spots[r.IntN(len(spots))].Cell), cellSquare(grid.Cell{X: r.Int64N(side), Y: r.Int64N(side)})}
				for _, kind := range polygons.Kinds {
					asked = append(asked, polygons.Random(r, kind, bound))
				}
				some++
				for _, mp := range asked {
					truth := spotSum(m, v.Grid, mp)
					e, sum := must(v.Estimate(NewPolygon(mp).Area(), Categories{})), must(v.Sum(NewPolygon(mp).Area(), Categories{}))
					if e.Value < float64(e.Low) || e.Value > float64(e.High) || e.High > sum || e.Certain {
						t.Fatalf("%s, size %d: %+v of a sum of %v", b.name, i, e, sum)
					}
					if truth < float64(e.Low) || truth > float64(e.High) {
						misses += 1 / float64(len(asked))
					}
				}
			}
		}
		t.Logf("%s: %.2f%% of the intervals miss", b.name, 100*misses/some)
		if most := 0.05 + 4*math.Sqrt(0.05*0.95/some); misses/some > most {
			t.Errorf("%s: %.3f of the intervals miss, more than %.3f", b.name, misses/some, most)
		}
		sketches, missed = sketches+some, missed+misses
	}
	if most := 0.05 + 4*math.Sqrt(0.05*0.95/sketches); missed/sketches > most {
		t.Errorf("%.3f of all intervals miss, more than %.3f", missed/sketches, most)
	}
}

// cellSquare is the polygon around a cell of side 1.
func cellSquare(c grid.Cell) orb.MultiPolygon {
	x, y := float64(c.X), float64(c.Y)
	return orb.MultiPolygon{{{{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}, {x, y}}}}
}

// meanAndError is the mean of x and its standard error.
func meanAndError(x []float64) (mean, err float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		err += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(err / float64(len(x)-1) / float64(len(x)))
}

// TestEstimatesThatAreExact: an exact sketch answers exactly, and so do counters without
// collisions. Cells are those whose centres are inside, with points or without.
func TestEstimatesThatAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(250, 0))
	p := streamed(r, counted(r, uniform(r)))
	exact := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), p)))
	none := viewOf(t, blobOf(t, NewBuilder(config(t, Params{Dense: true}), nil)))
	dense := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), p)))
	if !exact.IsExact() || dense.IsExact() {
		t.Fatal("not the forms meant")
	}
	bound := orb.Bound{Min: orb.Point{-20, -20}, Max: orb.Point{side, side}}
	for i := range 140 {
		mp := polygons.Random(r, polygons.Kinds[i%len(polygons.Kinds)], bound)
		cells := uint64(0)
		b := mp.Bound()
		box := must(exact.Grid.Box(b.Min[0]-1, b.Min[1]-1, b.Max[0]+1, b.Max[1]+1))
		for y := box.MinY; y <= box.MaxY; y++ {
			for x := box.MinX; x <= box.MaxX; x++ {
				if inside(mp, exact.Grid, grid.Cell{X: x, Y: y}) {
					cells++
				}
			}
		}
		asked := NewPolygon(mp)
		sum := must(exact.Sum(asked.Area(), Categories{}))
		if got := must(exact.Estimate(asked.Area(), Categories{})); got != (Estimate{float64(sum), sum, sum, true, cells}) {
			t.Fatalf("polygon %d: %+v, want %v in %d cells", i, got, sum, cells)
		}
		if got := must(none.Estimate(asked.Area(), Categories{})); got != (Estimate{Cells: cells}) {
			t.Fatalf("polygon %d of an empty sketch: %+v, want %d cells", i, got, cells)
		}
		// A mebibyte for 800 cells: nothing collides.
		if got := must(dense.Estimate(asked.Area(), Categories{})); got != (Estimate{float64(sum), sum, sum, false, cells}) {
			t.Fatalf("polygon %d of a large sketch: %+v, want %v in %d cells", i, got, sum, cells)
		}
	}
	// On another grid the same polygon has other cells.
	asked := NewPolygon(orb.MultiPolygon{{{{0, 0}, {10, 0}, {10, 10}, {0, 10}, {0, 0}}}})
	for _, c := range []struct {
		res   float64
		cells uint64
	}{{1, 100}, {2, 25}, {0.5, 400}} {
		v := viewOf(t, blobOf(t, NewBuilder(config(t, Params{Res: c.res}), nil)))
		if got := must(v.Estimate(asked.Area(), Categories{})); got != (Estimate{Certain: true, Cells: c.cells}) {
			t.Errorf("resolution %v: %+v", c.res, got)
		}
	}
}

// A question with a category is about that category, one without about all: the
// surpluses are the same.
func TestEstimatesOfCategories(t *testing.T) {
	r := rand.New(rand.NewPCG(251, 0))
	whole := NewPolygon(orb.MultiPolygon{{{{0, 0}, {side, 0}, {side, side}, {0, side}, {0, 0}}}})
	for _, mode := range []Mode{Standard, MinimalIncrement} {
		var p points
		for range 3000 {
			p.add(spot{grid.Cell{X: r.Int64N(side), Y: r.Int64N(side)}, categories[r.IntN(2)]}, 1+r.Uint64N(5))
		}
		truth := map[string]float64{}
		for _, o := range p {
			truth[o.category] += float64(o.n)
			truth["of all"] += float64(o.n)
		}
		v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Mode: mode, Categories: true, Totals: true, Bytes: 1 << 14}), p)))
		for _, category := range [][]byte{[]byte(categories[0]), []byte(categories[1]), nil} {
			e, sum := must(v.Estimate(whole.Area(), Of(category))), float64(must(v.Sum(whole.Area(), Of(category))))
			want := truth["of all"]
			if category != nil {
				want = truth[string(category)]
			}
			if want < float64(e.Low) || want > float64(e.High) || math.Abs(e.Value-want) > (sum-want)/4 {
				t.Errorf("%v, category %q: %+v, the truth %v, the sum %v", mode, category, e, want, sum)
			}
		}
	}
}

// After an intersection or a mask nothing tells how far a sum is off downwards.
func TestEstimatesAfterSetOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(252, 0))
	whole := orb.MultiPolygon{{{{0, 0}, {side, 0}, {side, side}, {0, side}, {0, 0}}}}
	for _, mode := range []Mode{Standard, MinimalIncrement} {
		c := config(t, Params{Dense: true, Mode: mode, Bytes: 1 << 14})
		for name, f := range map[string]func(a, b *Sketch) error{"intersection": (*Sketch).Intersect, "mask": (*Sketch).Mask} {
			a, b := counted(r, skewed(r)), counted(r, skewed(r))
			s, o := sketchOf(t, c, streamed(r, a)), sketchOf(t, c, streamed(r, b))
			noError(t, f(s, o))
			truth := 0.0
			for at, n := range a {
				if m := b[at]; name == "mask" && m > 0 {
					truth += float64(n)
				} else {
					truth += float64(min(n, m))
				}
			}
			v := viewOf(t, s.Blob())
			if e := must(v.Estimate(NewPolygon(whole).Area(), Categories{})); e.Low != 0 || float64(e.High) < truth {
				t.Errorf("%v, %s: %+v, the truth %v", mode, name, e, truth)
			}
		}
	}
}

func TestEstimateLimits(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{}, plain}, 2)
	p.add(spot{grid.Cell{X: 20_000, Y: 20_000}, plain}, 4)
	exact := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), p)))
	dense := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), p)))
	high := orb.MultiPolygon{{{{0, 0}, {1, 0}, {1, 2e8}, {0, 2e8}, {0, 0}}}}
	wide := orb.MultiPolygon{{{{0, 0}, {2e4, 0}, {2e4, 2e4}, {0, 2e4}, {0, 0}}}}
	var tooMany *ErrTooManyCells
	if _, err := exact.Estimate(NewPolygon(high).Area(), Categories{}); !errors.As(err, &tooMany) {
		t.Errorf("2e8 rows: %v", err)
	}
	if e, err := exact.Estimate(NewPolygon(wide).Area(), Categories{}); err != nil || e != (Estimate{2, 2, 2, true, 4e8}) {
		t.Errorf("4e8 cells of an exact sketch: %+v, %v", e, err)
	}
	if _, err := dense.Estimate(NewPolygon(wide).Area(), Categories{}); !errors.As(err, &tooMany) {
		t.Errorf("4e8 cells of a dense sketch: %v", err)
	}
	if _, err := exact.Estimate(NewPolygon(orb.MultiPolygon{{{{0, 0}, {math.NaN(), 1}, {1, 1}, {0, 0}}}}).Area(), Categories{}); !errors.Is(err, grid.ErrNotFinite) {
		t.Errorf("a polygon with NaN: %v", err)
	}
	// Rows count together where the caller says so, once for a polygon.
	exact.limitAreas()
	asked := NewPolygon(orb.MultiPolygon{{{{0, 0}, {1, 0}, {1, 1e6}, {0, 1e6}, {0, 0}}}})
	for range 5 {
		if e, err := exact.Estimate(asked.Area(), Categories{}); err != nil || e != (Estimate{2, 2, 2, true, 1e6}) || exact.head.Limit.Covered < 1e6 || exact.head.Limit.Covered > 4e6 {
			t.Errorf("%+v after %d, %v", e, exact.head.Limit.Covered, err)
		}
	}
}

// TestEstimatesOverSeeds checks estimates of the whole map, before they are limited to the interval. If
// counters are sums, or maxima of exact counts, the mean over the seeds of the hash is the truth. Otherwise
// the truth lies between the means by both models. The tolerance is 5 sigma of the mean.
func TestEstimatesOverSeeds(t *testing.T) {
	seeds := 20
	if testing.Short() {
		seeds = 6
	}
	whole := NewPolygon(orb.MultiPolygon{{{{0, 0}, {side, 0}, {side, side}, {0, side}, {0, 0}}}})
	for _, b := range built {
		for i, params := range sizes {
			var bySum, byLarger []float64 // estimates less the truth
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(240, seed))
				m := counted(r, skewed(r))
				params.Mode, params.Dense, params.Seed = b.mode, true, seed
				v := b.make(t, config(t, params), r, m)
				var rs noise.Histogram
				must(v.Head.meets(whole.Area()))
				must(countersOf(v).AreaSums(outline{whole.on, whole}, Categories{}, rs.Add))
				truth, _ := v.Total()
				bySum = append(bySum, countersOf(v).Noise().Estimator(true).Sum(&rs)-float64(truth))
				byLarger = append(byLarger, countersOf(v).Noise().Estimator(false).Sum(&rs)-float64(truth))
			}
			low, slackLow := meanAndError(bySum)
			high, slackHigh := meanAndError(byLarger)
			if b.exact && b.mode == Standard {
				high, slackHigh = low, slackLow
			} else if b.exact {
				low, slackLow = high, slackHigh
			}
			if low > 5*slackLow || high < -5*slackHigh {
				t.Errorf("%s, size %d: estimates are off by %.1f ± %.1f to %.1f ± %.1f", b.name, i, low, slackLow, high, slackHigh)
			}
		}
	}
}
