package ccbf

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// spread is how the points of a map are spread over its cells.
var spreads = []struct {
	name  string
	count func(r *rand.Rand) uint64
}{
	{"one each", func(*rand.Rand) uint64 { return 1 }},
	{"few", func(r *rand.Rand) uint64 { return 1 + r.Uint64N(4) }},
	{"skewed", func(r *rand.Rand) uint64 { return uint64(math.Pow(1-r.Float64(), -0.8)) }},
	{"many", func(r *rand.Rand) uint64 { return 1 + uint64(25*math.Exp(r.NormFloat64())) }},
}

func spreadMap(r *rand.Rand, cells int, count func(r *rand.Rand) uint64) map[spot]uint64 {
	m := map[spot]uint64{}
	for len(m) < cells {
		m[spot{grid.Cell{X: r.Int64N(1000), Y: r.Int64N(1000)}, plain}] = min(count(r), 20_000)
	}
	return m
}

// oneByOne are the points of a map in random order.
func oneByOne(r *rand.Rand, m map[spot]uint64) points {
	var p points
	for _, s := range sortedSpots(m) {
		for range m[s] {
			p.add(s, 1)
		}
	}
	return p.shuffled(r)
}

// ways are how dense sketches come about.
var ways = []struct {
	name string
	mode Mode
	make func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View
}{
	{"standard", Standard, streamedView},
	{"standard, halved", Standard, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		return foldedView(t, streamedView(t, c, r, m))
	}},
	{"maxima", MinimalIncrement, func(t *testing.T, c Config, _ *rand.Rand, m map[spot]uint64) *View {
		return maximaView(t, c, m)
	}},
	{"maxima, halved", MinimalIncrement, func(t *testing.T, c Config, _ *rand.Rand, m map[spot]uint64) *View {
		return foldedView(t, maximaView(t, c, m))
	}},
	{"streamed", MinimalIncrement, streamedView},
	{"streamed cell by cell", MinimalIncrement, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		p, order := oneByOne(r, m), map[spot]uint64{}
		for _, o := range p {
			if order[o.spot] == 0 {
				order[o.spot] = r.Uint64()
			}
		}
		slices.SortStableFunc(p, func(a, b struct {
			spot
			n uint64
		}) int {
			return cmp.Compare(order[a.spot], order[b.spot])
		})
		return viewOf(t, blobOf(t, builderOf(t, c, p)))
	}},
	{"streamed, halved", MinimalIncrement, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		return foldedView(t, streamedView(t, c, r, m))
	}},
	{"2 united", MinimalIncrement, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		return unitedView(t, c, r, m, 2, func(p points) *View { return viewOf(t, blobOf(t, builderOf(t, c, p))) })
	}},
	{"3 united", MinimalIncrement, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		return unitedView(t, c, r, m, 3, func(p points) *View { return viewOf(t, blobOf(t, builderOf(t, c, p))) })
	}},
	{"8 united", MinimalIncrement, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		return unitedView(t, c, r, m, 8, func(p points) *View { return viewOf(t, blobOf(t, builderOf(t, c, p))) })
	}},
	{"8 of maxima united", MinimalIncrement, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		return unitedView(t, c, r, m, 8, func(p points) *View { return maximaView(t, c, p.model()) })
	}},
	{"8 united, halved", MinimalIncrement, func(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
		return foldedView(t, unitedView(t, c, r, m, 8, func(p points) *View { return viewOf(t, blobOf(t, builderOf(t, c, p))) }))
	}},
}

func streamedView(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64) *View {
	return viewOf(t, blobOf(t, builderOf(t, c, oneByOne(r, m))))
}

func maximaView(t *testing.T, c Config, m map[spot]uint64) *View {
	sections := sectionsOf(m)
	s := &Sketch{Config: c, TotalKnown: true, bounds: sections.Bounds(), dense: counters.Maxima(c.counters(), sections)}
	for _, n := range m {
		s.Total += n
	}
	return viewOf(t, s.Blob())
}

func foldedView(t *testing.T, v *View) *View {
	s := must(v.Sketch())
	noError(t, s.Fold(uint64(len(v.blob))*3/5))
	return viewOf(t, s.Blob())
}

func unitedView(t *testing.T, c Config, r *rand.Rand, m map[spot]uint64, n int, of func(p points) *View) *View {
	parts := make([]points, n)
	for _, o := range oneByOne(r, m) {
		i := r.IntN(n)
		parts[i] = append(parts[i], o)
	}
	all := NewBuilder(c, nil)
	for _, p := range parts {
		noError(t, all.AddView(of(p)))
	}
	return viewOf(t, blobOf(t, all))
}

// measured is by how much the counts of the cells of a map are too high: how many
// are, the mean, and its standard error.
func measured(v *View, m map[spot]uint64) (wrong, excess, sigma float64) {
	squares := 0.0
	for s, n := range m {
		if x := float64(v.Count(s.Cell, nil) - n); x > 0 {
			wrong++
			excess += x
			squares += x * x
		}
	}
	n := float64(len(m))
	excess /= n
	return wrong, excess, math.Sqrt((squares/n - excess*excess) / n)
}

// TestErrorOfCellsWithPoints: Error is within a factor of 1.5 of the measured excess of cells with
// points, and 4 standard errors of that. The number of cells with an excess is within a factor of
// 1.6, and 4 standard errors of a count. Sketches have half a byte to ten bytes a cell and any
// origin. Seeds of the hash are taken together.
func TestErrorOfCellsWithPoints(t *testing.T) {
	const cells = 2000
	seeds, sizes := uint64(2), []float64{1, 2, 4, 10}
	if testing.Short() {
		seeds, sizes = 1, []float64{1, 4}
	}
	if os.Getenv("CCBF_LONG") != "" {
		seeds, sizes = 6, []float64{1, 1.5, 2, 3, 4, 5, 7, 8.5, 10}
	}
	n := float64(seeds)
	worst, furthest := 1.0, ""
	for _, way := range ways {
		for _, spread := range spreads {
			for _, size := range sizes {
				if size == 1 && !strings.Contains(way.name, "halved") {
					size = 0.5 // which halving leaves of it
				}
				var e Overcount
				var wrong, excess, variance float64
				for seed := range seeds {
					r := rand.New(rand.NewPCG(260, seed))
					m := spreadMap(r, cells, spread.count)
					v := way.make(t, config(t, Params{Dense: true, Mode: way.mode, Bytes: uint64(size * cells), Seed: seed}), r, m)
					said := v.Error()
					if !said.Known || said.Exact {
						t.Fatalf("%s, %s, %v bytes a cell: %+v", way.name, spread.name, size, said)
					}
					e.Probability += said.Occupied.Probability / n
					e.Excess += said.Occupied.Excess / n
					w, x, sigma := measured(v, m)
					wrong, excess, variance = wrong+w, excess+x/n, variance+sigma*sigma/n/n
				}
				what := fmt.Sprintf("%s, %s, %v bytes a cell: ", way.name, spread.name, size)
				p := e.Probability * cells * n
				slack := 4 * math.Sqrt(wrong)
				if p > 1.6*(wrong+slack+8) || p < (wrong-slack)/1.6 {
					t.Errorf("%s%v cells too high, measured %v", what, p, wrong)
				}
				if wrong < 30 {
					continue // too few to know the mean and its error
				}
				slack = 4 * math.Sqrt(variance)
				if e.Excess > 1.5*(excess+slack) || e.Excess < (excess-slack)/1.5 {
					t.Errorf("%san excess of %v, measured %v", what, e.Excess, excess)
				}
				if q := max(e.Excess/excess, excess/e.Excess); wrong > 400 && q > worst {
					worst, furthest = q, what
				}
			}
		}
	}
	t.Logf("%sfurthest, by a factor of %.2f", furthest, worst)
}

func TestErrorOfCellsWithPointsUnknown(t *testing.T) {
	r := rand.New(rand.NewPCG(261, 0))
	p := oneByOne(r, spreadMap(r, 500, spreads[1].count))
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

// TestUnbiasedWhereSaid: estimates of the whole map are right on average if the sketch is unbiased,
// within 5 standard errors over the seeds. Otherwise they are off by less than the sum is.
func TestUnbiasedWhereSaid(t *testing.T) {
	const cells, seeds = 1000, 8
	said := 0
	for _, way := range ways {
		for _, spread := range spreads[1:3] {
			for _, size := range []float64{1, 2, 4} {
				var off []float64
				sum, total, unbiased := 0.0, 0.0, true
				for seed := range uint64(seeds) {
					r := rand.New(rand.NewPCG(262, seed))
					m := spreadMap(r, cells, spread.count)
					v := way.make(t, config(t, Params{Dense: true, Mode: way.mode, Bytes: uint64(size * cells), Seed: seed}), r, m)
					var rs noise.Histogram
					for s := range m {
						rs.Add(v.Count(s.Cell, nil))
					}
					for i := range int64(2 * cells) {
						rs.Add(v.Count(grid.Cell{X: i, Y: 5000}, nil))
					}
					truth, _ := v.Total()
					value, _, _ := countersOf(v).Noise().Estimate(&rs, rs.Sum())
					off = append(off, value-float64(truth))
					sum, total = sum+rs.Sum()/seeds, total+float64(truth)/seeds
					unbiased = unbiased && v.unbiased()
				}
				mean, sigma := meanAndError(off)
				what := fmt.Sprintf("%s, %s, %v bytes a cell: off by %.0f ± %.0f of %.0f, the sum by %.0f", way.name, spread.name, size, mean, sigma, total, sum-total)
				if unbiased {
					said++
					// Surpluses leave out how positions depend on each other (collisions.go).
					if math.Abs(mean) > 5*sigma+0.01*total+0.005*(sum-total) {
						t.Error(what)
					}
				} else if math.Abs(mean) > sum-total+5*sigma {
					t.Error(what)
				}
			}
		}
	}
	if said < 20 {
		t.Errorf("only %d are said to be unbiased", said)
	}
}
