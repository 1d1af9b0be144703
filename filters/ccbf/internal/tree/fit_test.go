package tree

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// A threshold that fits, and the next lower one does not, whatever the points are, with no
// memory for each leaf.
func TestFit(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 0))
	all := shapes()
	all["many"] = clusters(r, 130_000)
	all["even"] = map[uint64]uint64{} // all weights are a few numbers
	for range 3000 {
		all["even"][r.Uint64N(100_000)] = 1
	}
	all["full"] = map[uint64]uint64{} // whose leaves take next to nothing
	for k := range uint64(1 << 16) {
		all["full"][k] = 1
	}
	filled := 0
	for name, counts := range inOrder(all) {
		s := squaresOf(counts)
		whole := CodeFor(listOf(s)).size
		for _, part := range []uint64{1, 2, 3, 8, 30} {
			limit := whole / part
			p, ok := Fit(listOf(s), limit)
			if got := p.code.size; ok != (got <= limit) {
				t.Fatalf("%s: %d bytes of %d, fits: %v", name, got, limit, ok)
			}
			if ok && p.Tau > 0 {
				lower := cut(s, p.Tau-1)
				if size := CodeFor(listOf(lower)).size; size <= limit {
					t.Errorf("%s: threshold %d fits %d bytes, and so does the one before with %d", name, p.Tau, limit, size)
				}
			}
			if whole := cut(s, p.Tau); ok && !equal(&p.Sections[0].Squares, &whole) {
				filled++
			}
			// So do all thresholds, where a sample left out most.
			unsampled := fitter{limit: limit, sections: listOf(s)}
			unsampled.build(allTaus)
			if every, _ := unsampled.fit(1); every.Tau != p.Tau && name != "full" { // which fits again and again
				t.Errorf("%s: threshold %d, by all thresholds %d", name, p.Tau, every.Tau)
			}
			again, _ := Fit(listOf(s), limit)
			if again.Tau != p.Tau || !equal(&again.Sections[0].Squares, &p.Sections[0].Squares) {
				t.Errorf("%s: the same cells give another tree", name)
			}
		}
	}
	if filled < 3 {
		t.Errorf("%d trees fill their bytes with a part of a step: expected more", filled)
	}
	s := squaresOf(all["many"])
	limit := CodeFor(listOf(s)).size / 2
	if n := testing.AllocsPerRun(3, func() { Fit(listOf(s), limit) }); n > 600 {
		t.Errorf("%v allocations for %d cells", n, s.Len())
	}
}

// Parts have one threshold, and a tree of trees can be cut to any number of bytes.
func TestFitParts(t *testing.T) {
	r := rand.New(rand.NewPCG(72, 0))
	a, b := squaresOf(clusters(r, 3000)), squaresOf(clusters(r, 500))
	whole := CodeFor(listOf(a, b)).size
	p, ok := Fit(listOf(a, b), whole/3)
	if !ok || p.code.size > whole/3 || p.Fit.Cells != uint64(a.Len()+b.Len()) {
		t.Fatalf("%d bytes of %d, %d cells", p.code.size, whole/3, p.Fit.Cells)
	}
	for i, s := range []cells.Squares{a, b} {
		got, want, same := &p.Sections[i].Squares, cut(s, p.Tau), 0
		for same < want.Len() && got.Keys[same] == want.Keys[same] && got.Level(same) == want.Level(same) && got.Counts[same] == want.Counts[same] {
			same++
		}
		if same < want.Len() {
			want = cutUpTo(s, p.Tau, want.Last(same-1))
		}
		if !equal(got, &want) {
			t.Errorf("part %d is pruned by another threshold", i)
		}
	}
	for bytes := p.code.size; bytes > 60; bytes = bytes * 2 / 3 {
		q, ok := Fit(p.Sections, bytes)
		if !ok || q.code.size > bytes {
			t.Fatalf("cut to %d bytes a tree takes %d", bytes, q.code.size)
		}
		if n, m := q.Sections[0].Total(), a.Total(); n != m {
			t.Errorf("cut to %d bytes %d points are %d", bytes, m, n)
		}
	}
}
