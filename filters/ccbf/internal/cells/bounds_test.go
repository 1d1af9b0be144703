package cells

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// TestBounds: Bounds holds all cells, one by one, wherever the outermost are.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 0))
	for i := range 300 {
		s := Section{Label: Label{None: true}}
		want := NoBounds
		side := int64(1) << (i % 27)
		for range 1 + r.IntN(1000) {
			c := grid.Cell{X: r.Int64N(side) - side/3, Y: r.Int64N(side) - r.Int64N(5)*side}
			if i%3 == 0 { // along an edge
				c.Y = 7 + r.Int64N(2)
			}
			_, _, z := Key(c)
			s.Keys = append(s.Keys, z)
			want = Hull(want, grid.Rect{MinX: c.X, MinY: c.Y, MaxX: c.X, MaxY: c.Y})
		}
		slices.Sort(s.Keys)
		s.Keys = slices.Compact(s.Keys)
		if got := (List{s}).Bounds(); got != want {
			t.Fatalf("%d cells in %v, bounds %v", len(s.Keys), want, got)
		}
	}
}
