package cells

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
)

func TestCellsOfRegions(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 0))
	for range 10_000 {
		c := grid.Cell{X: r.Int64N(2*grid.MaxIndex) - grid.MaxIndex, Y: r.Int64N(1<<34) - 1<<33}
		sx, sy, z := Key(c)
		if got := CellOf(sx, sy, z); got != c {
			t.Fatalf("cell %v comes back as %v", c, got)
		}
		home := c.X >= Lowest && c.X <= Highest && c.Y >= Lowest && c.Y <= Highest
		if home != (sx == 0 && sy == 0) {
			t.Fatalf("cell %v is in region (%d, %d)", c, sx, sy)
		}
		if n := bits.Len32(uint32(max(sx, -sx))); n > 22 {
			t.Fatalf("region (%d, %d) takes %d bits", sx, sy, n)
		}
	}
}

// TestKeys: Keys writes the key of each point's cell up to the first point without a key in the
// region (0, 0). The kernel and the loop stop there, at any index.
func TestKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 0))
	outside := []float64{Lowest - 1, Highest + 1, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	edges := []float64{Lowest, Highest, Highest + 0.999, 0, math.Copysign(0, -1), -1e-300, -0.5, math.MaxUint32 - Bias}
	for round := range 4000 {
		n := r.IntN(23)
		res := []float64{1, 0.001, 3, 1e-7, 0.003, 1. / 3}[round%6]
		g := kit.Must(grid.New(res))
		xs, ys := make([]float64, n), make([]float64, n)
		for i := range n {
			for _, v := range []*float64{&xs[i], &ys[i]} {
				switch r.IntN(9) {
				case 0:
					*v = edges[r.IntN(len(edges))] * res
				case 8: // at an edge, or just below it
					*v = g.Edge(r.Int64N(Highest-Lowest) + Lowest)
					if r.IntN(2) == 0 {
						*v = math.Nextafter(*v, math.Inf(-1))
					}
				case 1:
					*v = (r.Float64()*(Highest-Lowest) + Lowest) * res
				default:
					*v = (r.Float64() - 0.5) * 1000 * res
				}
			}
		}
		if n > 0 && round%2 == 0 {
			[][]float64{xs, ys}[r.IntN(2)][r.IntN(n)] = outside[r.IntN(len(outside))] * res
		}
		var want []uint64
		for i := range n {
			c, err := g.Cell(xs[i], ys[i])
			if err != nil || c.X < Lowest || c.X > Highest || c.Y < Lowest || c.Y > Highest {
				break
			}
			_, _, key := Key(c)
			want = append(want, key)
		}
		got := make([]uint64, n)
		if done := Keys(got, xs, ys, g); done != len(want) || !slices.Equal(got[:done], want) {
			t.Fatalf("%v, %v by %v: %d keys %x, want %d, %x", xs, ys, res, done, got[:done], len(want), want)
		}
	}
}

// TestNext looks for the next key of a rectangle by trying each key.
func TestNext(t *testing.T) {
	const edge = 8
	for i := range uint32(edge * edge * edge * edge) {
		x0, x1, y0, y1 := i%edge, i/edge%edge, i/edge/edge%edge, i/edge/edge/edge
		if x0 > x1 || y0 > y1 {
			continue
		}
		c := CornersOf(grid.Interleave(x0, y0), grid.Interleave(x1, y1))
		want, found := uint64(0), false
		for key := uint64(2*edge*edge) - 1; key < 2*edge*edge; key-- { // until it wraps around
			if x, y := grid.Deinterleave(key); x >= x0 && x <= x1 && y >= y0 && y <= y1 {
				want, found = key, true
			}
			if got, ok := c.Next(key); ok != found || ok && got != want {
				t.Fatalf("columns %d to %d, rows %d to %d: from %d on there is %d, %t; want %d, %t", x0, x1, y0, y1, key, got, ok, want, found)
			}
		}
	}
}

// TestBounds: Bounds holds all cells, one by one, wherever the outermost are.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 0))
	for i := range 300 {
		var s Section
		want := grid.EmptyRect()
		side := int64(1) << (i % 27)
		for range 1 + r.IntN(1000) {
			c := grid.Cell{X: r.Int64N(side) - side/3, Y: r.Int64N(side) - r.Int64N(5)*side}
			if i%3 == 0 { // along an edge
				c.Y = 7 + r.Int64N(2)
			}
			_, _, z := Key(c)
			s.Keys = append(s.Keys, z)
			want = want.Extend(c)
		}
		slices.Sort(s.Keys)
		s.Keys = slices.Compact(s.Keys)
		if got := (List{s}).Bounds(); got != want {
			t.Fatalf("%d cells in %v, bounds %v", len(s.Keys), want, got)
		}
	}
}

// townKeys makes keys of n points in towns.
func townKeys(n int) []uint64 {
	keys := make([]uint64, n)
	for i, c := range kit.Towns(n) {
		_, _, keys[i] = Key(c)
	}
	return keys
}

func TestSortedRunsCountEveryKey(t *testing.T) {
	keys := townKeys(100_000)
	for _, n := range []int{0, 1, 300, 5000, 100_000} {
		want := map[uint64]uint64{}
		for _, k := range keys[:n] {
			want[k]++
		}
		for name, weights := range map[string][]uint64{"plain": nil, "weighted": make([]uint64, n)} {
			for i := range weights {
				weights[i] = 1
			}
			in := append([]uint64(nil), keys[:n]...)
			r := Sorted(Squares{Keys: in, Counts: weights})
			if len(r.Keys) != len(want) {
				t.Fatalf("%s, %d keys: %d cells, want %d", name, n, len(r.Keys), len(want))
			}
			for i, k := range r.Keys {
				if r.Counts[i] != want[k] || i > 0 && k <= r.Keys[i-1] {
					t.Fatalf("%s, %d keys: cell %d counts %d, want %d", name, n, k, r.Counts[i], want[k])
				}
			}
		}
	}
}
