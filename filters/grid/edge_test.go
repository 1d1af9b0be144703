package grid

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// resolutions are decimals that people use, and some that they do not.
var resolutions = []string{
	"0.1", "0.05", "0.01", "0.001", "0.0001", "0.00001", "0.003", "0.007", "0.0025", "0.25", "0.3", "2.5",
	"1", "7", "100", "1000", "0.000123", "1e-6", "12.34", "0.123456789", "1e9", "1e-9",
}

func rat(t testing.TB, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatal(text)
	}
	return r
}

func nearest(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// floor is the last whole number that is not above r.
func floor(r *big.Rat) int64 { return new(big.Int).Div(r.Num(), r.Denom()).Int64() } // Euclidean, of a positive denominator

func whole(i int64) *big.Rat { return new(big.Rat).SetInt64(i) }

func TestFraction(t *testing.T) {
	for _, c := range []struct{ res, p, q float64 }{
		{0.001, 1, 1000}, {0.25, 1, 4}, {0.003, 3, 1000}, {2.5, 5, 2}, {100, 100, 1}, {7e22, 7e22, 1}, {1e15, 1e15, 1},
		{1e-15, 1, 1e15}, {5e-16, 1, 2e15}, {1e-16, 1e-16, 1}, {1. / 3, 1. / 3, 1}, {math.Pi, 3141592653589793, 1e15}, {0.000123, 123, 1e6},
		{1 << 53, 1 << 53, 1}, {1 << 60, 1 << 60, 1}, {math.MaxFloat64, math.MaxFloat64, 1}, {leastRes, leastRes, 1},
	} {
		if p, q := mustGrid(t, c.res).Fraction(); p != c.p || q != c.q {
			t.Errorf("%v is %v/%v, want %v/%v", c.res, p, q, c.p, c.q)
		}
	}
	// Random decimals are compared with fractions of big numbers.
	rng := rand.New(rand.NewPCG(31, 0))
	for range 20000 {
		text := strconv.FormatUint(1+rng.Uint64()>>(11+rng.IntN(53)), 10) + "e" + strconv.Itoa(rng.IntN(50)-25)
		res := nearest(rat(t, text))
		p, q := mustGrid(t, res).Fraction()
		want := rat(t, strconv.FormatFloat(res, 'e', -1, 64))
		fits := want.Num().Cmp(big.NewInt(mostWhole)) <= 0 && want.Denom().Cmp(big.NewInt(mostWhole)) <= 0
		switch got := new(big.Rat).Quo(new(big.Rat).SetFloat64(p), new(big.Rat).SetFloat64(q)); {
		case fits && (got.Cmp(want) != 0 || q != nearest(new(big.Rat).SetInt(want.Denom()))):
			t.Fatalf("%s is %v/%v, want %v", text, p, q, want)
		case !fits && (p != res || q != 1):
			t.Fatalf("%s is %v/%v, but does not fit", text, p, q)
		}
	}
}

// Points written as decimals are in the cells where exact arithmetic has them; edges and
// centres are the nearest float64.
func TestDecimalsAreWhereTheyAreWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 0))
	for _, text := range resolutions {
		res := rat(t, text)
		g := mustGrid(t, nearest(res))
		for k := range 5000 {
			d := rng.IntN(8)
			unit := int64(math.Pow10(d))
			x := big.NewRat(rng.Int64N(360*unit+1)-180*unit, unit)
			if k%2 == 0 { // at an edge
				x.Mul(res, whole(rng.Int64N(4_000_000)-2_000_000))
			}
			want := floor(new(big.Rat).Quo(x, res))
			c, err := g.Cell(nearest(x), 0)
			if err != nil || c.X != want {
				t.Fatalf("res %s: %s is in cell %d (%v), want %d", text, x.FloatString(20), c.X, err, want)
			}
			if edge := nearest(new(big.Rat).Mul(res, whole(want))); g.Edge(want) != edge {
				t.Fatalf("res %s: cell %d begins at %v, want %v", text, want, g.Edge(want), edge)
			}
			twice := new(big.Rat).Mul(res, whole(2*want+1))
			if x, y := g.Center(Cell{want, want}); x != nearest(twice.Quo(twice, whole(2))) || y != x {
				t.Fatalf("res %s: the centre of cell %d is %v, want %v", text, want, x, nearest(twice))
			}
		}
	}
}

// The rule as such, for every resolution and index: a point is in the last cell whose
// edge is not above it.
func TestFloorAgreesWithEdge(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 0))
	for _, res := range []float64{leastRes, 1e-300, 0.001, 0.003, 0.1, 1, 1.0 / 3, math.Pi, 7e5, 1e300, math.MaxFloat64} {
		g := mustGrid(t, res)
		for range 20000 {
			i := (rng.Int64N(2*MaxIndex-8) - MaxIndex + 4) >> rng.IntN(54)
			v := beside(rng, g.Edge(i), res)
			if math.IsInf(v, 0) {
				continue
			}
			n, err := g.Cell(v, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !(g.Edge(n.X) <= v) || n.X < MaxIndex && !(g.Edge(n.X+1) > v) {
				t.Fatalf("res %v: %v is in cell %d, which begins at %v and the next at %v", res, v, n.X, g.Edge(n.X), g.Edge(n.X+1))
			}
		}
	}
}

// A box along cells counts what x >= xmin AND x < xmax counts, for decimals of 0 to 7 digits.
func TestBoxAlongCellsIsAComparison(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 0))
	for _, text := range resolutions {
		res := rat(t, text)
		g := mustGrid(t, nearest(res))
		for range 2000 {
			from := rng.Int64N(2_000_000) - 1_000_000
			to := from + rng.Int64N(50)
			xmin, xmax := nearest(new(big.Rat).Mul(res, whole(from))), nearest(new(big.Rat).Mul(res, whole(to)))
			r, err := g.Box(xmin, xmin, xmax, xmax)
			if err != nil {
				t.Fatal(err)
			}
			unit := math.Pow10(rng.IntN(8))
			x := nearest(new(big.Rat).Mul(res, whole(from+rng.Int64N(60)-5))) // at an edge
			if rng.IntN(2) == 0 {
				x = math.Round((xmin+(xmax-xmin+nearest(res))*(1.2*rng.Float64()-0.1))*unit) / unit
			}
			c, err := g.Cell(x, x)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := r.Contains(c), x >= xmin && x < xmax; got != want {
				t.Fatalf("res %s: box from %v to %v has %v in cell %v: %v, want %v", text, xmin, xmax, x, c, got, want)
			}
		}
	}
}

// Cells of a coarser grid are those built coarser.
func TestCoarserGrid(t *testing.T) {
	for _, c := range []struct {
		res    float64
		factor uint64
		want   float64
	}{{0.001, 10, 0.01}, {0.1, 3, 0.3}, {0.7, 3, 2.1}, {1e-300, 7, 7e-300}, {1.0 / 3, 3, 1}, {2, 1 << 24, 1 << 25}, {0.1, 1 << 10, 102.4}, {math.Pi, 1, math.Pi}} {
		if g, err := mustGrid(t, c.res).Coarser(c.factor); err != nil || g != mustGrid(t, c.want) {
			t.Errorf("%v by %d: %v, %v, want %v", c.res, c.factor, g.Res(), err, c.want)
		}
	}
	if _, err := mustGrid(t, 1e308).Coarser(2); err == nil {
		t.Error("an infinite resolution")
	}
	rng := rand.New(rand.NewPCG(35, 0))
	for _, text := range resolutions {
		fine := mustGrid(t, nearest(rat(t, text)))
		for range 2000 {
			factor := 1 + rng.Int64N(1000)
			coarse, err := fine.Coarser(uint64(factor))
			if err != nil {
				t.Fatal(err)
			}
			x := fine.Edge(rng.Int64N(4_000_000) - 2_000_000)
			if rng.IntN(2) == 0 {
				x = math.Round((360*rng.Float64()-180)*1e6) / 1e6
			}
			a, _ := fine.Cell(x, -x)
			b, _ := coarse.Cell(x, -x)
			if a.Coarser(factor) != b {
				t.Fatalf("res %s by %d: %v is in %v, coarsened %v, built %v", text, factor, x, a, a.Coarser(factor), b)
			}
		}
	}
}
