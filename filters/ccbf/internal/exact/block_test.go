package exact

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// townsBody returns the body of 3,000 points in towns, and the bounds of their cells.
func townsBody(t *testing.T) (body []byte, bounds grid.Rect) {
	t.Helper()
	var keys []uint64
	for _, c := range kit.Towns(3_000) {
		_, _, key := cells.Key(c)
		keys = append(keys, key)
	}
	l := cells.List{{Squares: cells.Sorted(cells.Squares{Keys: keys})}}
	bounds = l.Bounds()
	body, ok := AppendList(nil, l, bounds, 1<<30)
	if !ok {
		t.Fatal("no body")
	}
	return body, bounds
}

// decode decodes block i, number by number, and returns the number of cells; false if the block is
// damaged. Tests compare batches with it.
func (b *blocks) decode(i int, keys, counts *[cells.BlockCells]uint64) (int, bool) {
	r, gapOrder, countOrder, n, ok := b.block(i)
	if !ok {
		return 0, false
	}
	for j := range n {
		if keys[j] = b.First(i); j > 0 {
			keys[j] = keys[j-1] + r.ReadClass(gapOrder) + 1
		}
		counts[j] = r.ReadClass(countOrder) + 1
		if counts[j] == 0 || j > 0 && keys[j] <= keys[j-1] {
			return 0, false
		}
	}
	return n, r.Done()
}

// TestBlocksAtOnce: blocks decoded at once equal those decoded one by one, damaged ones too.
func TestBlocksAtOnce(t *testing.T) {
	body, bounds := townsBody(t)
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

// TestKeysThatWrap: keys that pass 2^64 behind a long code are damage, though the last key of the block is
// above its first.
func TestKeysThatWrap(t *testing.T) {
	var s cells.Squares
	for i := range uint64(4 * cells.BlockCells) {
		s.Keys, s.Counts = append(s.Keys, 3*i), append(s.Counts, 1)
	}
	s.Keys[1] = math.MaxUint64
	bounds := cells.List{{Squares: cells.Sorted(cells.Squares{Keys: s.Keys[:2]})}}.Bounds()
	body, ok := AppendList(nil, cells.List{{Squares: s}}, bounds, 1<<30)
	var v Reader
	v.Head = &form.Head{Bounds: bounds, Total: 4 * cells.BlockCells, Sums: true}
	if !ok || v.Reset(body) != nil {
		t.Fatal("no body")
	}
	if err := v.EachBlock(func(*cells.Label, cells.Squares) error { return nil }); !errors.Is(err, sketch.ErrInvalid) {
		t.Errorf("the blocks are read with the error %v", err)
	}
}

// TestSquaresStayInside: EachSquare returns no cell outside its rectangle, whatever bounds a sketch claims.
// Callers rely on it.
func TestSquaresStayInside(t *testing.T) {
	body, bounds := townsBody(t)
	claimed := bounds
	claimed.MinX += (bounds.MaxX - bounds.MinX) / 3
	claimed.MaxY -= (bounds.MaxY - bounds.MinY) / 3
	for _, clip := range []grid.Rect{bounds, claimed} {
		n := 0
		var v Reader
		v.Head = &form.Head{Bounds: claimed, Total: 3_000, Sums: true}
		kit.NoError(t, v.Reset(body))
		v.EachSquare(clip, cells.Categories{}, func(c grid.Cell, _ uint8, _ uint64) {
			if n++; !claimed.Contains(c) {
				t.Fatalf("%v is outside of %v", c, claimed)
			}
		})
		if n == 0 {
			t.Error("no cells")
		}
	}
}
