package ccbf

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// larger is a model in cells factor times as large.
func larger(m model, factor int64) model {
	out := model{}
	for s, n := range m {
		// Not as the code does it: down to the multiple below, then divided.
		down := func(v int64) int64 { return (v - (v%factor+factor)%factor) / factor }
		out[spot{grid.Cell{X: down(s.X), Y: down(s.Y)}, s.category}] += n
	}
	return out
}

// TestCoarsenByAnyFactor: an exact sketch coarsened by any factor has the bytes of one built on the
// coarser grid. A tree is never below the truth, and its bounds of sums hold.
func TestCoarsenByAnyFactor(t *testing.T) {
	for _, factor := range []int64{1, 2, 3, 5, 7, 10, 12, 100, 255, 1 << 20} {
		r := rand.New(rand.NewPCG(311, uint64(factor)))
		p := strewn(r, 2000)
		p.add(spot{grid.Cell{X: 1<<40 + 3, Y: -1 << 33}, plain}, 5) // in regions of their own
		p.add(spot{grid.Cell{X: -1 << 40, Y: 1<<33 + 1}, plain}, 7)
		model := larger(p.model(), factor)
		s := sketchOf(t, config(t, Params{Res: 0.25}), p)
		noError(t, s.Coarsen(uint64(factor)))
		var q points
		for s, n := range model {
			q.add(s, n)
		}
		want := sketchOf(t, config(t, Params{Res: 0.25 * float64(factor)}), q)
		sameBytes(t, fmt.Sprint("by ", factor), want.Blob(), s.Blob())

		p = strewn(r, 4000)
		model = larger(p.model(), factor)
		s = sketchOf(t, config(t, Params{Bytes: 3000}), p)
		if s.Form() != Tree {
			t.Fatal("no tree")
		}
		total := s.Total
		noError(t, s.Coarsen(uint64(factor)))
		blob := s.Blob()
		noError(t, Check(blob))
		v := viewOf(t, blob)
		if n, known := v.Total(); n != total || !known {
			t.Errorf("by %d: %d points, %d before", factor, n, total)
		}
		counts(t, fmt.Sprint("a tree by ", factor), v, model, false)
		for range 50 {
			a := grid.Cell{X: r.Int64N(500)/factor - 250/factor, Y: r.Int64N(500)/factor - 250/factor}
			box := grid.Rect{MinX: a.X, MinY: a.Y, MaxX: a.X + r.Int64N(1+200/factor), MaxY: a.Y + r.Int64N(1+200/factor)}
			truth := uint64(0)
			for s, n := range model {
				if box.Contains(s.Cell) {
					truth += n
				}
			}
			if e := must(v.Estimate(Box(box), Categories{})); e.Low > truth || e.High < truth || !e.Certain {
				t.Fatalf("by %d: %+v, truth %d", factor, e, truth)
			}
		}
	}
}

// A factor after another is their product, and coarsening and uniting commute while exact.
func TestCoarsenTwice(t *testing.T) {
	r := rand.New(rand.NewPCG(312, 0))
	p, q := strewn(r, 500), strewn(r, 500)
	c := config(t, Params{Res: 0.001})
	once, twice := sketchOf(t, c, p), sketchOf(t, c, p)
	noError(t, once.Coarsen(30))
	noError(t, twice.Coarsen(10))
	noError(t, twice.Coarsen(3))
	sameBytes(t, "by 10 and by 3", once.Blob(), twice.Blob())
	both, other := sketchOf(t, c, append(p[:len(p):len(p)], q...)), sketchOf(t, c, q)
	noError(t, both.Coarsen(30))
	noError(t, other.Coarsen(30))
	b := NewBuilder(once.Config, nil)
	noError(t, b.AddView(viewOf(t, once.Blob())))
	noError(t, b.AddView(viewOf(t, other.Blob())))
	sameBytes(t, "united", both.Blob(), blobOf(t, b))
}
