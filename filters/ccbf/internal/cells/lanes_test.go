package cells

import (
	"math/rand/v2"
	"testing"
)

// Whatever the processor can, cells are read and summed as they are without it.
func TestWithoutLanes(t *testing.T) {
	defer func(have bool) { haveLanes = have }(haveLanes)
	haveLanes = false
	t.Run("blocks", TestBlocksAtOnce)
	t.Run("words", TestSectionsAreReadAsWords)
	t.Run("boxes", TestBoxSumIsThatOfItsCells)
}

// Four cells at once are summed as they are one by one, with counts of all lengths.
func TestLanes(t *testing.T) {
	if !haveLanes {
		t.Skip("not on this processor")
	}
	r := rand.New(rand.NewPCG(48, 0))
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
	}
}
