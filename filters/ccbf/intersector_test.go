package ccbf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// values of a sketch's counters, an exact one's as if it were dense.
func valuesOf(s *Sketch) []uint64 { return s.asDense(&s.Config).dense.Values() }

// TestIntersectorIsTheLeastOfValues: intersecting counters keeps the least value of each, in any
// order and grouping. A counter that shares its upper counters reads as no less.
func TestIntersectorIsTheLeastOfValues(t *testing.T) {
	for _, l := range kit.Layouts {
		for _, mode := range []Mode{MinimalIncrement, Standard} {
			r := rand.New(rand.NewPCG(91, uint64(len(l.Widths))))
			cfg := config(t, Params{Dense: true, Mode: mode, K: 2, Widths: l.Widths, Counters: l.Sizes})
			var want []uint64
			var views []*View
			for i := range 5 {
				var p points
				for range 6 {
					p.add(spot{grid.Cell{X: r.Int64N(12)}, plain}, 1+r.Uint64N(1<<r.IntN(12)))
				}
				s := sketchOf(t, cfg, p)
				if i == 0 {
					want = valuesOf(s)
				}
				for j, n := range valuesOf(s) {
					want[j] = min(want[j], n)
				}
				views = append(views, viewOf(t, s.Blob()))
			}
			s := intersection(t, r, views, false)
			for j, n := range valuesOf(s) {
				if n < want[j] || n > want[j] && (len(l.Widths) == 1 || want[j] == 0) {
					t.Fatalf("%v, widths %v: counter %d reads %d, want %d", mode, l.Widths, j, n, want[j])
				}
			}
			if s.Saturated() != atCeiling(s) {
				t.Errorf("%v, widths %v: saturated is %v", mode, l.Widths, s.Saturated())
			}
			if s.TotalKnown || s.Total != 0 || s.sums() {
				t.Errorf("total %d, known %v, additive %v", s.Total, s.TotalKnown, s.sums())
			}
			for range 6 {
				sameBytes(t, "another order", s.Blob(), intersection(t, r, views, true).Blob())
			}
		}
	}
}

// intersection intersects views, in a random order and tree where mixed.
func intersection(t testing.TB, r *rand.Rand, views []*View, mixed bool) *Sketch {
	t.Helper()
	xs := make([]*intersector, 0, len(views))
	one := newIntersector(nil)
	for _, i := range r.Perm(len(views)) {
		if !mixed {
			noError(t, one.AddView(views[i]))
			continue
		}
		x := newIntersector(nil)
		noError(t, x.AddView(views[i]))
		xs = append(xs, x)
	}
	for len(xs) > 1 {
		i := r.IntN(len(xs) - 1)
		want := must(xs[i+1].Sketch()).Blob()
		noError(t, xs[i].Merge(xs[i+1]))
		sameBytes(t, "the source of a merge", want, must(xs[i+1].Sketch()).Blob())
		xs = append(xs[:i+1], xs[i+2:]...)
	}
	if mixed {
		one = xs[0]
	}
	return must(one.Sketch())
}

// Exact sketches, dense ones and both together: order does not matter, and no
// cell that is in all of them counts too little.
func TestIntersectorOfAnyForms(t *testing.T) {
	for _, mode := range []Mode{MinimalIncrement, Standard} {
		for _, forms := range []string{"e", "d", "ee", "ed", "eed", "edd", "eeedd", "eeeee"} {
			t.Run(fmt.Sprint(mode, " ", forms), func(t *testing.T) {
				r := rand.New(rand.NewPCG(92, uint64(len(forms))))
				var views []*View
				var want model
				for i, form := range forms {
					cfg := config(t, Params{Dense: form == 'd', Mode: mode, Overflow: ToCounters, Bytes: 1 << 12, Categories: true, Totals: true})
					var p points
					for range 400 {
						p.add(spot{grid.Cell{X: r.Int64N(15), Y: r.Int64N(15)}, categories[r.IntN(2)]}, 1+r.Uint64N(300))
					}
					if i == 1 && len(forms) == 5 {
						p = nil // of no class, and then of another
					}
					s := sketchOf(t, cfg, p)
					if s.IsExact() != (form == 'e') {
						t.Fatal("not the form that was meant")
					}
					views = append(views, viewOf(t, s.Blob()))
					if i == 0 {
						want = p.model()
					}
					want = combined(want, p.model(), func(x, y uint64) uint64 { return min(x, y) })
				}
				s := intersection(t, r, views, false)
				exact := s.IsExact()
				counts(t, "the intersection", viewOf(t, s.Blob()), want, exact)
				if all := viewOf(t, s.Blob()); exact && all.Info().Cells != uint64(len(want)) {
					t.Errorf("%d cells, want %d", all.Info().Cells, len(want))
				}
				for range 10 {
					sameBytes(t, "another order", s.Blob(), intersection(t, r, views, r.IntN(2) == 0).Blob())
				}
			})
		}
	}
}

func TestIntersectorErrorsAndBudget(t *testing.T) {
	if s, err := newIntersector(nil).Sketch(); s != nil || !errors.Is(err, sketch.ErrInvalid) {
		t.Errorf("an intersection of nothing: %v", err)
	}
	r := rand.New(rand.NewPCG(93, 0))
	for _, p := range []Params{{Bytes: 1 << 12}, {Bytes: 1 << 12, Dense: true}} {
		v := viewOf(t, blobOf(t, builderOf(t, config(t, p), hot(r, 1000, 500))))
		refused := newIntersector(&budget{limit: 100})
		if err := refused.AddView(v); !errors.Is(err, errFull) {
			t.Error(err)
		}
		budget := &budget{limit: 1 << 20}
		x, y := newIntersector(budget), newIntersector(nil)
		for range 100 { // as often as it takes for what is not given back to show
			noError(t, y.AddView(v))
			noError(t, x.AddView(v))
			noError(t, x.Merge(y))
		}
		if budget.now != x.held || x.held > 100_000 {
			t.Errorf("%d bytes granted, %d accounted for", budget.now, x.held)
		}
	}
}
