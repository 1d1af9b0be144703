package ccbf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

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
