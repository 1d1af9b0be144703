package cells

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// categorised is a list of cells with categories, of very unequal sizes.
func categorised(r *rand.Rand, categories, n int) List {
	var l List
	for i := range categories {
		for range 1 + r.IntN(1+r.IntN(n)) {
			c := grid.Cell{X: r.Int64N(1 << 10), Y: r.Int64N(1 << 10)}
			l = l.Add(c, []byte{byte(i)}, 1+r.Uint64()>>(30+r.IntN(34)))
		}
	}
	return l
}

// Boxes over many sketches, asked for with one view, are what their cells count, whether there are
// many blocks or few, categories or none, and totals that cannot grow.
func TestBoxSumsAreThoseOfTheirCells(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 0))
	var q BoxSums
	var v View
	for round := range 16 {
		n := 1 + r.IntN(40)
		got, want := make([]uint64, n), make([]uint64, n)
		category := []byte{byte(r.IntN(3))}
		of := func(c []byte) bool { return round%4 != 3 || string(c) == string(category) }
		blocks := 0
		for i := range got {
			l := scattered(r, 1+r.IntN(900), r.IntN(3) == 0)
			if round%2 == 1 {
				l = categorised(r, 1+r.IntN(40), 300)
			}
			bounds := l.Bounds()
			if r.IntN(10) == 0 {
				l = l.Add(CellOf(l[0].X, l[0].Y, l[0].Keys[0]), l[0].KeyCategory(), ^uint64(0))
			}
			box := Box{MinX: bounds.MinX - 5 + r.Int64N(bounds.MaxX-bounds.MinX+9), MinY: bounds.MinY - 5 + r.Int64N(bounds.MaxY-bounds.MinY+9)}
			box.MaxX, box.MaxY = box.MinX+r.Int64N(1<<r.IntN(15)), box.MinY+r.Int64N(1<<r.IntN(15))
			body, _ := l.AppendBody(nil, bounds, 1<<30)
			if err := v.Reset(body, bounds, round%2 == 1, l.Total()); err != nil {
				t.Fatal(err)
			}
			q.Add(&v, grid.Rect(box), of, &got[i])
			for _, s := range l {
				blocks += blockCount(len(s.Keys))
				for j, k := range s.Keys {
					if of(s.KeyCategory()) && box.Contains(CellOf(s.X, s.Y, k)) {
						want[i] = saturate.Add(want[i], s.Counts[j])
					}
				}
			}
		}
		q.Finish()
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("round %d: box %d of %d counts %d, its cells %d", round, i, n, got[i], want[i])
			}
		}
		if len(q.sections) > 0 || q.batch != nil {
			t.Fatalf("round %d: %d sections are left", round, len(q.sections))
		}
		if q.Blocks() > blocks {
			t.Fatalf("round %d: %d of %d blocks were decoded", round, q.Blocks(), blocks)
		}
		q.blocks = 0
	}
}

// However many sections a sketch has, few are open at a time.
func TestFewSectionsAreOpen(t *testing.T) {
	r := rand.New(rand.NewPCG(74, 0))
	l := categorised(r, 200, 20)
	bounds := l.Bounds()
	body, _ := l.AppendBody(nil, bounds, 1<<30)
	var v View
	if err := v.Reset(body, bounds, true, l.Total()); err != nil {
		t.Fatal(err)
	}
	var q BoxSums
	var sum uint64
	for i := range v.sections {
		q.add(&v.sections[i], grid.Rect{MinX: 1, MinY: 1, MaxX: 1 << 9, MaxY: 1 << 9}, bounds, &sum)
		if len(q.sections) > together {
			t.Fatalf("%d sections are open after %d", len(q.sections), i+1)
		}
	}
	q.Finish()
}
