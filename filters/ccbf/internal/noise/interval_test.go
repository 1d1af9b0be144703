package noise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// knownCells is counters beside the counts that are in them, of cells 0, 1, 2, ...
type knownCells struct {
	counters *cascade.Counters
	model    *Model
	truth    []uint64
}

// The ways in which counters come to hold what they hold: sums, points one by one with the
// minimal increment, the maxima of exact counts.
var ways = []string{"sums", "increments", "maxima"}

func newKnownCells(t *testing.T, r *rand.Rand, way string, shape cascade.Shape, cells int, skew float64, seed uint64) *knownCells {
	t.Helper()
	c := &knownCells{counters: cascade.New(shape), truth: make([]uint64, cells)}
	z := rand.NewZipf(r, skew, 3, uint64(cells-1))
	points := make([]uint64, 3*cells)
	for i := range points {
		points[i] = z.Uint64()
		c.truth[points[i]]++
	}
	hash := func(cell uint64) (h1, h2 uint64) { return key.HashCell(seed, int64(cell), 7) }
	origin := cascade.Origin{}
	if way == "maxima" {
		c.counters.FillMax(func(least uint64, yield func(h1, h2, n uint64)) {
			for cell, n := range c.truth {
				if n >= least && n > 0 {
					h1, h2 := hash(uint64(cell))
					yield(h1, h2, n)
				}
			}
		})
	} else {
		for _, cell := range points {
			h1, h2 := hash(cell)
			c.counters.Insert(way == "sums", []uint64{h1}, []uint64{h2}, nil)
		}
		if way == "increments" {
			origin.Number = 1
		}
	}
	c.model = New(c.counters, way == "sums", origin)
	c.model.SetTotal(uint64(len(points)), false)
	return c
}

// read returns the count of a cell. Cells from len(truth) on have no points.
func (c *knownCells) read(cell, seed uint64) uint64 {
	return c.counters.Count(key.HashCell(seed, int64(cell), 7))
}

func (c *knownCells) count(cell uint64) uint64 {
	if cell < uint64(len(c.truth)) {
		return c.truth[cell]
	}
	return 0
}

// sample is draws of a number, one for each seed of the hash.
type sample []float64

func (s sample) mean() (mean float64) {
	for _, x := range s {
		mean += x / float64(len(s))
	}
	return mean
}

// deviation is the standard deviation of the mean.
func (s sample) deviation() float64 {
	mean, squares := s.mean(), 0.0
	for _, x := range s {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares / float64(len(s)-1) / float64(len(s)))
}

// Estimates of cells whose counts are known have these properties:
//
//   - 95 of 100 intervals hold the truth, within 4 standard deviations.
//   - Intervals are at most 1.5 times as wide as those of a normal distribution with the measured spread.
//   - Estimates of sums and of maxima have no bias, within 4 standard deviations.
//   - The moments of cells without points are those measured, within 4 standard deviations.
//   - So are the probability and the excess of cells with points, or within the promised factor of 1.5 if
//     points came one by one.
func TestEstimatesOfKnownCells(t *testing.T) {
	const seeds, areas, cells, normal = 20, 20, 1500, 2 * 1.96
	for i, params := range []struct {
		widths []int
		sizes  []uint64
		k      int
	}{
		{[]int{32}, []uint64{2048}, 2},
		{[]int{4, 8, 16}, []uint64{4096, 1024, 64}, 3},
		{[]int{4, 4, 16}, []uint64{2048, 512, 64}, 2},
	} {
		for _, way := range ways {
			t.Run(fmt.Sprintf("%v, %s", params.widths, way), func(t *testing.T) {
				r := rand.New(rand.NewPCG(221, uint64(i)))
				held, width, squares := 0.0, 0.0, 0.0
				var bias, chance, excess, chanceIs, excessIs, empty, emptySquares, second sample
				for seed := range uint64(seeds) {
					c := newKnownCells(t, r, way, shapeOf(t, params.widths, params.sizes, params.k), cells, 1.3, seed)
					off := 0.0
					for range areas {
						var h Histogram
						truth := 0.0
						for range 1 + r.IntN(400) {
							cell := r.Uint64N(2 * cells)
							h.Add(c.read(cell, seed))
							truth += float64(c.count(cell))
						}
						value, low, high := c.model.Estimate(&h, math.Inf(1))
						if low <= truth && truth <= high {
							held++
						}
						width += (high - low) / (seeds * areas)
						off += (value - truth) / areas
						squares += (value - truth) * (value - truth) / (seeds * areas)
					}
					bias = append(bias, off)
					if c.model.Unbiased() != (way != "increments") {
						t.Errorf("unbiased is %v", c.model.Unbiased())
					}
					picture := c.model.Cells()
					mean, square := 0.0, 0.0
					for cell := range uint64(cells) { // without points
						e := picture.Estimate(c.read(cells+cell, seed))
						mean, square = mean+e/cells, square+e*e/cells
					}
					empty, emptySquares, second = append(empty, mean), append(emptySquares, square), append(second, picture.Second)
					o, _, known := c.model.Occupied()
					if !known {
						t.Fatal("the error is unknown")
					}
					chance, excess = append(chance, o.Probability), append(excess, o.Excess)
					often, sum, holding := 0.0, 0.0, 0.0
					for cell, n := range c.truth {
						if n > 0 {
							holding++
							over := float64(c.read(uint64(cell), seed) - n)
							sum, often = sum+over, often+min(over, 1)
						}
					}
					chanceIs, excessIs = append(chanceIs, often/holding), append(excessIs, sum/holding)
				}
				const n = seeds * areas
				if least := 0.95*n - 4*math.Sqrt(0.95*0.05*n); held < least {
					t.Errorf("%.0f of %d intervals hold the truth, must be %.0f", held, n, least)
				}
				if most := 1.5 * normal * math.Sqrt(squares); width > most {
					t.Errorf("intervals are %.1f wide, must be at most %.1f", width, most)
				}
				if way != "increments" && math.Abs(bias.mean()) > 4*bias.deviation() {
					t.Errorf("estimates are off by %.2f on average, one standard deviation is %.2f", bias.mean(), bias.deviation())
				}
				if math.Abs(empty.mean()) > 4*empty.deviation() {
					t.Errorf("cells without points are estimated at %.4f on average, one standard deviation is %.4f", empty.mean(), empty.deviation())
				}
				for _, of := range []struct {
					name    string
					say, is sample
				}{{"second moment of cells without points", second, emptySquares}, {"chance", chance, chanceIs}, {"excess", excess, excessIs}} {
					say, is, within := of.say.mean(), of.is.mean(), 4*(of.is.deviation()+of.say.deviation())
					if way == "increments" {
						if say > 1.5*(is+within) || say < (is-within)/1.5 {
							t.Errorf("a %s of %.4f, measured %.4f", of.name, say, is)
						}
					} else if math.Abs(say-is) > within {
						t.Errorf("a %s of %.4f, measured %.4f, within %.4f", of.name, say, is, within)
					}
				}
			})
		}
	}
}
