package cells

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Whatever the processor can, cells are read and summed as they are without it.
func TestWithoutLanes(t *testing.T) {
	defer func(have bool) { haveLanes = have }(haveLanes)
	haveLanes = false
	t.Run("blocks", TestBlocksAtOnce)
	t.Run("words", TestSectionsAreReadAsWords)
	t.Run("boxes", TestBoxSumIsThatOfItsCells)
}

// Four cells at once are summed and packed as they are one by one, with counts of all lengths
// and orders that are not best.
func TestLanes(t *testing.T) {
	if !haveLanes {
		t.Skip("not on this processor")
	}
	defer func() { haveLanes = true }()
	r := rand.New(rand.NewPCG(48, 0))
	best := 0
	for round := range 3000 {
		n := 1 + r.IntN(BlockCells)
		cells, apart := NewRun(n), r.IntN(40)
		for i, key := 0, r.Uint64()>>1; i < n; i++ {
			key += 1 + r.Uint64()>>(63-r.IntN(1+apart))
			cells.Keys[i], cells.Counts[i] = key, 1+r.Uint64()>>(64-r.IntN(1+round%64))
		}
		low, high := cells.Keys[r.IntN(n)], cells.Keys[r.IntN(n)]
		box := spread{min(low&xBits, high&xBits), min(low>>1&xBits, high>>1&xBits), max(low&xBits, high&xBits), max(low>>1&xBits, high>>1&xBits)}
		if got, want := box.sum(cells), box.sumEach(cells); got != want {
			t.Fatalf("round %d: the sum in a box is %d, one by one %d", round, got, want)
		}
		b := blocks{cells: n, only: cells.Keys[0], data: []byte{byte(r.IntN(57)), byte(r.IntN(57))}}
		if round%2 == 0 {
			gaps, ns := bitio.RunOrders(cells.Keys, cells.Counts)
			b.data = []byte{byte(gaps), byte(ns)}
		}
		words, others := make([]uint64, n), make([]uint64, n)
		var total, other uint64
		most, ok := b.pack(0, cells, words, &total)
		haveLanes = false
		wantMost, wantOK := b.pack(0, cells, others, &other)
		haveLanes = true
		if most != wantMost || ok != wantOK || total != other {
			t.Fatalf("round %d: packed %d, %v, %d, one by one %d, %v, %d", round, most, ok, total, wantMost, wantOK, other)
		}
		if ok {
			best++
		}
		for i, w := range words {
			if w != others[i] {
				t.Fatalf("round %d: word %d is %x, by itself %x", round, i, w, others[i])
			}
		}
	}
	if best < 1500 || best > 2000 {
		t.Errorf("orders were best %d times", best)
	}
}
