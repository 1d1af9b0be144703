package ccbf

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// foldable shapes, and those that stop folding early.
var folds = []struct {
	widths []int
	sizes  []uint64
}{
	{[]int{8, 16, 32}, []uint64{4096, 256, 16}},
	{[]int{4, 6, 12}, []uint64{3072, 96, 12}},
	{[]int{16, 16}, []uint64{1200, 75}},
	{[]int{5, 9}, []uint64{2000, 40}},
	{[]int{2, 3, 4, 9}, []uint64{1024, 512, 256, 64}},
	{[]int{12}, []uint64{1 << 11}},
	{[]int{32}, []uint64{999}},
}

// sizes are the lengths of BLOBs to fold to, down to one that is too short.
func foldSizes(s *Sketch) (sizes []uint64) {
	for n := uint64(len(s.Blob())); n > 0; n = n * 5 / 8 {
		sizes = append(sizes, n)
	}
	return sizes
}

// TestFoldDense: a folded sketch of mode standard has the body of one built in the folded shape. In
// mode mi no count is below the truth.
func TestFoldDense(t *testing.T) {
	for _, l := range folds {
		for _, mode := range []Mode{Standard, MinimalIncrement} {
			t.Run(fmt.Sprint(mode, l.widths), func(t *testing.T) {
				r := rand.New(rand.NewPCG(101, 0))
				cfg := config(t, Params{Dense: true, Mode: mode, Widths: l.widths, Counters: l.sizes})
				p := hot(r, 1500, 300)
				whole, folded := sketchOf(t, cfg, p).Blob(), 0
				for _, size := range foldSizes(must(Decode(whole))) {
					s := must(Decode(whole))
					if err := s.Fold(size); err != nil {
						if !errors.Is(err, sketch.ErrOption) {
							t.Fatal(err)
						}
						sameBytes(t, "after an error", whole, s.Blob())
						continue
					}
					blob := s.Blob()
					if uint64(len(blob)) > size {
						t.Fatalf("%d bytes, at most %d were to be", len(blob), size)
					}
					v := viewOf(t, blob)
					if v.shape.Bytes() > v.Bytes {
						t.Errorf("a body of %d bytes, at most %d are allowed", v.shape.Bytes(), v.Bytes)
					}
					if got, known := v.Total(); got != 1500 || !known {
						t.Errorf("total %d", got)
					}
					counts(t, "folded", v, p.model(), false)
					if v.shape == cfg.shape {
						continue
					}
					folded++
					if mode == Standard {
						params := Params{Dense: true, Mode: mode, Counters: v.Counters()}
						for _, w := range v.Widths() {
							params.Widths = append(params.Widths, int(w))
						}
						direct := must(sketch.Parse(sketchOf(t, config(t, params), p).Blob()))
						sameBytes(t, fmt.Sprint("folded to ", v.Counters()), direct.Body, must(sketch.Parse(blob)).Body)
					}
				}
				if folded == 0 && l.sizes[0]%2 == 0 {
					t.Error("never folded")
				}
			})
		}
	}
}

// Sketches that are folded to the same length still unite, and folding commutes
// with union in mode standard.
func TestFoldAndUnion(t *testing.T) {
	r := rand.New(rand.NewPCG(102, 0))
	cfg := config(t, Params{Dense: true, Mode: Standard, Bytes: 1 << 13})
	a, b := hot(r, 2000, 500), hot(r, 2000, 500)
	both := sketchOf(t, cfg, append(a[:len(a):len(a)], b...))
	const size = 3000
	var parts *Builder
	for i, p := range []points{a, b} {
		s := sketchOf(t, cfg, p)
		noError(t, s.Fold(size))
		if i == 0 {
			parts = NewBuilder(s.Config, nil)
		}
		noError(t, parts.AddView(viewOf(t, s.Blob())))
	}
	noError(t, both.Fold(size))
	sameBytes(t, "folded and united", both.Blob(), blobOf(t, parts))
}

// An exact sketch stays exact where it fits, and otherwise becomes what its
// points would have become in fewer bytes.
func TestFoldExact(t *testing.T) {
	for _, mode := range []Mode{Standard, MinimalIncrement} {
		r := rand.New(rand.NewPCG(103, 0))
		p := hot(r, 1500, 800)
		for range 400 {
			p.add(spot{grid.Cell{X: r.Int64N(1 << 24), Y: r.Int64N(1 << 24)}, plain}, 1+r.Uint64N(9))
		}
		whole := sketchOf(t, config(t, Params{Mode: mode, Bytes: 1 << 13, Overflow: ToCounters}), p).Blob()
		exact, dense := 0, 0
		fits := mostHead(len(defaultWidths[mode])) + uint64(len(must(sketch.Parse(whole)).Body))
		for _, size := range append(foldSizes(must(Decode(whole))), 1<<12, 1<<13, 1<<20, fits, fits-1) {
			s := must(Decode(whole))
			if err := s.Fold(size); err != nil {
				if !errors.Is(err, sketch.ErrOption) {
					t.Fatal(err)
				}
				sameBytes(t, "after an error", whole, s.Blob())
				continue
			}
			blob := s.Blob()
			if uint64(len(blob)) > size {
				t.Fatalf("%d bytes, at most %d were to be", len(blob), size)
			}
			v := viewOf(t, blob)
			if v.Bytes > 1<<13 || v.shape.Bytes() > v.Bytes {
				t.Errorf("folded to %d: at most %d bytes, %d dense", size, v.Bytes, v.shape.Bytes())
			}
			if v.IsExact() != (fits <= size) {
				t.Errorf("exact in %d bytes: %v", size, v.IsExact())
			}
			counts(t, "folded", v, p.model(), v.IsExact())
			if v.IsExact() {
				exact++
				continue
			}
			dense++
			// Its points, counted in the folded shape; a list between that and the
			// BLOB's size is one that only a build keeps.
			if direct := blobOf(t, builderOf(t, s.Config, p)); !viewOf(t, direct).IsExact() {
				sameBytes(t, "built in the folded shape", direct, blob)
			} else if n := uint64(len(must(sketch.Parse(direct)).Body)); n > size || n <= size-mostHead(len(defaultWidths[mode])) {
				t.Errorf("a list of %d bytes became counters in %d", n, size)
			}
		}
		if exact == 0 || dense == 0 {
			t.Errorf("%d exact, %d dense", exact, dense)
		}
	}
}

// After removals and a mask, a flag may have an empty upper counter: the
// maximum must not take it for a large value.
func TestFoldAfterRemovalAndMask(t *testing.T) {
	r := rand.New(rand.NewPCG(104, 0))
	for round := range 200 {
		cfg := config(t, Params{Dense: true, Mode: Standard, K: 1 + round%3, Widths: []int{3, 8}, Counters: []uint64{32, 2}})
		s, m := sketchOf(t, cfg, nil), model{}
		for range 60 {
			c := spot{grid.Cell{X: r.Int64N(12)}, plain}
			if n := r.Uint64N(9); r.IntN(2) == 0 {
				noError(t, s.Add(c.Cell, nil, n))
				m[c] += n
			} else {
				noError(t, s.Remove(c.Cell, nil, m[c]))
				m[c] = 0
			}
		}
		if s.Saturated() {
			t.Fatal("saturated")
		}
		noError(t, s.Mask(must(Decode(s.Blob()))))
		noError(t, s.Fold(mostHead(2)+s.shape.Bytes()-7))
		counts(t, "folded", viewOf(t, s.Blob()), m, false)
	}
}

func TestFoldLimits(t *testing.T) {
	s := sketchOf(t, config(t, Params{Dense: true, Bytes: 4096}), nil)
	for _, size := range []uint64{0, 1, 47, 48, 131, 132} {
		if err := s.Fold(size); !errors.Is(err, sketch.ErrOption) {
			t.Errorf("folding to %d bytes: %v", size, err)
		}
	}
	if err := s.Fold(1 << 40); err != nil || s.Bytes != 4096 {
		t.Errorf("folding to more: %d bytes, %v", s.Bytes, err)
	}
}

// TestFoldIsASmallerBuild: folding gives the parameters of a build with so many bytes. This always
// holds for an exact sketch and a tree, and for counters if halving leads there.
func TestFoldIsASmallerBuild(t *testing.T) {
	r := rand.New(rand.NewPCG(105, 0))
	few, many := hot(r, 50, 40), strewn(r, 4000)
	for _, c := range []struct {
		name    string
		params  Params
		p       points
		size    uint64
		reached bool
	}{
		{"exact", Params{}, few, 5000, true},
		{"exact, standard", Params{Mode: Standard}, few, 1 << 16, true},
		{"tree", Params{Bytes: 3500}, many, 2000, true},
		{"mi", Params{Dense: true}, many, 1 << 16, true},
		{"mi, half", Params{Dense: true, Bytes: 1 << 17}, many, 1 << 16, true},
		{"standard", Params{Dense: true, Mode: Standard}, many, 1 << 18, true},
		{"levels", Params{Dense: true, Levels: 3, Bytes: 1 << 17}, many, 1 << 16, true},
		{"no way there", Params{Dense: true}, many, 77_777, false},
	} {
		s := sketchOf(t, config(t, c.params), c.p)
		form := s.Form()
		noError(t, s.Fold(c.size))
		want := c.params
		want.Bytes = c.size
		small := sketchOf(t, config(t, want), c.p)
		if s.Form() != form || small.Form() != form || (s.Config == small.Config) != c.reached {
			t.Errorf("%s: a %v of %+v, built a %v of %+v", c.name, s.Form(), s.Config, small.Form(), small.Config)
		}
		blob := s.Blob()
		if uint64(len(blob)) > c.size {
			t.Errorf("%s: %d bytes, want %d", c.name, len(blob), c.size)
		}
		counts(t, c.name, viewOf(t, blob), c.p.model(), form == Exact)
		if form == Exact || c.reached && c.params.Mode == Standard {
			sameBytes(t, c.name, small.Blob(), blob)
		}
	}
}

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
// coarser grid. A tree is never below the truth, and its bounds of sums hold: around the origin, far away,
// and over the border of regions.
func TestCoarsenByAnyFactor(t *testing.T) {
	for _, factor := range []int64{1, 2, 3, 5, 7, 10, 12, 16, 100, 255, 1 << 10, 1 << 20} {
		r := rand.New(rand.NewPCG(311, uint64(factor)))
		p := strewn(r, 2000)
		p.add(spot{grid.Cell{X: 1<<40 + 3, Y: -1 << 33}, plain}, 5) // in regions of their own
		p.add(spot{grid.Cell{X: -1 << 40, Y: 1<<33 + 1}, plain}, 7)
		s := sketchOf(t, config(t, Params{Res: 0.25}), p)
		noError(t, s.Coarsen(uint64(factor)))
		var q points
		for s, n := range larger(p.model(), factor) {
			q.add(s, n)
		}
		want := sketchOf(t, config(t, Params{Res: 0.25 * float64(factor)}), q)
		sameBytes(t, fmt.Sprint("by ", factor), want.Blob(), s.Blob())

		for _, c := range []struct {
			at         grid.Cell
			categories []string
		}{
			{grid.Cell{}, nil},
			{grid.Cell{X: 3<<32 + 5, Y: -2<<32 - 7}, nil},
			{grid.Cell{X: 1 << 45, Y: -1 << 44}, nil},
			{grid.Cell{X: cells.Highest + 1, Y: 100}, nil}, // over the border of two regions
			{grid.Cell{X: cells.Highest + 1, Y: cells.Highest + 1}, []string{"oak", "elm"}},
		} {
			if c.at != (grid.Cell{}) && factor&(factor-1) != 0 {
				continue // such a grid may have a border inside of a square
			}
			p := villages(r, 4000, c.categories...)
			for i := range p {
				p[i].X, p[i].Y = p[i].X+c.at.X, p[i].Y+c.at.Y
			}
			s := sketchOf(t, config(t, Params{Bytes: 2500, Categories: c.categories != nil, Totals: c.categories != nil}), p)
			total := s.Total
			noError(t, s.Coarsen(uint64(factor)))
			blob := s.Blob()
			noError(t, Check(blob))
			j := judge{t, r, viewOf(t, blob), larger(p.model(), factor), true}
			if n, known := j.v.Total(); n != total || !known || j.v.Form() != Tree || j.v.Grid.Res() != float64(factor) {
				t.Fatalf("by %d: a %v of %d points, %d before", factor, j.v.Form(), n, total)
			}
			j.check(fmt.Sprintf("around %v, by %d", c.at, factor), c.categories...)
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

// TestClip: Clip keeps the cells whose centres are inside. The sum of a tree over the polygon stays the
// same, and no cell inside is below the truth.
func TestClip(t *testing.T) {
	for i := range 42 {
		r := rand.New(rand.NewPCG(321, uint64(i)))
		p := strewn(r, 3000)
		p.add(spot{grid.Cell{X: -1 << 40, Y: 1<<33 + 1}, plain}, 7) // in a region of its own
		mp := polygons.Random(r, polygons.Kinds[i%len(polygons.Kinds)], kit.Bound(-200, -200, 200, 200))
		if i == 0 {
			mp = shifted(mp, 1e4)
		}
		inside := insideOf(mp, must(grid.New(1)))
		want, in := model{}, points(nil)
		for s, n := range p.model() {
			if want[s] = 0; inside(s.Cell) {
				want[s] = n
				in.add(s, n)
			}
		}
		s := sketchOf(t, config(t, Params{}), p)
		noError(t, s.Clip(NewPolygon(mp)))
		counts(t, "clipped", viewOf(t, s.Blob()), want, true)
		sameBytes(t, "the cells inside", sketchOf(t, s.Config, in).Blob(), s.Blob())

		s = sketchOf(t, config(t, Params{Bytes: 2000}), p)
		whole := viewOf(t, s.Blob())
		noError(t, s.Clip(NewPolygon(mp)))
		blob := s.Blob()
		noError(t, Check(blob))
		v := viewOf(t, blob)
		counts(t, "a clipped tree", v, want, false)
		if a, b := must(whole.Sum(NewPolygon(mp).Area(), Categories{})), must(v.Sum(NewPolygon(mp).Area(), Categories{})); v.Form() != Tree || a != b {
			t.Fatalf("a %v counts %d in the polygon, %d before", v.Form(), b, a)
		}
		if n, known := v.Total(); known && n != must(v.Sum(NewPolygon(mp).Area(), Categories{})) {
			t.Errorf("total %d", n)
		}
	}
	if err := emptySketch(Params{Res: 1, Dense: true}).Clip(NewPolygon(nil)); !errors.Is(err, ErrNotListed) {
		t.Error(err)
	}
}

// The cells that differ, once each.
func TestDifference(t *testing.T) {
	for round := range 30 {
		r := rand.New(rand.NewPCG(322, uint64(round)))
		p, q := hot(r, r.IntN(500), 300), hot(r, r.IntN(500), 300)
		p.add(spot{grid.Cell{X: -1 << 40, Y: 1}, plain}, 1+r.Uint64N(3))
		q.add(spot{grid.Cell{X: -1 << 40, Y: 1}, plain}, 1+r.Uint64N(3))
		q.add(spot{grid.Cell{X: 1 << 40, Y: 1}, plain}, math.MaxInt64)
		a, b := sketchOf(t, config(t, anyParams(r)), p), sketchOf(t, config(t, anyParams(r)), q)
		d := must(a.Difference(b, Categories{}))
		want := map[grid.Cell]int64{}
		for s, n := range p.model() {
			want[s.Cell] += int64(n)
		}
		for s, n := range q.model() {
			want[s.Cell] -= int64(n)
		}
		n := 0
		for c := range d {
			less := int64(c.Left - c.Right)
			if n++; less == 0 || want[c.Cell] != less {
				t.Fatalf("%v: %d, want %d", c, less, want[c.Cell])
			}
			want[c.Cell] = 0
		}
		for c, n := range want {
			if n != 0 {
				t.Fatalf("%v is missing: %d", c, n)
			}
		}
		for range d { // whoever lists them may stop
			break
		}
	}
}
