package counters

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// In any order, a bit by which a counter gets longer moves at most 128 levels^2 bits, where 2^levels is
// the number of groups. A window that divided its slack does so again only after a half of it has lost
// 1/(4 levels) of that slack. This is at least a sixteenth of the group. So each bit that goes moves at
// most 2*16*4*levels bits on every level. Without windows the bound would be the number of counters.
func TestMovedByAnything(t *testing.T) {
	const n = 4000
	for name, next := range map[string]func(k int, v uint64, r *rand.Rand) (int, uint64){
		"in order":              func(k int, _ uint64, _ *rand.Rand) (int, uint64) { return k % n, uint64(k/n) + 1 },
		"in order, ten each":    func(k int, _ uint64, _ *rand.Rand) (int, uint64) { return k / 10, uint64(k%10) + 1 },
		"in order, the longest": func(k int, _ uint64, _ *rand.Rand) (int, uint64) { return k % n, ^uint64(0) - uint64(k/n) },
		"one place that grows":  func(k int, _ uint64, _ *rand.Rand) (int, uint64) { return n/2 + k/64%(n/2), 1 << (k % 64) },
		"backwards":             func(k int, _ uint64, _ *rand.Rand) (int, uint64) { return n - 1 - k%n, mask(uint(k/n+1) * 6) },
		"anything":              func(_ int, _ uint64, r *rand.Rand) (int, uint64) { return r.IntN(n), r.Uint64() >> r.UintN(64) },
	} {
		r := rand.New(rand.NewPCG(31, 31))
		a := NewArray(n)
		grown := uint64(0)
		for k := range 5 * n {
			i, v := next(k, 0, r)
			grown += uint64(max(0, bits.Len64(v)-bits.Len64(a.At(i))))
			a.Set(i, v)
		}
		levels := uint64(bits.Len(uint(a.groups - 1)))
		t.Logf("%s: %d bits moved for each bit, laid out %d times", name, a.moved/grown, a.rebuilds)
		if a.moved > 128*levels*levels*grown {
			t.Errorf("%s: %d bits moved for %d bits", name, a.moved, grown)
		}
	}
}

// Memory comes back when counters become small again, and going up and down
// does not lay everything out each time.
func TestDeletions(t *testing.T) {
	const n = 4000
	a := NewArray(n)
	empty := a.Bytes()
	for range 3 {
		for i := range n {
			a.Set(i, 1<<40)
		}
		full := a.Bytes()
		for i := range n {
			a.Set(i, 0)
		}
		// Half of the length of counters may be idle, and half a bit for each; slack is in proportion.
		if got := a.Bytes(); got > full/2+2*empty {
			t.Errorf("%d bytes for nothing, %d when empty, %d when full", got, empty, full)
		}
	}
	before := a.rebuilds
	for k := range 20 * n {
		a.Set(k%n, uint64(k/n&1))
	}
	// Up and down ten times. Up, a counter takes at most 4 bits more, or a chunk 73 and as many.
	// Everything is laid out again when they together take a quarter of a bit more: 54 times. Down, it is
	// once.
	if got := a.rebuilds - before; got > 10*55 {
		t.Errorf("laid out %d times", got)
	}
}
