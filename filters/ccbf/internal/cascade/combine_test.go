package cascade

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
)

// The union of parts holds the sums of what all of them counted. Layers have any number of words and are
// nearly empty or full: counters carry one by one, or many of a word at once.
func TestUnionIsRadixArithmetic(t *testing.T) {
	type layout struct {
		widths []int
		sizes  []uint64
	}
	var all []layout
	for _, l := range kit.Layouts {
		all = append(all, layout{l.Widths, l.Sizes})
	}
	for words := range uint64(7) { // four at once, and those that are left
		all = append(all, layout{[]int{8, 16, 32}, []uint64{8 * (words + 1), 4 * (words + 1), words + 1}},
			layout{[]int{4, 8}, []uint64{16 * (words + 1), 8 * (words + 1)}})
	}
	for _, l := range all {
		t.Run(fmt.Sprint(l.widths, l.sizes), func(t *testing.T) {
			r := rand.New(rand.NewPCG(23, l.sizes[0]))
			s := shapeOf(t, l.widths, l.sizes, 1)
			for _, counted := range []int{0, 1, int(s.Size[0] / 8), int(2 * s.Size[0])} {
				sum, m := New(s), newSums(s)
				for range 6 {
					part := New(s)
					for range counted {
						j, n := r.Uint64N(s.Size[0]), r.Uint64N(uint64(3)<<(l.widths[0]-2))
						part.Add(0, j, n)
						m.first[j].Add(m.first[j], new(big.Int).SetUint64(n))
					}
					was := slices.Clone(part.Body)
					sum.Union(part)
					m.check(t, sum, true)
					if !slices.Equal(part.Body, was) {
						t.Fatal("the union changed a part")
					}
				}
			}
		})
	}
}

// The sum of a layer is the sum of its counters one by one. Counters are random or as large as they can be.
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
