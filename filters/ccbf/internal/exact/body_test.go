package exact

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// TestBodyLimit: blocks fit as many bytes as they have, and no less.
func TestBodyLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 0))
	for _, n := range []int{1, 128, 200, 70_000} {
		var run cells.Squares
		at := uint64(0)
		for range n {
			at += 1 + r.Uint64N(100)
			run.Keys, run.Counts = append(run.Keys, at), append(run.Counts, 1+r.Uint64N(9))
		}
		all, _, _ := appendBlocks(nil, n, run.Blocks(), ^uint64(0))
		size := uint64(len(all))
		for _, limit := range []uint64{0, size / 3, size - 1, size} {
			if _, _, ok := appendBlocks(nil, n, run.Blocks(), limit); ok != (limit == size) {
				t.Errorf("%d cells of %d bytes fit %d: %v", n, size, limit, ok)
			}
		}
	}
}

// TestPackWords: words come back from their code, with counts of any number of bits.
func TestPackWords(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 1))
	for range 500 {
		shift := 1 + r.UintN(20)
		words := make([]uint64, 1+r.IntN(1100))
		key := uint64(0)
		for i := range words {
			key += 1 + r.Uint64N(1<<r.UintN(20))
			words[i] = key<<shift | 1 + r.Uint64N(1<<shift-1)
		}
		got := UnpackWords(make([]uint64, len(words)), PackWords(words, shift), shift)
		for i, w := range words {
			if got[i] != w {
				t.Fatalf("word %d of %d is %#x, want %#x", i, len(words), got[i], w)
			}
		}
	}
}

// The order of a block's codes is the one that takes the fewest bits.
func TestOrderIsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 0))
	for range 2000 {
		var lengths [65]uint32
		for range 1 + r.IntN(6) {
			lengths[r.IntN(1+r.IntN(65))] = r.Uint32N(40)
		}
		cost := func(k uint) (sum uint) {
			for length, n := range lengths {
				sum += uint(n) * bitio.ClassBits(uint(length), k)
			}
			return sum
		}
		best := uint(0)
		for k := range uint(bitio.MaxOrder + 1) {
			if cost(k) < cost(best) {
				best = k
			}
		}
		if got := bitio.BestOrder(&lengths); got != best {
			t.Fatalf("order %d of %d bits, the best is %d of %d", got, cost(got), best, cost(best))
		}
	}
}
