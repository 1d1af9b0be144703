package ccbf

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
)

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
