package ccbf

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// oddLayouts has layers in which positions of one key meet: in the first layer, or in those above.
// They suit every kernel, and some counters lie across words.
var oddLayouts = []struct {
	widths []int
	sizes  []uint64
}{
	{[]int{8, 16}, []uint64{999, 333}},
	{[]int{4, 8, 16}, []uint64{945, 105, 5}},
	{[]int{16, 20}, []uint64{315, 45}},
	{[]int{32}, []uint64{225}},
	{[]int{3, 5, 14}, []uint64{810, 270, 2}},
	{[]int{24}, []uint64{99}},
	{[]int{4, 8, 16}, []uint64{128, 16, 1}},
	{[]int{8, 16, 32}, []uint64{63, 7, 1}},
	{[]int{4, 24}, []uint64{3, 1}},
	{[]int{7, 24}, []uint64{2, 1}},
	{[]int{32}, []uint64{1}},
}

// TestAKeyMeetsItself: a cell that shares no counters with others reads as its own count, even if
// its own positions meet. Points come at once or one by one, alone or in a batch.
func TestAKeyMeetsItself(t *testing.T) {
	r := rand.New(rand.NewPCG(201, 0))
	for _, l := range oddLayouts {
		for _, mode := range []Mode{MinimalIncrement, Standard} {
			for _, k := range []int{1, 2, 3, 4, 7, 32} {
				cfg := config(t, Params{Dense: true, Mode: mode, K: k, Seed: r.Uint64(), Widths: l.widths, Counters: l.sizes})
				cells := 200
				if k == 4 && l.sizes[0] > 900 {
					cells = 3000
				}
				for range cells {
					at := spot{grid.Cell{X: r.Int64N(1000), Y: r.Int64N(1000)}, plain}
					n := 1 + r.Uint64N(500)
					one := must(NewBuilder(cfg, nil).Sketch())
					for left := n; left > 0; {
						w := min(left, 1+r.Uint64N(40))
						noError(t, one.Add(at.Cell, nil, w))
						left -= w
					}
					var p points
					p.add(at, n)
					for range 3 {
						p.add(at, 1)
					}
					batch := viewOf(t, sketchOf(t, cfg, p).Blob())
					for _, read := range []struct{ got, want uint64 }{
						{one.count(at.Cell, nil), n},
						{viewOf(t, one.Blob()).Count(at.Cell, nil), n},
						{batch.Count(at.Cell, nil), n + 3},
					} {
						if read.got != read.want {
							t.Fatalf("%v, counters %v, k %d: %v reads %d, it alone has %d", mode, l.sizes, k, at.Cell, read.got, read.want)
						}
					}
					if mode == Standard { // what went in comes out
						noError(t, one.Remove(at.Cell, nil, n-1))
						if got := one.count(at.Cell, nil); got != 1 {
							t.Fatalf("counters %v, k %d: %v reads %d after all but one were removed", l.sizes, k, at.Cell, got)
						}
					}
				}
			}
		}
	}
}

// TestMeetingPositionsLoseNothing: no operation on grids undercounts in layers whose positions
// meet. These are fold, subtract, intersect, mask, and counters made of exact counts. A fold makes
// positions meet that were apart when they were counted.
func TestMeetingPositionsLoseNothing(t *testing.T) {
	for i, l := range oddLayouts {
		for _, mode := range []Mode{MinimalIncrement, Standard} {
			for round := range 12 {
				r := rand.New(rand.NewPCG(203, uint64(100*i+round)))
				sizes := make([]uint64, len(l.sizes))
				for x, m := range l.sizes {
					sizes[x] = 4 * m // to be folded
				}
				params := Params{Dense: round%2 == 0, Mode: mode, K: 1 + r.IntN(8), Levels: r.IntN(3), Widths: l.widths, Counters: sizes}
				cfg := config(t, params)
				cells := 1 + r.IntN(30)
				pa, pb := weigh(r, hot(r, 60, cells)), weigh(r, hot(r, 60, cells))
				both := append(pa[:len(pa):len(pa)], pb...)
				dense := func(p points) *Sketch {
					s := sketchOf(t, cfg, p)
					s.makeDense()
					return s
				}
				fold := func(s *Sketch) *Sketch {
					size := mostHead(s.shape.Layers)
					for to := s.shape; ; {
						next, _, ok := to.Folded()
						if !ok {
							noError(t, s.Fold(size+to.Bytes()))
							return s
						}
						to = next
					}
				}
				check := func(what string, s *Sketch, want model) {
					t.Helper()
					counts(t, fmt.Sprintf("%v, counters %v, k %d, %s", mode, l.sizes, params.K, what), viewOf(t, s.Blob()), want, false)
				}
				check("made", dense(pa), pa.model())
				check("folded", fold(dense(pa)), pa.model())
				for _, op := range operations {
					s := dense(pa)
					noError(t, op.run(s, dense(pb)))
					want := combined(pa.model(), pb.model(), op.model)
					check(op.name, s, want)
					check(op.name+", folded", fold(s), want)
				}
				if mode == Standard {
					s := fold(dense(both))
					noError(t, s.Subtract(fold(dense(pb))))
					check("folded, subtracted", s, pa.model())
					// Counted in the folded shape, less what was counted before a fold.
					part := fold(dense(pb))
					s = sketchOf(t, part.Config, both)
					s.makeDense()
					noError(t, s.Subtract(part))
					check("less a folded one", s, pa.model())
				}
			}
		}
	}
}
