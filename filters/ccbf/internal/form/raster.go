package form

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/paulmach/orb"
)

// Pixels is a raster in the making.
type Pixels struct {
	Dst            []uint64
	Width          int
	Columns, Lines Cuts
}

// At is where a pixel is, lines counted from the south.
func (p *Pixels) At(column, line int) int { return len(p.Dst) - (line+1)*p.Width + column }

// Add counts points in a pixel.
func (p *Pixels) Add(column, line int, n uint64) {
	at := &p.Dst[p.At(column, line)]
	*at = saturate.Add(*at, n)
}

// Cuts divides one axis of a box into pixels by the centres of cells: pixel i
// Holds the cells from at[i] up to, not including, at[i+1].
type Cuts struct {
	at    []int64
	scale float64  // pixels per cell, for a first guess
	Of    []uint16 // the pixel of each cell from From() on; nil where there are many
}

// cutTable is for how many cells of an axis there is a table of their pixels: it stays in
// the caches.
const cutTable = 1 << 16

// CutsOf divides one axis of a box, 0 or 1, on a grid.
func CutsOf(g grid.Grid, b orb.Bound, axis, pixels int) Cuts {
	c := Cuts{at: make([]int64, pixels+1)}
	g.Cuts(c.at, b.Min[axis], b.Max[axis])
	if cells := c.at[pixels] - c.at[0]; cells > 0 {
		c.scale = float64(pixels) / float64(cells)
		if cells <= cutTable {
			c.Of = make([]uint16, cells)
			for i := range pixels {
				for cell := c.at[i]; cell < c.at[i+1]; cell++ {
					c.Of[cell-c.at[0]] = uint16(i)
				}
			}
		}
	}
	return c
}

// Holds reports whether a pixel has cells.
func (c *Cuts) Holds(pixel int) bool { return c.at[pixel] < c.at[pixel+1] }

// From and To are the first and the last cell of all pixels.
func (c *Cuts) From() int64 { return c.at[0] }
func (c *Cuts) To() int64   { return c.at[len(c.at)-1] - 1 }

// Whole is the pixel of n cells from first on, false where they are not all in
// one.
func (c *Cuts) Whole(first, n int64) (pixel int, ok bool) {
	last := first + n - 1
	if first < c.From() || last > c.To() {
		return 0, false
	}
	pixel = c.Part(first)
	return pixel, last < c.at[pixel+1]
}

// Part is the pixel of a cell from From() to To().
func (c *Cuts) Part(cell int64) int {
	if c.Of != nil {
		return int(c.Of[cell-c.at[0]])
	}
	// Pixels are of equal length, so that the guess is right or next to it;
	// where coordinates have no bits left for pixels it may not be.
	guess := min(int(float64(cell-c.at[0])*c.scale), len(c.at)-2)
	if c.at[guess] <= cell && cell < c.at[guess+1] {
		return guess
	}
	i, _ := slices.BinarySearch(c.at, cell+1)
	return i - 1
}
