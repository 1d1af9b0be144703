package ccbf

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// combined is a model of both, cell by cell.
func combined(a, b model, f func(x, y uint64) uint64) model {
	m := model{}
	for s, x := range a {
		if n := f(x, b[s]); n > 0 {
			m[s] = n
		}
	}
	return m
}

var operations = []struct {
	name  string
	run   func(a, b *Sketch) error
	model func(x, y uint64) uint64
}{
	{"intersect", (*Sketch).Intersect, func(x, y uint64) uint64 { return min(x, y) }},
	{"mask", (*Sketch).Mask, func(x, y uint64) uint64 {
		if y == 0 {
			return 0
		}
		return x
	}},
}

// subtract(union(a, b), b) is a: cell by cell while exact; by its values, its
// total and mostly its bytes where dense. (Flags that only b's counters had may
// stay while others share their upper counters.)
func TestSubtractUndoesUnion(t *testing.T) {
	for name, params := range forms() {
		if params.Mode == MinimalIncrement && name != "exact" {
			continue
		}
		for round := range 8 {
			r := rand.New(rand.NewPCG(82, uint64(round)))
			cfg := config(t, params)
			pa, pb := weigh(r, hot(r, []int{0, 30, 1500}[round%3], 700)), weigh(r, hot(r, 300, 700))
			if name == "dense, packed sums" { // 12 bits of value saturate soon
				pa, pb = hot(r, 1000, 700), hot(r, 300, 700)
			}
			a, b := sketchOf(t, cfg, pa), sketchOf(t, cfg, pb)
			both := builderOf(t, cfg, pa)
			noError(t, both.AddView(viewOf(t, b.Blob())))
			u := must(Decode(blobOf(t, both)))
			if u.Saturated() {
				t.Fatal("saturated")
			}
			before := b.Blob()
			exact := u.IsExact()
			if err := u.Subtract(b); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			sameBytes(t, "the right side", before, b.Blob())
			if u.Total != a.Total || !u.TotalKnown {
				t.Errorf("%s: total %d, want %d", name, u.Total, a.Total)
			}
			v := viewOf(t, u.Blob())
			counts(t, name, v, pa.model(), exact)
			if exact {
				sameBytes(t, name, a.Blob(), u.Blob())
				continue
			}
			// Digits are sums, whatever the flags: they equal the digits of a.
			ad := a.asDense(&a.Config).dense
			stray := false
			for x := range ad.Shape.Layers {
				l, m := &ad.Layers[x], &u.dense.Layers[x]
				for j := range l.Size {
					p, q := l.Load(j), m.Load(j)
					if p&l.Mask != q&l.Mask || p&l.Flag != 0 && q&l.Flag == 0 {
						t.Fatalf("%s: layer %d, counter %d is %#x, want %#x", name, x, j, q, p)
					}
					stray = stray || p != q
				}
			}
			if !stray && ad.Shape.Layers == 1 {
				sameBytes(t, name, ad.Body, u.dense.Body)
			}
		}
	}
}

func TestSubtractWhatIsNoPart(t *testing.T) {
	cell := func(i int64) spot { return spot{grid.Cell{X: i, Y: -i}, plain} }
	var small, other, more points
	small.add(cell(1), 3)
	other.add(cell(2), 1)
	more.add(cell(1), 4)
	for _, left := range []Params{{}, {Dense: true}} {
		for _, right := range []Params{{}, {Dense: true}} {
			left.Mode, right.Mode = Standard, Standard
			for _, p := range []points{other, more} {
				s, o := sketchOf(t, config(t, left), small), sketchOf(t, config(t, right), p)
				before, ob := s.Blob(), o.Blob()
				if err := s.Subtract(o); !errors.Is(err, sketch.ErrTooMany) {
					t.Errorf("left %v, right %v: %v", left.Dense, right.Dense, err)
				}
				sameBytes(t, "after the error", before, s.Blob())
				sameBytes(t, "the right side after the error", ob, o.Blob())
				if s.IsExact() == left.Dense || o.IsExact() == right.Dense {
					t.Errorf("left %v, right %v: the form changed", left.Dense, right.Dense)
				}
			}
		}
	}
	// Modes and operations that are no sums.
	mi := config(t, Params{Dense: true})
	s, o := sketchOf(t, mi, small), sketchOf(t, mi, small)
	if err := s.Subtract(o); !errors.Is(err, sketch.ErrNotAdditive) {
		t.Error(err)
	}
	standard := config(t, Params{Dense: true, Mode: Standard})
	s, o = sketchOf(t, standard, small), sketchOf(t, standard, small)
	noError(t, o.Mask(s))
	if err := s.Subtract(o); !errors.Is(err, sketch.ErrNotAdditive) {
		t.Error(err)
	}
	if err := o.Subtract(s); !errors.Is(err, sketch.ErrNotAdditive) {
		t.Error(err)
	}
}

// TestMismatchedSketches: cells must always agree, and counters if both sketches have some.
func TestMismatchedSketches(t *testing.T) {
	exact, dense := Params{Res: 1, Bytes: 4096}, Params{Res: 1, Bytes: 4096, Dense: true}
	for _, c := range []struct {
		left, right Params
		want        string
	}{
		{exact, Params{Res: 2.5}, "sketches differ: resolution 1 vs 2.5; build both with the same resolution"},
		{exact, Params{Res: 2}, "sketches differ: resolution 1 vs 2; build both with the same resolution, or ccbf_coarsen that of 1 by 2"},
		{dense, Params{Res: 0.1}, "sketches differ: resolution 1 vs 0.1; build both with the same resolution, or ccbf_coarsen that of 0.1 by 10"},
		{exact, Params{Res: 1, Categories: true}, "sketches differ: category false vs true; build both with a category, or both without"},
		{dense, Params{Res: 1, Categories: true}, "sketches differ: category false vs true; build both with a category, or both without"},
		{dense, Params{Res: 1, Bytes: 4096, Dense: true, Mode: Standard}, "sketches differ: mode mi vs standard; build both with the same mode"},
		{dense, Params{Res: 1, Bytes: 4096, Dense: true, K: 5}, "sketches differ: k 4 vs 5; build both with the same k"},
		{dense, Params{Res: 1, Bytes: 4096, Dense: true, Seed: 1}, "sketches differ: seed 0 vs 1; build both with the same seed"},
		{dense, Params{Res: 1, Bytes: 4096, Dense: true, Levels: 2}, "sketches differ: levels 0 vs 2; build both with the same levels"},
		{dense, Params{Res: 1, Bytes: 4096, Dense: true, Widths: []int{8, 16}}, "sketches differ: layers [4 8 16 32] vs [8 16]; build both with the same layers"},
		{dense, Params{Res: 1, Dense: true, Counters: []uint64{512, 64, 8, 1}}, "sketches differ: counters [5632 704 88 11] vs [512 64 8 1]; build both with the same counters"},
		{Params{Res: 1, Dense: true, Categories: true, Totals: true}, Params{Res: 1, Dense: true, Categories: true}, "sketches differ: totals true vs false; build both with the same totals"},
	} {
		var cell points
		if cell.add(spot{grid.Cell{X: 1}, plain}, 1); c.left.Categories {
			cell[0].category = "x"
		}
		a, b := sketchOf(t, config(t, c.left), cell), emptySketch(c.right)
		before, ob := a.Blob(), b.Blob()
		x := newIntersector(nil)
		noError(t, x.AddView(viewOf(t, before)))
		d := builderOf(t, a.Config, cell)
		for what, err := range map[string]error{
			"intersect": a.Intersect(b), "mask": a.Mask(b), "subtract": a.Subtract(b),
			"intersector": x.AddView(viewOf(t, ob)), "union": d.AddView(viewOf(t, ob)), "merge": d.Merge(NewBuilder(b.Config, nil)),
		} {
			if !errors.Is(err, sketch.ErrDiffer) || err.Error() != c.want {
				t.Errorf("%s: %v, want %s", what, err, c.want)
			}
		}
		sameBytes(t, "after errors", before, a.Blob())
		sameBytes(t, "the right side after errors", ob, b.Blob())
	}
}

// Removals and moves of an exact sketch against a model, counts up to 2^64. Nothing can be taken
// out of a count of 2^64-1, which can be of more points.
func TestChangesWhileExact(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 0))
	s, m := emptySketch(Params{Res: 1}), model{}
	cell := func() spot { return spot{grid.Cell{X: r.Int64N(5), Y: r.Int64N(5) << 31}, plain} }
	for i := range 4000 {
		c, n := cell(), r.Uint64()>>r.UintN(64)
		if i%500 == 7 {
			n = math.MaxUint64
		}
		switch r.IntN(4) {
		case 0, 1:
			want := sketch.ErrTooMany
			if m[c] == math.MaxUint64 {
				want = sketch.ErrNotAdditive
			}
			if err := s.Remove(c.Cell, nil, n); (err == nil) != (n <= m[c] && (n == 0 || m[c] < math.MaxUint64)) || err != nil && !errors.Is(err, want) {
				t.Fatalf("removing %d of %d: %v", n, m[c], err)
			} else if err == nil {
				m[c] -= n
			}
		case 2:
			noError(t, s.Add(c.Cell, nil, n))
			m[c] = saturate.Add(m[c], n)
		case 3:
			to := cell()
			if err := s.Move(c.Cell, to.Cell, nil, nil); m[c] == math.MaxUint64 {
				if !errors.Is(err, sketch.ErrNotAdditive) {
					t.Fatal(err)
				}
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			n := m[c]
			m[c] = 0
			m[to] = saturate.Add(m[to], n)
		}
		if i%20 == 0 {
			v := viewOf(t, s.Blob()) // with the total that the header must have
			counts(t, "after a change", v, m, true)
			var p points
			for c, n := range m {
				p.add(c, n)
			}
			sameBytes(t, "the sketch of what is left", blobOf(t, builderOf(t, s.Config, p)), s.Blob())
		}
	}
}

// TestMoveRefused: a move to a place that the sketch cannot have changes nothing.
func TestMoveRefused(t *testing.T) {
	var five points
	five.add(spot{category: plain}, 5)
	s := sketchOf(t, config(t, Params{}), five)
	before := s.Blob()
	if err := s.Move(grid.Cell{}, grid.Cell{X: 1 << 60}, nil, nil); !errors.Is(err, grid.ErrRange) {
		t.Error(err)
	}
	sameBytes(t, "a sketch after a move beyond all cells", s.Blob(), before)
}

func TestMoveWhileDense(t *testing.T) {
	r := rand.New(rand.NewPCG(84, 0))
	cfg := config(t, Params{Dense: true, Mode: Standard, Bytes: 1 << 13})
	p := hot(r, 3000, 500)
	s, m := sketchOf(t, cfg, p), p.model()
	for range 1000 {
		from, to := p[r.IntN(len(p))].spot, p[r.IntN(len(p))].spot
		n := r.Uint64N(m[from] + 1)
		noError(t, s.Move(from.Cell, to.Cell, nil, &n))
		m[from] -= n
		m[to] += n
	}
	counts(t, "after moves", viewOf(t, s.Blob()), m, false)
	if s.Total != uint64(len(p)) {
		t.Errorf("total %d", s.Total)
	}
	if err := s.Move(p[0].Cell, p[1].Cell, nil, nil); !errors.Is(err, ErrNeedsWeight) {
		t.Error(err)
	}
}

// TestRemovalNeverBorrowsFromNothing: removing a point that was never added is not always detected.
// It is if the key's own positions share counters. No counter may ever fall below zero.
func TestRemovalNeverBorrowsFromNothing(t *testing.T) {
	refused := 0
	for _, l := range kit.Layouts {
		for _, totals := range []bool{false, true} {
			r := rand.New(rand.NewPCG(85, uint64(len(l.Widths))))
			cfg := config(t, Params{Dense: true, Mode: Standard, K: 5, Widths: l.Widths, Counters: l.Sizes, Categories: totals, Totals: totals})
			for range 100 {
				s := sketchOf(t, cfg, nil)
				category := []byte(nil)
				if totals {
					category = []byte("x")
				}
				for i := range r.Int64N(4) {
					noError(t, s.Add(grid.Cell{X: i}, category, r.Uint64N(200)))
				}
				for range 10 {
					c := grid.Cell{X: r.Int64N(10)}
					have, before := s.count(c, category), append([]byte(nil), s.dense.Body...)
					if have == 0 || s.Saturated() {
						continue
					}
					values := s.dense.Values()
					err := s.Remove(c, category, 1+r.Uint64N(have))
					if err != nil {
						refused++
						sameBytes(t, "after a refusal", before, s.dense.Body)
						continue
					}
					for j, n := range s.dense.Values() {
						if n > values[j] {
							t.Fatalf("widths %v: a removal raised counter %d from %d to %d", l.Widths, j, values[j], n)
						}
					}
				}
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}
