package exact

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

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
