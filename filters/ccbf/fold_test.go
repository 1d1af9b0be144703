package ccbf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
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
