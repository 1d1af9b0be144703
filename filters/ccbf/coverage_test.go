package ccbf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// randomCounters is a sketch with counters of any shape, load and weights, saturated or not.
type randomCounters struct {
	params Params
	view   *View
	truth  map[grid.Cell]uint64
	side   int64
}

// upTo is a number from 1 to most, small ones as likely as large ones.
func upTo(r *rand.Rand, most float64) uint64 { return uint64(math.Exp(r.Float64() * math.Log(most))) }

func newRandomCounters(t *testing.T, r *rand.Rand) *randomCounters {
	t.Helper()
	widths := [][]int{{2, 2}, {4}, {8}, {12}, {16}, {32}, {4, 8}, {4, 4, 4}, {16, 16}, {8, 16, 32}, {4, 8, 16, 32}}
	p := Params{Dense: true, Seed: r.Uint64N(1000), K: 1 + r.IntN(8), Widths: widths[r.IntN(len(widths))], Mode: []Mode{Standard, MinimalIncrement}[r.IntN(2)]}
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
	s := &randomCounters{params: p, truth: map[grid.Cell]uint64{}, side: int64(2 + upTo(r, 100))}
	b := NewBuilder(config(t, p), nil)
	count := [](func() uint64){
		func() uint64 { return 1 },
		func() uint64 { return 1 + upTo(r, 1000) },
		func() uint64 { return 10 },
	}[r.IntN(3)]
	number := min(upTo(r, 1500), uint64(s.side*s.side))
	for i := range number {
		c := grid.Cell{X: r.Int64N(s.side), Y: r.Int64N(s.side)}
		weight := count()
		if i == 0 && r.IntN(3) == 0 {
			weight = upTo(r, 100_000) // one giant
		}
		s.truth[c] += weight
		noError(t, b.Add(c, nil, 0, weight))
	}
	s.view = viewOf(t, blobOf(t, b))
	return s
}

// sum is the points in a box.
func (s *randomCounters) sum(box grid.Rect) (n uint64) {
	for c, count := range s.truth {
		if box.Contains(c) {
			n += count
		}
	}
	return n
}

// boxes returns areas to query: cells with points, any cells, and boxes.
func (s *randomCounters) boxes(r *rand.Rand) (boxes []grid.Rect) {
	var held []grid.Cell
	for c := range s.truth {
		held = append(held, c)
	}
	slices.SortFunc(held, func(a, b grid.Cell) int { return int(a.X-b.X)*1000 + int(a.Y-b.Y) })
	for range 2 {
		c := held[r.IntN(len(held))]
		boxes = append(boxes, grid.Rect{MinX: c.X, MinY: c.Y, MaxX: c.X, MaxY: c.Y})
		c = grid.Cell{X: r.Int64N(s.side), Y: r.Int64N(s.side)}
		boxes = append(boxes, grid.Rect{MinX: c.X, MinY: c.Y, MaxX: c.X, MaxY: c.Y})
		x, y := r.Int64N(s.side), r.Int64N(s.side)
		boxes = append(boxes, grid.Rect{MinX: x, MinY: y, MaxX: x + r.Int64N(s.side-x), MaxY: y + r.Int64N(s.side-y)})
	}
	return boxes
}

// TestIntervalsOfAnyCounters: for random counters in either mode, saturated or not, 95 of 100
// intervals hold the truth, within 4 standard deviations. No count is below it. The error of cells
// with points is unknown, or within a factor of 1.5 for 95 of 100 sketches. CCBF_SEED is the first
// seed, and CCBF_SKETCHES the number of sketches.
func TestIntervalsOfAnyCounters(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: thousands of sketches (make test-all)")
	}
	type tally struct{ sketches, missed, errors, wrong float64 }
	tallies := map[string]*tally{}
	number := func(name string, usual uint64) uint64 {
		if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
			return n
		}
		return usual
	}
	first := number("CCBF_SEED", 4402)
	for seed := first; seed < first+number("CCBF_SKETCHES", 800); seed++ {
		r := rand.New(rand.NewPCG(44, seed))
		s := newRandomCounters(t, r)
		kind := fmt.Sprintf("%v, saturated %v, at least %d counters %v", s.params.Mode, s.view.saturated(), counters.LeastSample, s.params.Counters[0] >= counters.LeastSample)
		if tallies[kind] == nil {
			tallies[kind] = &tally{}
		}
		of := tallies[kind]
		of.sketches++
		boxes := s.boxes(r)
		for _, box := range boxes {
			e, sum := must(s.view.Estimate(Box(box), Categories{})), must(s.view.Sum(Box(box), Categories{}))
			truth := s.sum(box)
			if sum < truth || e.Certain && e.Low != e.High || e.Value < float64(e.Low) || e.Value > float64(e.High) {
				t.Fatalf("seed %d: %+v and a sum of %d for %d", seed, e, sum, truth)
			}
			if truth < e.Low || truth > e.High {
				if s.view.saturated() {
					t.Errorf("seed %d: %+v for %d, saturated", seed, e, truth)
				}
				of.missed += 1 / float64(len(boxes))
			}
		}
		if e := s.view.Error(); e.Known {
			of.errors++
			sum, squares, n := 0.0, 0.0, float64(len(s.truth))
			for c, n := range s.truth {
				excess := float64(s.view.Count(c, nil) - n)
				sum, squares = sum+excess, squares+excess*excess
			}
			// The measured value is a sample too, and a poor one if few cells have any excess.
			mean, chance := sum/n, 4*math.Sqrt(max(squares-sum*sum/n, 1))/n
			if s.view.saturated() || e.Occupied.Excess > 1.5*(mean+chance) || e.Occupied.Excess < (mean-chance)/1.5 {
				of.wrong++
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
