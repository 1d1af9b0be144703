package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
)

// mean is the mean of a sample.
type mean struct{ n, sum, squares float64 }

func (m *mean) add(v float64) {
	m.n++
	m.sum += v
	m.squares += v * v
}

func (m mean) value() float64 { return m.sum / m.n }

// sigma is the standard error.
func (m mean) sigma() float64 {
	v := m.value()
	return math.Sqrt(max(0, m.squares/m.n-v*v) / (m.n - 1))
}

func (m mean) String() string { return fmt.Sprintf("%.4g ± %.2g", m.value(), m.sigma()) }

// TestAccuracy: a tree of points in towns, in half the bytes of the exact form, is as accurate as when it was
// made. This is the mean error of boxes around cells with points, and of counts. Some counts belong to such cells,
// others to cells up to 4 cells away, or anywhere. Bounds hold, and building states the error that cells have.
func TestAccuracy(t *testing.T) {
	counts := map[uint64]uint64{}
	for _, c := range kit.Towns(200_000) {
		_, _, key := cells.Key(c)
		counts[key]++
	}
	held := squaresOf(counts)
	list := listOf(held)
	body, _ := exact.AppendList(nil, list, list.Bounds(), math.MaxInt32)
	p, ok := Fit(list, uint64(len(body))/2)
	if !ok {
		t.Fatal("half the bytes are too few")
	}
	sheets, most := encoded(t, p.code, p.Sections[0].Sheets()), p.Sections[0].Most()
	check := func(what string, m mean, limit float64) {
		t.Helper()
		if t.Logf("%s: %v, limit %g", what, m, limit); m.value() > limit+4*m.sigma() {
			t.Errorf("%s: %v is above %g", what, m, limit)
		}
	}
	sums, r := sumsOf(held), rand.New(rand.NewPCG(61, 0))
	for _, c := range []struct {
		side           uint64
		high, estimate float64 // as fractions of the truth
	}{{4, 0.52, 0.13}, {16, 0.135, 0.024}, {64, 0.03, 0.0043}, {256, 0.007, 0.001}} {
		var high, estimate mean
		for range 2000 {
			x, y := grid.Deinterleave(held.Keys[r.IntN(held.Len())])
			q := box{x0: uint64(x) - r.Uint64N(c.side), y0: uint64(y) - r.Uint64N(c.side)}
			q.x1, q.y1 = q.x0+c.side, q.y0+c.side
			truth, sum := truthOf(&held, sums, &q, 0, cells.MaxLevel+1), q.sum(sheets)
			if sum.Low > truth || truth > sum.High {
				t.Fatalf("box %+v has %d points, bounds %+v", q, truth, sum)
			}
			high.add((float64(sum.High) - float64(truth)) / float64(truth))
			estimate.add(math.Abs(sum.Value-float64(truth)) / float64(truth))
		}
		check(fmt.Sprintf("boxes of %d, upper bound", c.side), high, c.high)
		check(fmt.Sprintf("boxes of %d, estimate", c.side), estimate, c.estimate)
	}
	excess := func(draw func() uint64, n int) (m mean) {
		for range n {
			key := draw()
			n := count(sheets[:1], key)
			if n < counts[key] || n-counts[key] > most {
				t.Fatalf("cell %#x counts %d of %d, at most %d too many", key, n, counts[key], most)
			}
			m.add(float64(n - counts[key]))
		}
		return m
	}
	i := 0
	all := excess(func() uint64 { i++; return held.Keys[i-1] }, held.Len())
	check("cells with points", all, 1.25)
	if said := float64(p.Fit.Excess) / float64(p.Fit.Cells); math.Abs(said-all.value()) > 1e-9*said || p.Fit.Cells != uint64(held.Len()) {
		t.Errorf("the mean excess at cells with points is %v, building says %g", all, said)
	}
	check("cells near them", excess(func() uint64 {
		x, y := grid.Deinterleave(held.Keys[r.IntN(held.Len())])
		return grid.Interleave(x+r.Uint32N(9)-4, y+r.Uint32N(9)-4)
	}, 20_000), 1.45)
	check("cells anywhere", excess(func() uint64 {
		return grid.Interleave(uint32(cells.Bias+r.Uint64N(8000)), uint32(cells.Bias+r.Uint64N(8000)))
	}, 20_000), 0.01)
}

// sumsOf are the points of the cells before each, and of all.
func sumsOf(held cells.Squares) []uint64 {
	sums := make([]uint64, held.Len()+1)
	for i, n := range held.Counts {
		sums[i+1] = sums[i] + n
	}
	return sums
}

// truthOf is the sum over a box of the cells in a square: those of a stretch of the
// curve where it lies inside.
func truthOf(held *cells.Squares, sums []uint64, q *box, key uint64, level uint8) uint64 {
	from := 0
	if key > 0 {
		from = cells.SearchAbove(held.Keys, key-1)
	}
	to := len(held.Keys)
	if level <= cells.MaxLevel {
		to = cells.SearchAbove(held.Keys, key|cells.LowBits(level))
	}
	if from == to {
		return 0
	}
	switch w, h, side := q.overlap(key, level); {
	case w == 0 || h == 0:
		return 0
	case w == side && h == side:
		return sums[to] - sums[from]
	}
	n := uint64(0)
	for part := range uint64(4) {
		n += truthOf(held, sums, q, key+part<<(2*(level-1)), level-1)
	}
	return n
}
