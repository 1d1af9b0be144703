package key_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// A row of cells has the hashes of its cells.
func TestHashRow(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var h1s, h2s [300]uint64
	for range 50 {
		seed, x, y := r.Uint64()>>r.UintN(64), int64(r.Uint64())>>r.UintN(60), int64(r.Uint64())>>r.UintN(60)
		key.HashRow(seed, x, y, h1s[:], h2s[:])
		for i := range h1s {
			if h1, h2 := key.HashCell(seed, x+int64(i), y); h1 != h1s[i] || h2 != h2s[i] {
				t.Fatalf("seed %d, cell %d of the row from (%d, %d)", seed, i, x, y)
			}
		}
	}
}
