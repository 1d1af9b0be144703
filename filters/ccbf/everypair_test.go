package ccbf

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/paulmach/orb"
)

// anywhereIn makes n points in a square of a side that begins at a cell, in two categories or in
// none.
func anywhereIn(r *rand.Rand, n int, from grid.Cell, side int64, categories bool) (p points) {
	for range n {
		s := spot{grid.Cell{X: from.X + r.Int64N(side), Y: from.Y + r.Int64N(side)}, plain}
		if categories {
			s.category = []string{"a", "b"}[r.IntN(2)]
		}
		p.add(s, 1+r.Uint64N(5))
	}
	return p
}

// two are the points of two sketches, whose squares are apart, touch, are nested, overlap or are equal,
// or one of which has none.
func two(r *rand.Rand, relation int, categories bool) (a, b points) {
	side := int64(1) << (3 + r.IntN(15))
	corner := grid.Cell{X: r.Int64N(1<<20) - 1<<19, Y: r.Int64N(1<<20) - 1<<19}
	other, otherSide := corner, side
	n, m := 1+r.IntN(600), 1+r.IntN(600)
	switch relation {
	case 0: // apart
		other.X += 3 * side
	case 1: // touching
		other.X += side
	case 2: // nested
		otherSide = max(1, side/8)
	case 3: // overlapping
		other.X, other.Y = other.X+side/2, other.Y-side/3
	case 5: // few points, anywhere within
		m = 1 + r.IntN(4)
	case 6:
		m = 0
	case 7: // beyond the first region of keys
		other.X += 1 << 40
	}
	return anywhereIn(r, n, corner, side, categories), anywhereIn(r, m, other, otherSide, categories)
}

const relations = 8

// TestEveryPair applies every operation to two sketches of any forms. The result is a valid BLOB
// that decodes to the same sketch and unites with others. It counts as a map of cells does: equal
// if it is exact, and never below it otherwise.
func TestEveryPair(t *testing.T) {
	rounds := 400
	if os.Getenv("CCBF_LONG") == "1" {
		rounds = 20_000
	}
	forms := []Params{
		{}, {Bytes: 400, Overflow: ToTree}, {Bytes: 2000, Overflow: ToTree}, {Dense: true, Mode: Standard, Bytes: 4096}, {Dense: true, Bytes: 4096},
		{Bytes: 600, Overflow: ToCounters, Mode: Standard}, {Dense: true, Mode: Standard, Bytes: 4096, Levels: 3},
	}
	done := map[string]int{}
	for round := range rounds {
		r := rand.New(rand.NewPCG(141, uint64(round)))
		categories := round%3 == 2
		pa, pb := two(r, r.IntN(relations), categories)
		left, right := forms[r.IntN(len(forms))], forms[r.IntN(len(forms))]
		left.Categories, right.Categories = categories, categories
		made := func(p Params, pts points) *Sketch { return sketchOf(t, config(t, p), pts) }
		what := fmt.Sprintf("round %d: %v and %v", round, made(left, pa).Form(), made(right, pb).Form())
		check := func(op string, s *Sketch, model model) {
			t.Helper()
			done[op]++
			blob := s.Blob()
			d, err := Decode(blob)
			if err != nil {
				t.Fatalf("%s, %s: %v", what, op, err)
			}
			sameBytes(t, what+", "+op+", decoded", blob, d.Blob())
			v := viewOf(t, blob)
			exact := v.IsExact()
			counts(t, what+", "+op, v, model, exact)
			cells, points := uint64(0), uint64(0)
			for _, n := range model {
				if points += n; n > 0 {
					cells++
				}
			}
			total, known := v.Total()
			if exact && (!known || total != points || v.Info().Cells != cells || !v.additive()) {
				t.Fatalf("%s, %s: total %d, known %v, %d cells, additive %v; want %d in %d", what, op, total, known, v.Info().Cells, v.additive(), points, cells)
			}
			for range 20 { // cells that have none
				c := grid.Cell{X: r.Int64N(1<<21) - 1<<20, Y: r.Int64N(1<<21) - 1<<20}
				at := spot{c, plain}
				if categories {
					at.category = "a"
				}
				if n := v.Count(c, at.bytes()); exact && n != model[at] {
					t.Fatalf("%s, %s: %v counts %d, want %d", what, op, at, n, model[at])
				}
			}
			b := NewBuilder(d.Config, nil)
			for range 2 {
				if err := b.AddView(v); err != nil {
					t.Fatalf("%s, %s, united with itself: %v", what, op, err)
				}
			}
			twice, err := Decode(blobOf(t, b))
			if err != nil {
				t.Fatalf("%s, %s, united with itself: %v", what, op, err)
			}
			if twice.Total != 2*d.Total || twice.TotalKnown != d.TotalKnown || twice.sums() != d.sums() && !d.IsExact() {
				t.Fatalf("%s, %s, united with itself: total %d, known %v, additive %v", what, op, twice.Total, twice.TotalKnown, twice.sums())
			}
		}
		ma, mb := pa.model(), pb.model()
		for _, op := range operations {
			s := made(left, pa)
			o := made(right, pb)
			before := o.Blob()
			err := op.run(s, o)
			sameBytes(t, what+", the right side of "+op.name, before, o.Blob())
			switch {
			case errors.Is(err, sketch.ErrDiffer) || errors.Is(err, ErrForms):
			case err != nil:
				t.Fatalf("%s, %s: %v", what, op.name, err)
			default:
				check(op.name, s, combined(ma, mb, op.model))
				if !s.IsExact() && (s.TotalKnown || s.sums()) {
					t.Fatalf("%s, %s: total known %v, additive %v", what, op.name, s.TotalKnown, s.sums())
				}
			}
		}
		x := newIntersector(nil)
		if err := errors.Join(x.AddView(viewOf(t, made(left, pa).Blob())), x.AddView(viewOf(t, made(right, pb).Blob()))); err == nil {
			s, err := x.Sketch()
			if err != nil {
				t.Fatalf("%s, intersected: %v", what, err)
			}
			check("intersector", s, combined(ma, mb, operations[0].model))
		}
		both := maps.Clone(ma)
		for at, n := range mb {
			both[at] = saturate.Add(both[at], n)
		}
		b := NewBuilder(made(left, pa).Config, nil)
		if err := errors.Join(b.AddView(viewOf(t, made(left, pa).Blob())), b.AddView(viewOf(t, made(right, pb).Blob()))); err == nil {
			u, err := b.Sketch()
			if err != nil {
				t.Fatalf("%s, united: %v", what, err)
			}
			check("union", u, both)
			s := must(Decode(u.Blob()))
			if err := s.Subtract(made(right, pb)); err == nil {
				check("subtract", s, ma)
			}
		}
		s := made(left, pa)
		if err := s.Coarsen(4); err == nil {
			model := model{}
			for at, n := range ma {
				at.Cell = at.Cell.Coarser(4)
				model[at] = saturate.Add(model[at], n)
			}
			check("coarsen", s, model)
		}
		s = made(left, pa)
		if err := s.Fold(uint64(len(s.Blob()))*3/4 + 40); err == nil {
			check("fold", s, ma)
		}
		s = made(left, pa)
		if err := s.Clip(NewPolygon(orb.MultiPolygon{s.Grid.Bound(boxOfPoints(pb)).ToPolygon()})); err == nil {
			model := model{}
			area := boxOfPoints(pb)
			for at, n := range ma {
				if area.Contains(at.Cell) {
					model[at] = n
				}
			}
			check("clip", s, model)
		}
		s, at := made(left, pa), pa[r.IntN(len(pa))].spot
		if err := s.Remove(at.Cell, at.bytes(), 1); err == nil {
			model := maps.Clone(ma)
			model[at]--
			check("remove", s, model)
			noError(t, s.Add(at.Cell, at.bytes(), 3))
			model[at] += 3
			check("add", s, model)
		}
	}
	for _, op := range []string{"intersect", "mask", "intersector", "union", "subtract", "coarsen", "fold", "clip", "remove", "add"} {
		if done[op] < rounds/10 {
			t.Errorf("%s: only %d of %d rounds", op, done[op], rounds)
		}
	}
}

// boxOfPoints is the smallest rectangle around points; a cell where there are none.
func boxOfPoints(p points) grid.Rect {
	b := grid.EmptyRect()
	for _, o := range p {
		b = b.Extend(o.Cell)
	}
	if b.Empty() {
		return grid.Rect{}
	}
	return b
}
