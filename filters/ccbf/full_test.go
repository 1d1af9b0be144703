package ccbf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// A cell whose counters are all full reads as the total, which no cell exceeds.
func TestFullCountersReadAsTheTotal(t *testing.T) {
	here, there := spot{grid.Cell{X: 3, Y: 4}, plain}, spot{grid.Cell{X: 30, Y: 40}, plain}
	for _, mode := range []Mode{MinimalIncrement, Standard} {
		for _, widths := range [][]int{{4}, {2, 2}, {8}, {3, 4}} {
			params := Params{Dense: true, Mode: mode, Widths: widths}
			s := sketchOf(t, config(t, params), points{{here, 1000}, {there, 1}})
			v := viewOf(t, s.Blob())
			if got := v.Count(here.Cell, nil); got != 1001 || !v.saturated() {
				t.Errorf("%v, widths %v: 1000 of 1001 points read %d, saturated %v", mode, widths, got, v.saturated())
			}
			if got := v.Count(there.Cell, nil); got != 1 {
				t.Errorf("%v, widths %v: a point far from full counters reads %d", mode, widths, got)
			}
			if mode == Standard {
				noError(t, s.Remove(here.Cell, nil, 990))
				if got := s.count(here.Cell, nil); got != 11 {
					t.Errorf("widths %v: %d of 11 points after a removal", widths, got)
				}
			}
			// Without a total there is only what can be counted at all.
			noError(t, s.Mask(must(Decode(s.Blob()))))
			if got := viewOf(t, s.Blob()).Count(here.Cell, nil); got != math.MaxUint64 {
				t.Errorf("%v, widths %v: %d after a mask, whose total is unknown", mode, widths, got)
			}
		}
	}
}

// Counters that fill up lose nothing on any path: weights of any size, unions,
// folds, removals, intersections, levels, areas.
func TestFullCountersAreNeverTooLow(t *testing.T) {
	for i, widths := range [][]int{{2}, {4}, {5}, {2, 3}, {4, 8}, {2, 2, 2, 2}, {3, 4, 9}, {16, 16}, {4, 8, 16, 32}, {64}} {
		for _, mode := range []Mode{MinimalIncrement, Standard} {
			for round := range 10 {
				r := rand.New(rand.NewPCG(220, uint64(10*i+round)))
				sizes := []uint64{64, 32, 16, 8}[4-len(widths):]
				cfg := config(t, Params{Dense: round%3 > 0, Mode: mode, Levels: round % 4, K: 1 + r.IntN(5), Widths: widths, Counters: sizes})
				top := r.UintN(64)
				some := func() points {
					var p points
					for range 1 + r.IntN(20) {
						p.add(spot{grid.Cell{X: r.Int64N(6) - 3, Y: r.Int64N(6) - 3}, plain}, 1+r.Uint64N(1<<(63-top)))
					}
					return p
				}
				dense := func(p points) *Sketch {
					s := sketchOf(t, cfg, p)
					s.makeDense()
					return s
				}
				pa, pb := some(), some()
				both := append(pa[:len(pa):len(pa)], pb...)
				check := func(what string, s *Sketch, want model) {
					t.Helper()
					blob := s.Blob()
					if s.Saturated() != atCeiling(s) {
						t.Fatalf("%v, widths %v, %s: saturated is %v", mode, widths, what, s.Saturated())
					}
					v := viewOf(t, blob)
					counts(t, fmt.Sprintf("%v, widths %v, %s", mode, widths, what), v, want, false)
					sum := uint64(0)
					for at, n := range want {
						sum = saturate.Add(sum, n)
						if got := s.count(at.Cell, nil); got < n || got != v.Count(at.Cell, nil) {
							t.Fatalf("%v, widths %v, %s: %v reads %d, from the BLOB %d", mode, widths, what, at, got, v.Count(at.Cell, nil))
						}
					}
					got := must(v.Sum(Box(grid.Rect{MinX: -4, MinY: -4, MaxX: 3, MaxY: 3}), Categories{}))
					if got < sum {
						t.Fatalf("%v, widths %v, %s: %d in all cells, at least %d are there", mode, widths, what, got, sum)
					}
				}
				check("made", dense(pa), pa.model())
				u := must(unite(t, r, cfg, []points{pa, pb}, true).Sketch())
				u.makeDense()
				check("united", u, both.model())
				if u.Fold(uint64(len(u.Blob()))-8) == nil {
					check("folded", u, both.model())
				}
				for _, op := range operations {
					s := dense(pa)
					noError(t, op.run(s, dense(pb)))
					want := combined(pa.model(), pb.model(), op.model)
					check(op.name, s, want)
					noError(t, s.Add(both[0].Cell, nil, both[0].n))
					want[both[0].spot] = saturate.Add(want[both[0].spot], both[0].n)
					check(op.name+" and one more", s, want)
				}
				total := uint64(0)
				for _, o := range both {
					total = saturate.Add(total, o.n)
				}
				if mode == Standard && total < math.MaxUint64 {
					s := dense(both)
					for _, o := range pb {
						noError(t, s.Remove(o.Cell, nil, o.n))
					}
					check("removed", s, pa.model())
				}
			}
		}
	}
}

// A total that reached 2^64-1 does not tell what is left after a removal: it stays,
// for full counters read as it.
func TestATotalBeyondItsRangeStays(t *testing.T) {
	here, there := spot{grid.Cell{X: 3}, plain}, spot{grid.Cell{X: 30}, plain}
	cfg := config(t, Params{Dense: true, Mode: Standard, Widths: []int{4}, Counters: []uint64{1 << 16}})
	s := sketchOf(t, cfg, points{{here, math.MaxUint64}, {there, math.MaxUint64}})
	noError(t, s.Remove(there.Cell, nil, math.MaxUint64))
	if got := must(Decode(s.Blob())).count(here.Cell, nil); got != math.MaxUint64 || s.Total != math.MaxUint64 {
		t.Errorf("%d points left, a total of %d", got, s.Total)
	}
}
