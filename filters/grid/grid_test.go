package grid

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	for _, res := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)} {
		if _, err := New(res); !errors.Is(err, ErrResolution) || err.Error() != fmt.Sprintf("resolution %v is not a finite number above 0", res) {
			t.Errorf("New(%v): %v", res, err)
		}
	}
	for _, res := range []float64{math.SmallestNonzeroFloat64, math.Nextafter(leastRes, 0)} {
		if _, err := New(res); !errors.Is(err, ErrResolution) || !strings.Contains(err.Error(), "below the least, 2.2250738585072014e-308") {
			t.Errorf("New(%v): %v", res, err)
		}
	}
	for _, res := range []float64{0.001, 1, leastRes, math.MaxFloat64} {
		if g, err := New(res); err != nil || g.Res() != res {
			t.Errorf("New(%v): %v", res, err)
		}
	}
}

func TestCell(t *testing.T) {
	for _, c := range []struct {
		res, x, y float64
		want      Cell
	}{
		{1, 0, 0, Cell{0, 0}},
		{1, -0.5, 0.999, Cell{-1, 0}},
		{0.5, 0.5, -0.5, Cell{1, -1}},
		{0.01, 13.405, 52.52, Cell{1340, 5252}},
		{0.1, 40.4, -3.7, Cell{404, -37}},
		{1, MaxIndex, -MaxIndex, Cell{MaxIndex, -MaxIndex}},
		{1e308, 1e308, -1e308, Cell{1, -1}},
		{leastRes, leastRes, -2 * leastRes, Cell{1, -2}},
	} {
		g := mustGrid(t, c.res)
		if got, err := g.Cell(c.x, c.y); err != nil || got != c.want {
			t.Errorf("res %v, (%v %v): %v %v, want %v", c.res, c.x, c.y, got, err, c.want)
		}
	}
}

func TestCellErrors(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		res, x, y float64
		is        error
		text      string
	}{
		{1, nan, 0, ErrNotFinite, "x is NaN, not a finite number"},
		{1, 0, -inf, ErrNotFinite, "y is -Inf, not a finite number"},
		{0.01, 1e300, 0, ErrRange, "x = 1e+300 is cell 1e+302 at resolution 0.01; the limit is 2^53"},
		{1e-300, 0, -1e300, ErrRange, "y = -1e+300 is cell -Inf at resolution 1e-300; the limit is 2^53"},
		{1, MaxIndex + 2, 0, ErrRange, "x = 9.007199254740994e+15 is cell 9.007e+15 at resolution 1; the limit is 2^53"},
	} {
		g := mustGrid(t, c.res)
		_, err := g.Cell(c.x, c.y)
		if !errors.Is(err, c.is) || err.Error() != c.text {
			t.Errorf("got %v\nwant %s", err, c.text)
		}
		i, err := g.Cells(make([]Cell, 3), []float64{0, 0, c.x}, []float64{0, 0, c.y})
		if i != 2 || !errors.Is(err, c.is) || err.Error() != c.text {
			t.Errorf("batch: row %d, %v\nwant %s", i, err, c.text)
		}
	}
}

func TestCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	g := mustGrid(t, 0.001)
	xs, ys, dst := make([]float64, 2048), make([]float64, 2048), make([]Cell, 2048)
	for i := range xs {
		xs[i], ys[i] = 360*rng.Float64()-180, 180*rng.Float64()-90
	}
	allocs := testing.AllocsPerRun(10, func() {
		if n, err := g.Cells(dst, xs, ys); n != len(xs) || err != nil {
			t.Fatal(n, err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	for i := range xs {
		if c, _ := g.Cell(xs[i], ys[i]); c != dst[i] {
			t.Fatalf("(%v %v): %v in a batch, %v alone", xs[i], ys[i], dst[i], c)
		}
	}
	if _, err := g.Cells(dst[:1], xs[:2], ys[:2]); !errors.Is(err, ErrLength) {
		t.Error(err)
	}
	if _, err := g.Cells(dst, xs[:2], ys[:1]); !errors.Is(err, ErrLength) {
		t.Error(err)
	}
}

func TestCenterIsInItsCell(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, res := range []float64{0.001, 0.01, 0.07, 0.1, 0.3, 1, 1.0 / 3, 1000, 1e-300, 1e290} {
		g := mustGrid(t, res)
		for range 10000 {
			c := Cell{rng.Int64N(1<<51) - 1<<50, rng.Int64N(2000) - 1000}
			x, y := g.Center(c)
			if got, err := g.Cell(x, y); err != nil || got != c {
				t.Fatalf("res %v: the centre of %v is in %v: %v", res, c, got, err)
			}
		}
	}
}

// beside is v, a number next to it, or one within half of res.
func beside(rng *rand.Rand, v, res float64) float64 {
	switch rng.IntN(4) {
	case 0:
		return math.Nextafter(v, math.Inf(1))
	case 1:
		return math.Nextafter(v, math.Inf(-1))
	case 2:
		return v + res*(rng.Float64()-0.5)
	}
	return v
}

// Boxes and scans rest on lower: it must agree with center exactly.
func TestLowerAgreesWithCenter(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, res := range []float64{leastRes, 1e-300, 0.001, 0.1, 1, 1.0 / 3, 7e5, 1e300, math.MaxFloat64} {
		g := mustGrid(t, res)
		for range 20000 {
			c := rng.Int64N(2*MaxIndex+1) - MaxIndex
			if rng.IntN(2) == 0 {
				c >>= rng.IntN(54)
			}
			v := beside(rng, g.center(c), res)
			if math.IsInf(v, 0) {
				continue // the end of float64 comes before MaxIndex
			}
			l := g.lower(v)
			if l < -MaxIndex || l > MaxIndex+1 || l <= MaxIndex && !(g.center(l) >= v) || l > -MaxIndex && !(g.center(l-1) < v) {
				t.Fatalf("res %v: lower(%v) = %d with centres %v and %v", res, v, l, g.center(l-1), g.center(l))
			}
		}
	}
}

func TestBox(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		res                    float64
		xmin, ymin, xmax, ymax float64
		want                   Rect
	}{
		{1, 0, 0, 3, 2, Rect{0, 0, 2, 1}},
		{1, 0.5, 0.5, 2.5, 1.5, Rect{0, 0, 1, 0}},
		{1, 0.6, 0, 1.4, 9, EmptyRect()},
		{1, 2, 2, 2, 2, EmptyRect()},
		{1, -inf, -inf, inf, inf, MaxRect()},
		{1, inf, 0, inf, 1, EmptyRect()},
		{1, -inf, 0, -inf, 1, EmptyRect()},
		{1e-300, -1e300, -1e300, 1e300, 1e300, MaxRect()},
		{10, -180, -90, 180, 90, Rect{-18, -9, 17, 8}},
	} {
		got, err := mustGrid(t, c.res).Box(c.xmin, c.ymin, c.xmax, c.ymax)
		if err != nil || got != c.want {
			t.Errorf("box %v %v %v %v: %v %v, want %v", c.xmin, c.ymin, c.xmax, c.ymax, got, err, c.want)
		}
	}
	for text, b := range map[string][4]float64{
		"box: ymin is NaN": {0, math.NaN(), 1, 1},
		"box: xmin 2 is above xmax 1 (the order is xmin, ymin, xmax, ymax)":                                                                               {2, 0, 1, 1},
		"box: xmin 170 is above xmax -170 (the order is xmin, ymin, xmax, ymax; ask two boxes for one across longitude 180: up to 180, and from -180 on)": {170, 0, -170, 1},
		"box: ymin 5 is above ymax -5 (the order is xmin, ymin, xmax, ymax)":                                                                              {0, 5, 1, -5},
	} {
		_, err := mustGrid(t, 1).Box(b[0], b[1], b[2], b[3])
		if !errors.Is(err, ErrBox) || err.Error() != text {
			t.Errorf("got %v, want %s", err, text)
		}
	}
}

func TestRect(t *testing.T) {
	e, full := EmptyRect(), Rect{math.MinInt64, math.MinInt64, math.MaxInt64, math.MaxInt64}
	r := Rect{0, 0, 3, 1}
	for _, c := range []struct {
		name      string
		got, want Rect
	}{
		{"intersect", r.Intersect(Rect{2, -5, 9, 0}), Rect{2, 0, 3, 0}},
		{"intersect apart", r.Intersect(Rect{4, 0, 9, 9}), e},
		{"intersect empty", r.Intersect(e), e},
		{"square", Cell{-3, 5}.Square(2), Rect{-3, 5, 0, 8}},
		{"union", r.Union(Rect{9, 9, 9, 9}), Rect{0, 0, 9, 9}},
		{"union empty", r.Union(e), r},
		{"empty union", e.Union(r), r},
		{"both empty", Rect{5, 0, 4, 0}.Union(e), e},
		{"extend", e.Extend(Cell{-3, 7}).Extend(Cell{1, 2}), Rect{-3, 2, 1, 7}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if !e.Empty() || r.Empty() || full.Empty() || !(Rect{1, 0, 0, 9}).Empty() {
		t.Error("Empty")
	}
	if !r.Contains(Cell{3, 1}) || r.Contains(Cell{4, 1}) || e.Contains(Cell{0, 0}) {
		t.Error("Contains")
	}
	if e.Count() != 0 || r.Count() != 8 || full.Count() != math.MaxUint64 || MaxRect().Count() != math.MaxUint64 {
		t.Error("Count")
	}
	if (Rect{0, 0, 1<<32 - 1, 1<<31 - 1}).Count() != 1<<63 {
		t.Error("Count of 2^63")
	}
}

func TestInterleave(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 10000 {
		x, y := rng.Uint32(), rng.Uint32()
		z := uint64(0)
		for i := range 32 {
			z |= uint64(x>>i&1)<<(2*i) | uint64(y>>i&1)<<(2*i+1)
		}
		if a, b := Deinterleave(z); Interleave(x, y) != z || a != x || b != y {
			t.Fatalf("%b %b: %b, back to %b %b", x, y, Interleave(x, y), a, b)
		}
	}
}
