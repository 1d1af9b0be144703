package cascade

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Keys begin where the remainders of their hashes say, in layers of any size, however many
// keys there are, with what any processor can.
func TestStartsAreRemainders(t *testing.T) {
	r := rand.New(rand.NewPCG(330, 0))
	sizes := []uint64{1, 2, 3, 5, 8, maxLaneSize - 1, maxLaneSize, maxLaneSize + 1, 1<<32 - 1, 1 << 32}
	for range 2000 {
		sizes = append(sizes, 1+r.Uint64N(1<<24)>>r.UintN(24))
	}
	var s starts
	can := lanes
	defer func() { lanes = can }()
	for i, m := range sizes {
		lanes = can && i%3 > 0
		l, n := newLayer(nil, 4, m), r.IntN(keyBatch+1)
		h1, h2 := make([]uint64, n), make([]uint64, n)
		near := []uint64{0, 1, m - 1, m, 1<<36 - 1, 1 << 36, math.MaxUint64, math.MaxUint64 / m * m, math.MaxUint64/m*m - 1}
		for i := range h1 {
			h1[i], h2[i] = r.Uint64()>>r.UintN(64), r.Uint64()
			if i%2 == 0 { // as near to a multiple as can be
				h1[i], h2[i] = near[r.IntN(len(near))], r.Uint64()/m*m-uint64(r.IntN(2))
			}
		}
		s.find(&l, h1, h2)
		for i := range h1 {
			if step := h2[i] % m; uint64(s.step[i]) != step || uint64(s.at[i]) != (h1[i]%m+step)%m {
				t.Fatalf("size %d, key %d of %d: %d, steps of %d; hashes %d and %d", m, i, n, s.at[i], s.step[i], h1[i], h2[i])
			}
		}
	}
}
