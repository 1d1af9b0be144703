package cascade

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The sum of a layer is the sum of its counters one by one. Counters are random or as large as they can
// be, in more words than one sum in lanes takes.
func TestSumIsThatOfTheCounters(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, width := range []int{4, 5, 8, 16, 32} {
		for _, size := range []uint64{1, 64, 600, 9000, 20000} {
			t.Run(fmt.Sprint(width, " bits, ", size), func(t *testing.T) {
				d := New(shapeOf(t, []int{width}, []uint64{size}, 4))
				l := &d.Layers[0]
				for round := range 3 {
					want := uint64(0)
					for j := range size {
						c := l.Flag | l.Mask
						if round > 0 {
							c &= r.Uint64()
						}
						l.store(j, c)
						want += c & l.Mask
					}
					if hi, lo := d.Sum(); hi != 0 || lo != want {
						t.Errorf("round %d: %d and %d times 2^64, want %d", round, lo, hi, want)
					}
				}
			})
		}
	}
}
