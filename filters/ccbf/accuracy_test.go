package ccbf

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/paulmach/orb"
)

// side is the width in cells of the maps whose points are estimated.
const side = 80

// wholeMap is the polygon around all cells of such a map.
var wholeMap = orb.MultiPolygon{{{{0, 0}, {side, 0}, {side, side}, {0, side}, {0, 0}}}}

// spreads are how many points the cells of a map have.
var spreads = []func(r *rand.Rand) uint64{
	func(*rand.Rand) uint64 { return 1 },
	func(r *rand.Rand) uint64 { return 1 + r.Uint64N(4) },
	// Half of the cells have 4 points or fewer, one in a hundred has some hundreds.
	func(r *rand.Rand) uint64 { return min(uint64(math.Pow(1-r.Float64(), -1.2)), 5000) },
	func(r *rand.Rand) uint64 { return 1 + uint64(25*math.Exp(r.NormFloat64())) },
}

// counted is the points of a map in any order: 800 of its 6,400 cells have some. Half of these are in a
// town of 900 cells.
func counted(r *rand.Rand, count func(r *rand.Rand) uint64) points {
	var p points
	for occupied := map[grid.Cell]bool{}; len(occupied) < 800; {
		c := grid.Cell{X: r.Int64N(side), Y: r.Int64N(side)}
		if len(occupied)%2 == 0 {
			c = grid.Cell{X: 25 + r.Int64N(30), Y: 25 + r.Int64N(30)}
		}
		if occupied[c] {
			continue
		}
		occupied[c] = true
		for n := count(r); n > 0; n-- {
			p.add(spot{c, plain}, 1)
		}
	}
	return p.shuffled(r)
}

// way is how a dense sketch comes about.
type way func(t *testing.T, c Config, r *rand.Rand, p points) *View

var ways = []struct {
	name string
	mode Mode
	make way
}{
	{"standard", Standard, streamed},
	{"standard, halved", Standard, halved(streamed)},
	{"maxima", MinimalIncrement, maxima},
	{"maxima, halved", MinimalIncrement, halved(maxima)},
	{"streamed", MinimalIncrement, streamed},
	{"streamed cell by cell", MinimalIncrement, cellByCell},
	{"streamed, halved", MinimalIncrement, halved(streamed)},
	{"3 united", MinimalIncrement, unitedOf(3, streamed)},
	{"8 of maxima united", MinimalIncrement, unitedOf(8, maxima)},
	{"8 united, halved", MinimalIncrement, halved(unitedOf(8, streamed))},
}

func streamed(t *testing.T, c Config, _ *rand.Rand, p points) *View {
	return viewOf(t, blobOf(t, builderOf(t, c, p)))
}

func cellByCell(t *testing.T, c Config, r *rand.Rand, p points) *View {
	p, order := slices.Clone(p), model{}
	for _, o := range p {
		if order[o.spot] == 0 {
			order[o.spot] = r.Uint64()
		}
	}
	slices.SortStableFunc(p, func(a, b occurrences) int { return cmp.Compare(order[a.spot], order[b.spot]) })
	return streamed(t, c, r, p)
}

func maxima(t *testing.T, c Config, _ *rand.Rand, p points) *View {
	sections := sectionsOf(p.model())
	s := &Sketch{Config: c, TotalKnown: true, bounds: sections.Bounds(), dense: counters.FromList(c.counters(), sections), Total: sections.Total()}
	return viewOf(t, s.Blob())
}

// halved halves the counters of a sketch if their number is even.
func halved(of way) way {
	return func(t *testing.T, c Config, r *rand.Rand, p points) *View {
		s := must(of(t, c, r, p).Sketch())
		_ = s.Fold(mostHead(s.shape.Layers) + s.shape.Bytes()*3/5)
		return viewOf(t, s.Blob())
	}
}

func unitedOf(n int, of way) way {
	return func(t *testing.T, c Config, r *rand.Rand, p points) *View {
		parts, all := make([]points, n), NewBuilder(c, nil)
		for _, o := range p {
			i := r.IntN(n)
			parts[i] = append(parts[i], o)
		}
		for _, p := range parts {
			noError(t, all.AddView(of(t, c, r, p)))
		}
		return viewOf(t, blobOf(t, all))
	}
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

// TestEstimatesOverSeeds checks estimates of the whole map, before they are limited to the interval. If the
// sketch says that it is unbiased, their mean over the seeds of the hash is the truth, within 5 standard
// errors. Otherwise it is off by less than the sum, and the truth lies between the means by both models.
// 95 of 100 intervals hold the truth, within 4 standard deviations. Those of unbiased sketches are on
// average at most 1.5 times as wide as those of a normal distribution with the measured spread.
func TestEstimatesOverSeeds(t *testing.T) {
	const seeds = 8
	// The inverse of a deviation that is measured from 8 normal values is too large by this factor on average.
	// It is the square root of 7/2, times Gamma(3) / Gamma(7/2).
	const inverseOfSpread = 1.1259
	shapes := []Params{ // from nearly empty to nearly full
		{K: 8, Widths: []int{16, 16}, Counters: []uint64{11264, 704}}, // the paper's 14 counters a cell
		{Widths: []int{8, 16, 32}, Counters: []uint64{5120, 320, 20}},
		{Widths: []int{4, 8, 16, 32}, Counters: []uint64{1024, 128, 16, 2}},
		{K: 1, Widths: []int{32}, Counters: []uint64{2048}},
		{Widths: []int{4, 8, 16, 32}, Counters: []uint64{8192, 1024, 128, 16}, Levels: 5},
		{K: 8, Widths: []int{16, 16}, Counters: []uint64{2816, 176}},
		{Widths: []int{4, 8, 16, 32}, Counters: []uint64{5120, 640, 80, 20}},
		{K: 2, Widths: []int{8, 16, 32}, Counters: []uint64{2048, 128, 8}},
	}
	if testing.Short() {
		shapes = shapes[:5]
	}
	whole := NewPolygon(wholeMap)
	said, missed, intervals := 0, 0, 0.0
	var wide []float64
	for _, way := range ways {
		for i, params := range shapes {
			width := 0.0
			var off, bySum, byLarger []float64 // estimates less the truth
			sum, total, unbiased := 0.0, 0.0, true
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(240, seed))
				params.Mode, params.Dense, params.Seed = way.mode, true, seed
				v := way.make(t, config(t, params), r, counted(r, spreads[1+seed%2]))
				var rs noise.Histogram
				must(whole.descend(v.Grid))
				must(countersOf(v).AreaSums(outline{whole.on, whole}, Categories{}, rs.Add))
				n, _ := v.Total()
				truth, model := float64(n), countersOf(v).Noise()
				value, from, to := model.Estimate(&rs, rs.Sum())
				if intervals++; truth < from || truth > to {
					missed++
				}
				width += (to - from) / seeds
				off = append(off, value-truth)
				bySum = append(bySum, model.Sums.Sum(&rs)-truth)
				byLarger = append(byLarger, cmp.Or(model.Larger, model.Sums).Sum(&rs)-truth)
				sum, total = sum+rs.Sum()/seeds, total+truth/seeds
				unbiased = unbiased && v.Info().Unbiased
			}
			mean, sigma := meanAndError(off)
			low, slackLow := meanAndError(bySum)
			high, slackHigh := meanAndError(byLarger)
			what := fmt.Sprintf("%s, shape %d: off by %.0f ± %.0f of %.0f, the sum by %.0f", way.name, i, mean, sigma, total, sum-total)
			switch {
			case unbiased:
				said++
				if math.Abs(mean) > 5*sigma {
					t.Error(what)
				}
				if params.Levels == 0 {
					wide = append(wide, width/(2*1.96*sigma*math.Sqrt(seeds))/inverseOfSpread)
				}
			case math.Abs(mean) > sum-total+5*sigma:
				t.Error(what)
			case low > 5*slackLow || high < -5*slackHigh:
				t.Errorf("%s; by sums %.1f ± %.1f, by the larger of both %.1f ± %.1f", what, low, slackLow, high, slackHigh)
			}
		}
	}
	if mean, _ := meanAndError(wide); mean > 1.5 {
		t.Errorf("intervals are %.2f times as wide as those of a normal distribution", mean)
	} else {
		t.Logf("%d of %v intervals miss, width %.2f", missed, intervals, mean)
	}
	if float64(missed) > 0.05*intervals+4*math.Sqrt(0.05*0.95*intervals) {
		t.Errorf("%d of %v intervals miss", missed, intervals)
	}
	if said < 2*len(shapes) {
		t.Errorf("only %d are said to be unbiased", said)
	}
}

// TestIntervalsOfFewCounters: 95 of 100 intervals hold the truth, within 4 standard deviations, if large counts reach
// layers of a few counters. Each sketch gives one interval. Intervals end below the total.
func TestIntervalsOfFewCounters(t *testing.T) {
	missed := map[string]int{}
	const sketches = 100 // of each kind
	for seed := range uint64(4 * sketches) {
		r := rand.New(rand.NewPCG(45, seed))
		p := Params{Dense: true, Mode: Mode(seed % 2), Seed: seed, Bytes: 600 + r.Uint64N(4000), Levels: 4 * r.IntN(2)}
		kind, cells, count := p.Mode.String(), 300, func(int) uint64 { return upTo(r, 1e8) }
		if seed%4 < 2 { // hardly a counter is 0
			kind += ", full"
			p.Bytes, p.Levels, cells, count = 600, 0, 2000, func(rank int) uint64 { return 1 + 1000/uint64(1+rank) }
		}
		var all points
		for i := range cells {
			all.add(spot{grid.Cell{X: r.Int64N(100), Y: r.Int64N(100)}, plain}, count(i))
		}
		v := streamed(t, config(t, p), r, all.shuffled(r))
		x, y := r.Int64N(100), r.Int64N(100)
		box := grid.Rect{MinX: x, MinY: y, MaxX: x + r.Int64N(100), MaxY: y + r.Int64N(100)}
		e, truth := must(v.Estimate(Box(box), Categories{})), all.model().in(box, Categories{})
		if truth < e.Low || truth > e.High {
			missed[kind]++
		}
		if total, _ := v.Total(); e.High > total || e.Value > float64(total) {
			t.Errorf("seed %d: %+v in a sketch of %d points", seed, e, total)
		}
	}
	for kind, n := range missed {
		if float64(n) > 0.05*sketches+4*math.Sqrt(0.05*0.95*sketches) {
			t.Errorf("%s: %d of %d intervals miss", kind, n, sketches)
		}
	}
}

// randomCounters is a sketch with counters of any shape, load and weights, saturated or not.
type randomCounters struct {
	way    string
	params Params
	view   *View
	truth  model
	side   int64
}

// upTo is a number from 1 to most, small ones as likely as large ones.
func upTo(r *rand.Rand, most float64) uint64 { return uint64(math.Exp(r.Float64() * math.Log(most))) }

func newRandomCounters(t *testing.T, r *rand.Rand) *randomCounters {
	t.Helper()
	way := ways[r.IntN(len(ways))]
	widths := [][]int{{2, 2}, {4}, {8}, {12}, {16}, {32}, {4, 8}, {4, 4, 4}, {16, 16}, {8, 16, 32}, {4, 8, 16, 32}}
	p := Params{Dense: true, Seed: r.Uint64N(1000), K: 1 + r.IntN(8), Widths: widths[r.IntN(len(widths))], Mode: way.mode}
	// From the last layer to the first, of which each is a multiple.
	n := upTo(r, 64)
	for range p.Widths {
		p.Counters = append(p.Counters, n)
		n *= 2 + r.Uint64N(16)
	}
	slices.Reverse(p.Counters)
	if len(p.Widths) == 1 {
		p.Counters[0] = upTo(r, 30_000)
	}
	s := &randomCounters{way: way.name, params: p, side: int64(2 + upTo(r, 100))}
	count := [](func() uint64){
		func() uint64 { return 1 },
		func() uint64 { return 1 + upTo(r, 1000) },
		func() uint64 { return 10 },
	}[r.IntN(3)]
	var all points
	for i := range min(upTo(r, 1500), uint64(s.side*s.side)) {
		c := grid.Cell{X: r.Int64N(s.side), Y: r.Int64N(s.side)}
		weight := count()
		if i == 0 && r.IntN(3) == 0 {
			weight = upTo(r, 100_000) // one giant
		}
		all.add(spot{c, plain}, weight)
	}
	s.truth, s.view = all.model(), way.make(t, config(t, p), r, all)
	return s
}

// areas returns areas to query with the points in each: cells with points, any cells, boxes and polygons.
func (s *randomCounters) areas(r *rand.Rand) (areas []Area, truth []uint64) {
	held := sortedSpots(s.truth)
	reach := orb.Bound{Max: orb.Point{float64(s.side), float64(s.side)}}
	for range 2 {
		at, anywhere := held[r.IntN(len(held))].Cell, grid.Cell{X: r.Int64N(s.side), Y: r.Int64N(s.side)}
		x, y := r.Int64N(s.side), r.Int64N(s.side)
		for _, box := range []grid.Rect{
			at.Square(0), anywhere.Square(0),
			{MinX: x, MinY: y, MaxX: x + r.Int64N(s.side-x), MaxY: y + r.Int64N(s.side-y)},
		} {
			areas, truth = append(areas, Box(box)), append(truth, s.truth.in(box, Categories{}))
		}
		mp := polygons.Random(r, polygons.Kinds[r.IntN(len(polygons.Kinds))], reach)
		areas, truth = append(areas, NewPolygon(mp).Area()), append(truth, s.truth.where(insideOf(mp, s.view.Grid), Categories{}))
	}
	return areas, truth
}

// isWithin reports whether x is from low to high. NaN is not.
func isWithin(x, low, high float64) bool { return x >= low && x <= high }

// TestIntervalsOfAnyCounters: for random counters of every way to make them, saturated or not, 95 of 100
// intervals hold the truth, within 4 standard deviations. No count is below it. The error of cells
// with points is unknown, or within a factor of 1.5 for 95 of 100 sketches. CCBF_SEED is the first
// seed, and CCBF_SKETCHES the number of sketches.
func TestIntervalsOfAnyCounters(t *testing.T) {
	type tally struct{ sketches, missed, errors, wrong float64 }
	tallies := map[string]*tally{}
	number := func(name string, usual uint64) uint64 {
		if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
			return n
		}
		return usual
	}
	usual := uint64(800)
	if testing.Short() {
		usual = 150
	}
	first := number("CCBF_SEED", 4402)
	for seed := first; seed < first+number("CCBF_SKETCHES", usual); seed++ {
		r := rand.New(rand.NewPCG(44, seed))
		s := newRandomCounters(t, r)
		areas, truths := s.areas(r)
		missed := 0.0
		for i, area := range areas {
			e, sum, truth := must(s.view.Estimate(area, Categories{})), must(s.view.Sum(area, Categories{})), truths[i]
			if sum < truth || e.Certain && e.Low != e.High || e.Value < float64(e.Low) || e.Value > float64(e.High) || e.High > sum {
				t.Fatalf("seed %d: %+v and a sum of %d for %d", seed, e, sum, truth)
			}
			if truth < e.Low || truth > e.High {
				if s.view.saturated() {
					t.Errorf("seed %d: %+v for %d, saturated", seed, e, truth)
				}
				missed += 1 / float64(len(areas))
			}
		}
		e, wrong := s.view.Error(), 0.0
		if e.Known {
			sum, squares, n := 0.0, 0.0, float64(len(s.truth))
			for c, n := range s.truth {
				excess := float64(s.view.Count(c.Cell, nil) - n)
				sum, squares = sum+excess, squares+excess*excess
			}
			// The measured value is a sample too, and a poor one if few cells have any excess.
			mean, chance := sum/n, 4*math.Sqrt(max(squares-sum*sum/n, 1))/n
			if s.view.saturated() || !isWithin(e.Occupied.Excess, (mean-chance)/1.5, 1.5*(mean+chance)) {
				wrong = 1
			}
		}
		for _, kind := range []string{"all", s.way, fmt.Sprintf("saturated %v, at least %d counters %v", s.view.saturated(), counters.LeastSample, s.params.Counters[0] >= counters.LeastSample)} {
			if tallies[kind] == nil {
				tallies[kind] = &tally{}
			}
			of := tallies[kind]
			of.sketches++
			if of.missed += missed; e.Known {
				of.errors++
				of.wrong += wrong
			}
		}
	}
	most := func(n float64) float64 { return 0.05*n + 4*math.Sqrt(0.05*0.95*n) }
	for kind, of := range tallies {
		t.Logf("%s: %.0f sketches, %.3f of intervals miss; %.0f of %.0f errors are wrong", kind, of.sketches, of.missed/of.sketches, of.wrong, of.errors)
		if of.missed > most(of.sketches) || of.wrong > most(of.errors) {
			t.Errorf("%s: too many", kind)
		}
	}
}

// TestErrorOfCellsWithPoints: Error is within a factor of 1.5 of the measured excess of cells with
// points, and 4 standard errors of that. The number of cells with an excess is within a factor of
// 1.6, and 4 standard errors of a count. Sketches have half a byte to ten bytes a cell and any
// origin.
func TestErrorOfCellsWithPoints(t *testing.T) {
	const cells = 2000
	sizes := []float64{1, 2, 4, 10}
	if testing.Short() {
		sizes = []float64{1, 4}
	}
	for _, way := range ways {
		for i, spread := range spreads {
			for _, size := range sizes {
				if size == 1 && !strings.Contains(way.name, "halved") {
					size = 0.5 // which halving leaves of it
				}
				what := fmt.Sprintf("%s, spread %d, %v bytes a cell", way.name, i, size)
				r := rand.New(rand.NewPCG(260, uint64(i)))
				var p points
				for c := range int64(cells) {
					for n := spread(r); n > 0; n-- {
						p.add(spot{grid.Cell{X: c}, plain}, 1)
					}
				}
				p = p.shuffled(r)
				v := way.make(t, config(t, Params{Dense: true, Mode: way.mode, Bytes: uint64(size * cells)}), r, p)
				e := v.Error()
				if !e.Known || e.Exact {
					t.Fatalf("%s: %+v", what, e)
				}
				wrong, sum, squares := 0.0, 0.0, 0.0
				for s, n := range p.model() {
					if x := float64(v.Count(s.Cell, nil) - n); x > 0 {
						wrong, sum, squares = wrong+1, sum+x, squares+x*x
					}
				}
				said, slack := e.Occupied.Probability*cells, 4*math.Sqrt(wrong)
				if !isWithin(said, (wrong-slack)/1.6, 1.6*(wrong+slack+8)) {
					t.Errorf("%s: %v cells too high, measured %v", what, said, wrong)
				}
				if wrong < 30 {
					continue // too few to know the mean and its error
				}
				mean := sum / cells
				slack = 4 * math.Sqrt((squares/cells-mean*mean)/cells)
				if said := e.Occupied.Excess; !isWithin(said, (mean-slack)/1.5, 1.5*(mean+slack)) {
					t.Errorf("%s: an excess of %v, measured %v", what, said, mean)
				}
			}
		}
	}
}

// TestErrorOfEmptyCells compares Error with the counts of absent cells within the bounds. The number of those
// with a count is binomial with the stated probability; their mean has the measured standard
// deviation. In mode standard, both are within 4 sigma and 3% of the estimate. The 3% are for
// positions of a key, which are distinct and follow from two numbers. Closer modes must be below.
func TestErrorOfEmptyCells(t *testing.T) {
	const asked = 200_000
	for _, c := range []struct {
		name   string
		params Params
		upper  bool // the estimate is only an upper one
	}{
		{"standard, sparse", Params{Dense: true, Mode: Standard, Bytes: 1 << 16}, false},
		{"standard, full", Params{Dense: true, Mode: Standard, Bytes: 1 << 13}, false},
		{"standard, k 2", Params{Dense: true, Mode: Standard, Bytes: 1 << 13, K: 2}, false},
		{"standard, k 8", Params{Dense: true, Mode: Standard, Bytes: 1 << 15, K: 8}, false},
		{"standard, packed", Params{Dense: true, Mode: Standard, Widths: []int{4, 12, 16}, Counters: []uint64{1 << 14, 1 << 12, 1 << 10}}, false},
		{"mi", Params{Dense: true, Bytes: 1 << 13}, true},
		{"maximum", Params{Bytes: 1 << 13, Overflow: ToCounters}, true},
	} {
		r := rand.New(rand.NewPCG(111, 0))
		p := hot(r, 20_000, 4000)
		if !c.params.Dense { // cells that do not fit
			p = scattered(r, 20_000, 4000)
		}
		p.add(spot{grid.Cell{X: 1 << 41, Y: asked}, plain}, 1) // cells outside of the bounds count 0
		v := viewOf(t, blobOf(t, builderOf(t, config(t, c.params), p)))
		e := v.Error().Empty
		wrong, sum, squares := 0.0, 0.0, 0.0
		for i := range int64(asked) {
			n := float64(v.Count(grid.Cell{X: 1<<40 + i, Y: i}, nil))
			if n > 0 {
				wrong++
			}
			sum, squares = sum+n, squares+n*n
		}
		mean := sum / asked
		check := func(what string, estimate, measured, sigma float64) {
			t.Helper()
			low, high := estimate*0.97-4*sigma, estimate*1.03+4*sigma
			if measured > high || !c.upper && measured < low {
				t.Errorf("%s: %s %v, measured %v, which is not within %v and %v", c.name, what, estimate, measured, low, high)
			}
		}
		check("probability", e.Probability, wrong/asked, math.Sqrt(e.Probability*(1-e.Probability)/asked))
		check("excess", e.Excess, mean, math.Sqrt((squares/asked-mean*mean)/asked))
	}
	// Values beyond the histogram of Error: its tail is an upper bound. With k = 1 the mean excess is the
	// mean of all counters.
	var p points
	for i := range int64(30) {
		p.add(spot{grid.Cell{X: i}, plain}, 5000+uint64(i)*1000)
	}
	v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Mode: Standard, K: 1, Widths: []int{32}, Counters: []uint64{100}}), p)))
	total, _ := v.Total()
	if e, want := v.Error().Empty, float64(total)/100; math.Abs(e.Excess-want) > want*1e-9 {
		t.Errorf("excess %v, want %v", e.Excess, want)
	}
}

// TestErrorUnknown: the error of cells with points is unknown after an intersection, and with levels.
func TestErrorUnknown(t *testing.T) {
	r := rand.New(rand.NewPCG(261, 0))
	p := counted(r, spreads[1])
	for _, mode := range []Mode{Standard, MinimalIncrement} {
		s := sketchOf(t, config(t, Params{Dense: true, Mode: mode, Bytes: 1000}), p)
		noError(t, s.Intersect(sketchOf(t, s.Config, p)))
		for name, v := range map[string]*View{
			"an intersection": viewOf(t, s.Blob()),
			"levels":          viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Mode: mode, Bytes: 1000, Levels: 2}), p))),
		} {
			if e := v.Error(); e.Known || e.Occupied != (Overcount{}) || e.Empty.Excess == 0 {
				t.Errorf("%v, %s: %+v", mode, name, e)
			}
		}
	}
}

func TestInfoAndErrorOfExactAndEmpty(t *testing.T) {
	r := rand.New(rand.NewPCG(112, 0))
	v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), hot(r, 100, 50))))
	if e := v.Error(); e != (Error{Exact: true, Certain: true, Known: true}) {
		t.Errorf("exact: %+v", e)
	}
	v = viewOf(t, blobOf(t, NewBuilder(config(t, Params{Dense: true}), nil)))
	if e := v.Error(); e != (Error{Known: true}) {
		t.Errorf("empty: %+v", e)
	}
	if i := v.Info(); i.Exact || i.Additive || i.Saturated || i.Fill != 0 || i.Cells != 0 {
		t.Errorf("empty: %+v", i)
	}
	// 7 keys of 3 counters each, all apart.
	cfg := config(t, Params{Dense: true, Mode: Standard, K: 3, Widths: []int{5, 9}, Counters: []uint64{1 << 20, 1 << 10}})
	var p points
	for i := range int64(7) {
		p.add(spot{grid.Cell{X: i}, plain}, 20)
	}
	i := viewOf(t, blobOf(t, builderOf(t, cfg, p))).Info()
	if i.Fill != 21.0/(1<<20) || !i.Additive || i.Exact || i.Saturated {
		t.Errorf("%+v", i)
	}
}

// TestEstimatesThatAreExact: an exact sketch answers exactly, and so do counters without
// collisions. Cells are those whose centres are inside, with points or without.
func TestEstimatesThatAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(250, 0))
	p := counted(r, spreads[1])
	exact := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), p)))
	none := viewOf(t, blobOf(t, NewBuilder(config(t, Params{Dense: true}), nil)))
	dense := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), p)))
	bound := orb.Bound{Min: orb.Point{-20, -20}, Max: orb.Point{side, side}}
	for i := range 70 {
		mp := polygons.Random(r, polygons.Kinds[i%len(polygons.Kinds)], bound)
		inside, cells := insideOf(mp, exact.Grid), uint64(0)
		b := mp.Bound()
		for c := range must(exact.Grid.Box(b.Min[0]-1, b.Min[1]-1, b.Max[0]+1, b.Max[1]+1)).Cells() {
			if inside(c) {
				cells++
			}
		}
		asked := NewPolygon(mp)
		sum := must(exact.Sum(asked.Area(), Categories{}))
		for what, c := range map[string]struct {
			v    *View
			want Estimate
		}{
			"exact": {exact, Estimate{float64(sum), sum, sum, true, cells}},
			"empty": {none, Estimate{Cells: cells}},
			// A mebibyte for 800 cells: nothing collides.
			"large": {dense, Estimate{float64(sum), sum, sum, false, cells}},
		} {
			if got := must(c.v.Estimate(asked.Area(), Categories{})); got != c.want {
				t.Fatalf("%s, polygon %d: %+v, want %+v", what, i, got, c.want)
			}
		}
	}
	// On another grid the same polygon has other cells.
	asked := NewPolygon(orb.MultiPolygon{{{{0, 0}, {10, 0}, {10, 10}, {0, 10}, {0, 0}}}})
	for res, cells := range map[float64]uint64{1: 100, 2: 25, 0.5: 400} {
		v := viewOf(t, blobOf(t, NewBuilder(config(t, Params{Res: res}), nil)))
		if got := must(v.Estimate(asked.Area(), Categories{})); got != (Estimate{Certain: true, Cells: cells}) {
			t.Errorf("resolution %v: %+v", res, got)
		}
	}
}

// A question with a category is about that category, one without about all: the
// surpluses are the same.
func TestEstimatesOfCategories(t *testing.T) {
	r := rand.New(rand.NewPCG(251, 0))
	for _, mode := range []Mode{Standard, MinimalIncrement} {
		var p points
		for range 3000 {
			p.add(spot{grid.Cell{X: r.Int64N(side), Y: r.Int64N(side)}, categories[r.IntN(2)]}, 1+r.Uint64N(5))
		}
		v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Mode: mode, Categories: true, Totals: true, Bytes: 1 << 14}), p)))
		for _, of := range []Categories{{}, Of([]byte(categories[0])), Of([]byte(categories[1]))} {
			e, sum := must(v.Estimate(NewPolygon(wholeMap).Area(), of)), float64(must(v.Sum(NewPolygon(wholeMap).Area(), of)))
			want := p.model().in(grid.MaxRect(), of)
			if want < e.Low || want > e.High || math.Abs(e.Value-float64(want)) > (sum-float64(want))/4 {
				t.Errorf("%v, category %v: %+v, the truth %v, the sum %v", mode, of, e, want, sum)
			}
		}
	}
}

// After an intersection or a mask nothing tells how far a sum is off downwards.
func TestEstimatesAfterSetOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(252, 0))
	for _, mode := range []Mode{Standard, MinimalIncrement} {
		c := config(t, Params{Dense: true, Mode: mode, Bytes: 1 << 14})
		for _, op := range operations {
			a, b := counted(r, spreads[2]), counted(r, spreads[2])
			s := sketchOf(t, c, a)
			noError(t, op.run(s, sketchOf(t, c, b)))
			truth := combined(a.model(), b.model(), op.model).in(grid.MaxRect(), Categories{})
			if e := must(viewOf(t, s.Blob()).Estimate(NewPolygon(wholeMap).Area(), Categories{})); e.Low != 0 || e.High < truth {
				t.Errorf("%v, %s: %+v, the truth %v", mode, op.name, e, truth)
			}
		}
	}
}
