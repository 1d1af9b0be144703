package ccbf

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// layout is the widths and sizes of layers.
type layout struct {
	widths []int
	sizes  []uint64
}

// oddLayouts has layers in which positions of one key meet: in the first layer, or in those above.
// They suit every kernel, and some counters lie across words.
var oddLayouts = []layout{
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

// TestCountersLoseNothing: no operation undercounts in layers that fill up, and in those whose positions
// meet. Operations are weights of any size, unions, folds, subtractions, removals, intersections, masks, levels
// and areas. Some counters are made of exact counts. A fold makes positions meet that were apart when they were counted.
func TestCountersLoseNothing(t *testing.T) {
	layouts := oddLayouts
	for _, widths := range [][]int{{2}, {4}, {5}, {2, 3}, {4, 8}, {2, 2, 2, 2}, {3, 4, 9}, {16, 16}, {4, 8, 16, 32}, {64}} {
		layouts = append(layouts, layout{widths, []uint64{16, 8, 4, 2}[4-len(widths):]})
	}
	subtracted := map[string]int{}
	for i, l := range layouts {
		for _, mode := range []Mode{MinimalIncrement, Standard} {
			for round := range 10 {
				r := rand.New(rand.NewPCG(220, uint64(100*i+round)))
				sizes := make([]uint64, len(l.sizes))
				for x, m := range l.sizes {
					sizes[x] = 4 * m // to be folded
				}
				cfg := config(t, Params{Dense: round%3 > 0, Mode: mode, Levels: round % 4, K: 1 + r.IntN(8), Widths: l.widths, Counters: sizes})
				top := r.UintN(64)
				some := func() points {
					p := weigh(r, hot(r, 60, 1+r.IntN(30)))
					if round%2 == 0 {
						p = p[:1+r.IntN(20)]
						for j := range p {
							p[j].n = 1 + r.Uint64N(1<<(63-top))
						}
					}
					return p
				}
				dense := func(c Config, p points) *Sketch {
					s := sketchOf(t, c, p)
					*s = *s.asDense(&s.Config)
					return s
				}
				fold := func(s *Sketch) *Sketch {
					size := mostHead(s.shape.Layers)
					for to := s.shape; ; {
						next, _, ok := to.Folded(&cascade.Shape{})
						if !ok {
							noError(t, s.Fold(size+to.Bytes()))
							return s
						}
						to = next
					}
				}
				pa, pb := some(), some()
				both := append(pa[:len(pa):len(pa)], pb...)
				check := func(what string, s *Sketch, want model) {
					t.Helper()
					masked := strings.HasPrefix(what, "mask") // which may drop the counter at its ceiling
					what = fmt.Sprintf("%v, counters %v, k %d, %s", mode, sizes, cfg.K(), what)
					if s.Saturated() != atCeiling(s) && !(masked && s.Saturated()) {
						t.Fatalf("%s: saturated is %v", what, s.Saturated())
					}
					v := viewOf(t, s.Blob())
					counts(t, what, v, want, false)
					for at, n := range want {
						if got := s.count(at.Cell, nil); got < n || got != v.Count(at.Cell, nil) {
							t.Fatalf("%s: %v reads %d, from the BLOB %d", what, at, got, v.Count(at.Cell, nil))
						}
					}
					if got, sum := must(v.Sum(Box(v.Bounds), Categories{})), want.in(grid.MaxRect(), Categories{}); got < sum {
						t.Fatalf("%s: %d in all cells, at least %d are there", what, got, sum)
					}
				}
				check("made", dense(cfg, pa), pa.model())
				check("folded", fold(dense(cfg, pa)), pa.model())
				u := must(unite(t, r, cfg, []points{pa, pb}, true).Sketch())
				*u = *u.asDense(&u.Config)
				check("united", u, both.model())
				if u.Fold(uint64(len(u.Blob()))-8) == nil {
					check("united and folded", u, both.model())
				}
				for _, op := range operations {
					s := dense(cfg, pa)
					noError(t, op.run(s, dense(cfg, pb)))
					want := combined(pa.model(), pb.model(), op.model)
					check(op.name, s, want)
					noError(t, s.Add(both[0].Cell, nil, both[0].n))
					want[both[0].spot] = saturate.Add(want[both[0].spot], both[0].n)
					check(op.name+" and one more", s, want)
					check(op.name+", folded", fold(s), want)
				}
				if mode == Standard && both.model().in(grid.MaxRect(), Categories{}) < math.MaxUint64 {
					s := dense(cfg, both)
					for _, o := range pb {
						noError(t, s.Remove(o.Cell, nil, o.n))
					}
					check("removed", s, pa.model())
					folded := fold(dense(cfg, pb))
					for _, c := range []struct {
						what        string
						whole, part *Sketch
					}{
						{"less a part", dense(cfg, both), dense(cfg, pb)},
						{"folded, less a folded part", fold(dense(cfg, both)), folded},
						{"counted in the folded shape, less a folded part", dense(folded.Config, both), folded},
					} {
						if c.part.Saturated() || c.whole.Saturated() {
							continue
						}
						noError(t, c.whole.Subtract(c.part))
						check(c.what, c.whole, pa.model())
						subtracted[c.what]++
					}
				}
			}
		}
	}
	if len(subtracted) < 3 {
		t.Errorf("subtractions of layers that are not full: %v", subtracted)
	}
}

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

// forms of sketches with levels, that 4,000 points of hot do not fit as a list.
func formsWithLevels(levels int) map[string]Params {
	return map[string]Params{
		"mi":           {Dense: true, Bytes: 4096, Levels: levels},
		"standard":     {Dense: true, Bytes: 4096, Levels: levels, Mode: Standard},
		"exact, mi":    {Bytes: 512, Levels: levels},
		"exact, sums":  {Bytes: 512, Levels: levels, Mode: Standard},
		"still exact":  {Bytes: 1 << 20, Levels: levels},
		"with totals":  {Dense: true, Bytes: 4096, Levels: levels, Categories: true, Totals: true},
		"totals later": {Bytes: 512, Levels: levels, Categories: true, Totals: true, Mode: Standard},
	}
}

// hotFor is hot, with a category where the sketch has some.
func hotFor(p Params, r *rand.Rand) points {
	pts := hot(r, 4000, 2000)
	if p.Categories {
		for i := range pts {
			pts[i].category = fmt.Sprint("c", i%3)
		}
	}
	return pts
}

// No square of any level reads below the truth, and every one reads as the sketch
// coarsened to its level says.
func TestLevelsNeverUndercount(t *testing.T) {
	const levels = 5
	for name, p := range formsWithLevels(levels) {
		t.Run(name, func(t *testing.T) {
			pts := hotFor(p, rand.New(rand.NewPCG(1, 1)))
			s := sketchOf(t, config(t, p), pts)
			blob := s.Blob()
			v := viewOf(t, blob)
			for level := uint8(0); level <= levels; level++ {
				c := must(Decode(blob))
				noError(t, c.Coarsen(1<<level))
				coarse := viewOf(t, c.Blob())
				if got := coarse.Grid.Res(); got != float64(uint64(1)<<level) {
					t.Fatalf("resolution %v at level %d", got, level)
				}
				truth := larger(pts.model(), 1<<level)
				counts(t, fmt.Sprint("level ", level), coarse, truth, v.IsExact())
				if a, _ := v.Total(); a != 4000 {
					t.Errorf("total %d", a)
				}
				if v.IsExact() {
					continue
				}
				for q := range truth {
					if a, b := levelCount(v, int(level), q.Cell, q.bytes()), coarse.Count(q.Cell, q.bytes()); a != b {
						t.Fatalf("level %d, square %v: %d, coarsened %d", level, q, a, b)
					}
				}
			}
		})
	}
}

// Parts that were exact and parts that were not combine after coarsening too.
func TestCoarsenThenUnite(t *testing.T) {
	c := config(t, Params{Bytes: 512, Levels: 3, Mode: Standard})
	r := rand.New(rand.NewPCG(3, 3))
	few, many := hot(r, 20, 2000), hot(r, 4000, 2000)
	var b *Builder
	for _, part := range []points{few, many} {
		s := sketchOf(t, c, part)
		noError(t, s.Coarsen(4))
		if b == nil {
			b = NewBuilder(s.Config, nil)
		}
		noError(t, b.AddView(viewOf(t, s.Blob())))
	}
	united := blobOf(t, b)
	counts(t, "united", viewOf(t, united), larger(append(few, many...).model(), 4), false)

	whole := sketchOf(t, c, append(few, many...))
	if whole.IsExact() {
		t.Fatal("the whole is still exact")
	}
	noError(t, whole.Coarsen(4))
	// Not the same bytes: the whole has counted the finer cells of few as well.
	counts(t, "whole", viewOf(t, whole.Blob()), larger(append(few, many...).model(), 4), false)
}

func TestCoarsenErrors(t *testing.T) {
	dense := sketchOf(t, config(t, Params{Dense: true, Bytes: 512, Levels: 2}), ten())
	for _, factor := range []uint64{0, 3, 12, 1 << (MaxLevels + 1), 1<<64 - 1} {
		if err := dense.Coarsen(factor); !errors.Is(err, sketch.ErrOption) {
			t.Errorf("factor %d: %v", factor, err)
		}
	}
	if err := dense.Coarsen(8); !errors.Is(err, ErrNoLevel) {
		t.Errorf("a level that is not there: %v", err)
	}
	if dense.Grid.Res() != 1 || dense.Levels != 2 {
		t.Errorf("an error changed the sketch: resolution %v, %d levels", dense.Grid.Res(), dense.Levels)
	}
	huge := sketchOf(t, config(t, Params{Res: 1e308}), nil)
	if err := huge.Coarsen(2); !errors.Is(err, grid.ErrResolution) {
		t.Errorf("a resolution that is no number: %v", err)
	}
}

// TestRemoveFromLevels: removing a point removes it from all levels.
func TestRemoveFromLevels(t *testing.T) {
	for _, totals := range []bool{false, true} {
		p := Params{Dense: true, Bytes: 4096, Mode: Standard, Levels: 4, Categories: totals, Totals: totals}
		pts := hotFor(p, rand.New(rand.NewPCG(4, 4)))
		s := sketchOf(t, config(t, p), pts[:2000])
		want := s.Blob()
		for _, o := range pts[2000:] {
			noError(t, s.Add(o.Cell, o.bytes(), o.n))
		}
		for _, o := range pts[2000:] {
			noError(t, s.Remove(o.Cell, o.bytes(), o.n))
		}
		d := must(Decode(want))
		// A flag may stay where the upper counter is shared, and so may bounds.
		for x := range d.shape.Layers {
			l, was := &s.dense.Layers[x], &d.dense.Layers[x]
			for j := range l.Size {
				if a, b := l.Load(j)&l.Mask, was.Load(j)&l.Mask; a != b {
					t.Fatalf("layer %d, counter %d is %d, was %d", x, j, a, b)
				}
			}
		}
	}
}
