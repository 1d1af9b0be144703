package exact

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/kit"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// scattered is n cells around the corner of four regions, or in one of them, with
// counts of all lengths.
func scattered(r *rand.Rand, n int, corner bool) cells.List {
	var l cells.List
	for range n {
		c := grid.Cell{X: r.Int64N(1 << (2 + r.IntN(14))), Y: r.Int64N(1 << (2 + r.IntN(14)))}
		if corner {
			c.X, c.Y = c.X-1<<12+cells.Lowest, c.Y-1<<12+cells.Lowest
		}
		l = added(l, c, nil, 1+r.Uint64()>>(10+r.IntN(54)))
	}
	return l
}

// added returns l with n points more in a cell.
func added(l cells.List, c grid.Cell, category []byte, n uint64) cells.List {
	p, z := cells.LabelOf(c, category)
	return l.With(p, cells.Merge(l.Squares(p), cells.Squares{Keys: []uint64{z}, Counts: []uint64{n}}))
}

// sumOf returns the sum over a box.
func sumOf(t *testing.T, r *Reader, b cells.Box, of cells.Categories) uint64 {
	t.Helper()
	n := kit.Must(r.Sum(form.Box{Box: b}, of))
	return n
}

// A box is the sum of the cells in it, whatever it cuts.
func TestBoxSumIsThatOfItsCells(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 0))
	for round := range 60 {
		l := scattered(r, 1+r.IntN(1500), round%3 == 0)
		bounds := l.Bounds()
		if round%10 == 9 { // a total that cannot grow
			l = added(l, cells.CellOf(l[0].X, l[0].Y, l[0].Keys[0]), nil, ^uint64(0))
		}
		body, _ := AppendList(nil, l, bounds, 1<<30)
		for range 40 {
			box := cells.Box{MinX: bounds.MinX - 5 + r.Int64N(bounds.MaxX-bounds.MinX+9), MinY: bounds.MinY - 5 + r.Int64N(bounds.MaxY-bounds.MinY+9)}
			box.MaxX, box.MaxY = box.MinX+r.Int64N(1<<r.IntN(15)), box.MinY+r.Int64N(1<<r.IntN(15))
			v := readerOf(t, body, bounds, l.Total())
			want := uint64(0)
			for _, s := range l {
				for i, k := range s.Keys {
					if box.Contains(cells.CellOf(s.X, s.Y, k)) {
						want = saturate.Add(want, s.Counts[i])
					}
				}
			}
			if got := sumOf(t, v, box, cells.Categories{}); got != want {
				t.Fatalf("round %d: the box %v of cells in %v counts %d, they count %d", round, box, bounds, got, want)
			}
		}
	}
}

// So it is with categories, of which there are many of few cells, all of them or one, and with one view
// for all lists.
func TestBoxSumOfCategories(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 0))
	v := new(Reader)
	for round := range 100 {
		var l cells.List
		for i := range 1 + r.IntN(40) {
			for range 1 + r.IntN(1+r.IntN(300)) {
				l = added(l, grid.Cell{X: r.Int64N(1 << 10), Y: r.Int64N(1 << 10)}, []byte{byte(i)}, 1+r.Uint64()>>(30+r.IntN(34)))
			}
		}
		bounds := l.Bounds()
		box := cells.Box{MinX: r.Int64N(1 << 10), MinY: r.Int64N(1 << 10)}
		box.MaxX, box.MaxY = box.MinX+r.Int64N(1<<r.IntN(11)), box.MinY+r.Int64N(1<<r.IntN(11))
		body, _ := AppendList(nil, l, bounds, 1<<30)
		v.Head = &form.Head{Bounds: bounds, Categories: true, Total: l.Total(), Sums: true}
		kit.NoError(t, v.Reset(body))
		for _, category := range [][]byte{nil, {0}, {7}, {77}} {
			want := uint64(0)
			for _, s := range l {
				for j, k := range s.Keys {
					if (category == nil || s.Category == string(category)) && box.Contains(cells.CellOf(s.X, s.Y, k)) {
						want = saturate.Add(want, s.Counts[j])
					}
				}
			}
			if got := sumOf(t, v, box, cells.Of(category)); got != want {
				t.Fatalf("round %d: the box %v counts %d of category %v, its cells %d", round, box, got, category, want)
			}
		}
	}
}

// TestBlocksAtOnce: blocks decoded at once equal those decoded one by one, damaged ones too.
func TestBlocksAtOnce(t *testing.T) {
	body, bounds := townsBody(3_000)
	r := rand.New(rand.NewPCG(72, 0))
	for round := range 300 {
		b := append([]byte(nil), body...)
		if round > 0 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		v := Reader{Squares: form.Squares{Head: &form.Head{Bounds: bounds, Total: 3_000}}}
		if v.Reset(b) != nil {
			continue
		}
		s := &v.sections[0]
		for i := range blockCount(s.cells) {
			to := min(i+1+r.IntN(together), blockCount(s.cells))
			var some batch
			some.readFrom(&s.blocks, i, to)
			for block := i; block < to; block++ {
				var keys, counts [cells.BlockCells]uint64
				n, ok := s.decode(block, &keys, &counts)
				if !ok {
					n = 0
				}
				got := some.cells(block - i)
				if len(got.Keys) != n {
					t.Fatalf("round %d, blocks %d to %d: block %d has %d cells, alone %d", round, i, to, block, len(got.Keys), n)
				}
				for x := range n {
					if got.Keys[x] != keys[x] || got.Counts[x] != counts[x] {
						t.Fatalf("round %d, blocks %d to %d: cell %d of block %d is %d with %d, alone %d with %d", round, i, to, x, block, got.Keys[x], got.Counts[x], keys[x], counts[x])
					}
				}
			}
		}
	}
}

// TestSquaresStayInside: EachSquare returns no cell outside its rectangle, whatever bounds a sketch claims.
// Callers rely on it.
func TestSquaresStayInside(t *testing.T) {
	body, bounds := townsBody(3_000)
	claimed := bounds
	claimed.MinX += (bounds.MaxX - bounds.MinX) / 3
	claimed.MaxY -= (bounds.MaxY - bounds.MinY) / 3
	for _, clip := range []grid.Rect{bounds, claimed} {
		n := 0
		readerOf(t, body, claimed, 3_000).EachSquare(clip, cells.Categories{}, func(c grid.Cell, _ uint8, _ uint64) {
			if n++; !claimed.Contains(c) {
				t.Fatalf("%v is outside of %v", c, claimed)
			}
		})
		if n == 0 {
			t.Error("no cells")
		}
	}
}
