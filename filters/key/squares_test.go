package key_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Squares have the hashes of the bytes that FORMAT.md gives them, however many there are.
func TestHashSquares(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 50 {
		xs, ys, h1s, h2s := make([]int64, n), make([]int64, n), make([]uint64, n), make([]uint64, n)
		for i := range xs {
			xs[i], ys[i] = int64(r.Uint64())>>r.UintN(60), int64(r.Uint64())>>r.UintN(60)
		}
		for _, level := range []uint8{0, 1, 24, 255} {
			seed := r.Uint64() >> r.UintN(64)
			for i, x := range xs {
				h1s[i], h2s[i] = uint64(x), uint64(ys[i])
			}
			key.HashSquares(seed, level, h1s, h2s)
			for i := range xs {
				if h1, h2 := key.Hash(seed, key.AppendCell(nil, xs[i], ys[i], level, nil)); h1 != h1s[i] || h2 != h2s[i] {
					t.Fatalf("seed %d, square %d of %d, (%d, %d) of level %d", seed, i, n, xs[i], ys[i], level)
				}
			}
		}
	}
}
