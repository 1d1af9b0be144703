package cells

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

func TestCellsOfRegions(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 0))
	for range 10_000 {
		c := grid.Cell{X: r.Int64N(2*grid.MaxIndex) - grid.MaxIndex, Y: r.Int64N(1<<34) - 1<<33}
		sx, sy, z := Key(c)
		if got := CellOf(sx, sy, z); got != c {
			t.Fatalf("cell %v comes back as %v", c, got)
		}
		home := c.X >= Lowest && c.X <= Highest && c.Y >= Lowest && c.Y <= Highest
		if home != (sx == 0 && sy == 0) {
			t.Fatalf("cell %v is in region (%d, %d)", c, sx, sy)
		}
		if n := bits.Len32(uint32(max(sx, -sx))); n > 22 {
			t.Fatalf("region (%d, %d) takes %d bits", sx, sy, n)
		}
	}
}
