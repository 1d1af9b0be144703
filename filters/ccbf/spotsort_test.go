package ccbf

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Sorting as words is sorting, however far apart spots are.
func TestSortSpots(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 0))
	asWords := 0
	for range 300 {
		spots := make([]Spot, 1+r.IntN(3*fewSpots))
		width, counts, levels := r.Int64N(1<<r.IntN(54))+1, r.Uint64()>>r.IntN(64), 1+r.IntN(1+r.IntN(32))
		for i := range spots {
			spots[i] = Spot{grid.Cell{X: r.Int64N(width) - width/2, Y: r.Int64N(width)}, 1 + r.Uint64N(max(counts, 1)), uint8(r.IntN(levels))}
		}
		want := slices.Clone(spots)
		slices.SortFunc(want, func(a, b Spot) int { return spotOrder(&a, &b) })
		if words := slices.Clone(spots); sortAsWords(words) {
			asWords++
			if !slices.Equal(words, want) {
				t.Fatalf("%d spots within %d, as words: not in order", len(spots), width)
			}
		}
		if sortSpots(spots); !slices.Equal(spots, want) {
			t.Fatalf("%d spots within %d: not in order", len(spots), width)
		}
	}
	if asWords < 50 || asWords > 250 {
		t.Errorf("%d of 300 lists fit words", asWords)
	}
}
