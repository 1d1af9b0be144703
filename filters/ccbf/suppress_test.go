package ccbf

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/paulmach/orb"
)

// suppressed is a sketch of points in clusters, with outliers, and the sketch of them that was
// suppressed.
func suppressed(t *testing.T, r *rand.Rand, k uint64, p Params) (exact, hidden View) {
	t.Helper()
	s := must(New(p))
	categories := [][]byte{nil}
	if p.Categories {
		s.Class = key.Text
		categories = [][]byte{[]byte("home"), []byte("shop"), []byte("rare")}
	}
	for range 1 + r.IntN(6) {
		x, y, size := r.IntN(4000)-2000, r.IntN(4000)-2000, 1+r.IntN(60)
		for range r.IntN(150) {
			c := grid.Cell{X: int64(x + r.IntN(size)), Y: int64(y + r.IntN(size))}
			i := r.IntN(len(categories))
			if i == 2 && r.IntN(20) > 0 {
				i = 0
			}
			noError(t, s.Add(c, categories[i], 1+r.Uint64N(3)))
		}
	}
	exact = must(NewView(s.Blob()))
	if exact.Form() != Exact {
		t.Fatalf("a sketch in the form %v", exact.Form())
	}
	h := must(exact.Sketch())
	noError(t, h.Suppress(k))
	blob := h.Blob()
	if err := Check(blob); err != nil {
		t.Fatalf("suppressed with k = %d: %v", k, err)
	}
	return exact, must(NewView(blob))
}

// TestSuppressReveals queries a suppressed sketch: boxes, polygons, cells, categories, and
// differences of nested boxes. No count from 1 to k-1 is exact.
func TestSuppressReveals(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	r := rand.New(rand.NewPCG(38, 4))
	for round := range rounds {
		k := 2 + r.Uint64N(30)
		p := Params{Res: 1, Categories: round%2 == 1, Totals: round%4 == 1}
		_, v := suppressed(t, r, k, p)
		categories := [][]byte{nil}
		if p.Categories {
			categories = append(categories, []byte("home"), []byte("shop"), []byte("rare"))
		}
		small := func(n uint64) bool { return n > 0 && n < k }
		for _, category := range categories {
			spots := must(v.Cells(Box(grid.MaxRect()), Of(category)))
			for s := range spots {
				if small(s.Count) {
					t.Fatalf("k = %d: a leaf of %d points", k, s.Count)
				}
			}
			for range 200 {
				outer := anyBox(r)
				inner := grid.Rect{
					MinX: outer.MinX + r.Int64N(outer.MaxX-outer.MinX+1), MinY: outer.MinY + r.Int64N(outer.MaxY-outer.MinY+1),
					MaxX: outer.MaxX, MaxY: outer.MaxY,
				}
				a, b := must(v.Estimate(Box(outer), Of(category))), must(v.Estimate(Box(inner), Of(category)))
				if a.Low == a.High && small(a.Low) || small(a.High) || small(a.Low) {
					t.Fatalf("k = %d: from %d to %d points in %v", k, a.Low, a.High, outer)
				}
				// The count between them is known exactly only where both counts are.
				if a.Low == a.High && b.Low == b.High && small(a.Low-b.Low) {
					t.Fatalf("k = %d: %d points in %v, %d in %v", k, a.Low, outer, b.Low, inner)
				}
				if c := v.Count(grid.Cell{X: outer.MinX, Y: outer.MinY}, category); small(c) {
					t.Fatalf("k = %d: a cell of %d points", k, c)
				}
				x, y, w, h := float64(outer.MinX), float64(outer.MinY), float64(outer.MaxX-outer.MinX+1), float64(outer.MaxY-outer.MinY+1)
				e := must(v.Estimate(NewPolygon(orb.MultiPolygon{{{{x, y}, {x + w, y + h/3}, {x + w/2, y + h}, {x, y}}}}).Area(), Of(category)))
				if small(e.Low) || small(e.High) {
					t.Fatalf("k = %d: from %d to %d points in a triangle", k, e.Low, e.High)
				}
			}
		}
		if p.Categories {
			for _, c := range must(v.ListCategories()) {
				if small(c.Total) {
					t.Fatalf("k = %d: %d points of %s", k, c.Total, c.Key)
				}
			}
		}
	}
}

func anyBox(r *rand.Rand) grid.Rect {
	x, y := r.Int64N(4200)-2100, r.Int64N(4200)-2100
	side := int64(1) << r.IntN(12)
	return grid.Rect{MinX: x, MinY: y, MaxX: x + r.Int64N(side), MaxY: y + r.Int64N(side)}
}

// TestSuppressKeeps: all points are kept or counted as dropped, and what is kept is within the
// bounds of every sum.
func TestSuppressKeeps(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 5))
	for round := range 30 {
		k := 2 + r.Uint64N(20)
		exact, v := suppressed(t, r, k, Params{Res: 1, Categories: round%2 == 1})
		info, all := v.Info(), exact.header.Total
		total, _ := v.Total()
		dropped := all - total
		if dropped > 0 {
			dropped = max(dropped, k) // not itself a small count
		}
		if info.Suppressed != dropped || info.AtLeast != k {
			t.Fatalf("k = %d: %d points and %d dropped of %d; at least %d", k, total, info.Suppressed, all, info.AtLeast)
		}
		categories := [][]byte{nil}
		if exact.Categories {
			categories = [][]byte{[]byte("home"), []byte("shop")}
			for _, c := range must(exact.ListCategories()) { // those with fewer in all are dropped
				want := c.Total
				if c.Total < k {
					want = 0
				}
				if got := must(v.Sum(Box(grid.MaxRect()), Of(c.Key))); got != want {
					t.Fatalf("k = %d: %d points of %s, %d before", k, got, c.Key, c.Total)
				}
			}
		}
		for _, category := range categories {
			if total := must(exact.Sum(Box(grid.MaxRect()), Of(category))); total < k {
				continue
			}
			for range 100 {
				box := anyBox(r)
				truth, e := must(exact.Sum(Box(box), Of(category))), must(v.Estimate(Box(box), Of(category)))
				if truth < e.Low || truth > e.High {
					t.Fatalf("k = %d: %d points in %v, from %d to %d when suppressed", k, truth, box, e.Low, e.High)
				}
			}
		}
	}
}

// TestSuppressAgain: with more than there are nothing is left, and no point is counted twice
// where a sketch is suppressed again.
func TestSuppressAgain(t *testing.T) {
	s := must(New(Params{Res: 1}))
	for i := range int64(40) {
		noError(t, s.Add(grid.Cell{X: i * i, Y: -i}, nil, 1))
	}
	noError(t, s.Suppress(5))
	once := s.Blob()
	again := must(Decode(once))
	noError(t, again.Suppress(5))
	if !bytes.Equal(again.Blob(), once) {
		t.Error("suppressed twice it is another sketch")
	}
	noError(t, again.Suppress(41))
	v := must(NewView(again.Blob()))
	if total, known := v.Total(); total != 0 || !known || v.Info().Suppressed != 41 || Check(again.Blob()) != nil {
		t.Errorf("a total of %d, %d dropped, %v", total, v.Info().Suppressed, Check(again.Blob()))
	}
}

// TestSuppressForgets: what was added later is not suppressed, and the sketch does not say so.
func TestSuppressForgets(t *testing.T) {
	s := must(New(Params{Res: 1}))
	noError(t, s.Add(grid.Cell{}, nil, 9))
	noError(t, s.Suppress(5))
	noError(t, s.Add(grid.Cell{X: 70}, nil, 1))
	v := must(NewView(s.Blob()))
	if info := v.Info(); info.AtLeast != 0 || v.Count(grid.Cell{X: 70}, nil) != 1 {
		t.Errorf("at least %d after a point was added", info.AtLeast)
	}
}

func TestSuppressRefuses(t *testing.T) {
	for _, k := range []uint64{0, 1, MaxLeast + 1} {
		if err := must(New(Params{Res: 1})).Suppress(k); !errors.Is(err, sketch.ErrOption) {
			t.Errorf("k = %d: %v", k, err)
		}
	}
	for _, p := range []Params{{Res: 1, Dense: true}, {Res: 1, Overflow: ToCounters}} {
		if err := must(New(p)).Suppress(5); !errors.Is(err, ErrSuppress) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// TestSuppressMeetsCounters: a builder that must suppress refuses counters, which cannot be, in either order.
func TestSuppressMeetsCounters(t *testing.T) {
	dense := must(New(Params{Res: 1, Dense: true}))
	noError(t, dense.Add(grid.Cell{X: 1, Y: 1}, nil, 1))
	v := must(NewView(dense.Blob()))
	for _, first := range []bool{true, false} {
		var one points
		one.add(spot{category: plain}, 1)
		b := builderOf(t, config(t, Params{AtLeast: 10}), one)
		if first {
			noError(t, b.AddView(&v))
		} else {
			c := NewBuilder(dense.Config, nil)
			noError(t, c.AddView(&v))
			noError(t, c.Merge(b))
			b = c
		}
		if _, err := b.Sketch(); !errors.Is(err, ErrSuppress) {
			t.Errorf("counters first %v: %v", !first, err)
		}
	}
}
