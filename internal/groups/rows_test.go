package groups

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRows compares the groups of random rows with those of a map, in chunks of any size one after the other.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var g Rows
	for range 200 {
		n := r.IntN(3000)
		g.Reset(n)
		groups := map[place][]uint32{}
		var first []place // by group
		for row := 0; row < n; row += 1 + r.IntN(3) {
			p := place{uintptr(8 * r.IntN(1+r.IntN(2000))), r.IntN(2)}
			if groups[p] == nil {
				first = append(first, p)
			}
			groups[p] = append(groups[p], uint32(row))
			g.Add(row, p.address, p.length)
		}
		g.Sort()
		for i, p := range first {
			if from, to := g.Range(i); g.Len() != len(first) || !slices.Equal(g.Order[from:to], groups[p]) {
				t.Fatalf("group %d of %d: rows %d, want %d of %d groups", i, g.Len(), g.Order[from:to], groups[p], len(first))
			}
		}
	}
}
