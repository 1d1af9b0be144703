package ccbf

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/paulmach/orb"
)

// Limits of rasters: what a question makes is bounded before it is made.
const (
	MaxSide   = 1 << 13 // most pixels in a row or a column
	MaxPixels = 1 << 24 // most pixels in all
)

// ErrRaster is a raster with no pixels, or with too many.
var ErrRaster = errors.New("raster size out of range")

// CheckRaster returns an error that wraps ErrRaster for an invalid width or
// height, and one that wraps grid.ErrBox for an invalid box: a box must be
// finite and not empty.
func CheckRaster(b orb.Bound, width, height int) error {
	for _, side := range []struct {
		name string
		n    int
	}{{"width", width}, {"height", height}} {
		if side.n < 1 || side.n > MaxSide {
			return fmt.Errorf("%w: %s is %d, must be from 1 to %d", ErrRaster, side.name, side.n, MaxSide)
		}
	}
	if width*height > MaxPixels {
		return fmt.Errorf("%w: %d x %d is %d pixels, the limit is %d (use a smaller width or height)", ErrRaster, width, height, width*height, MaxPixels)
	}
	for i, axis := range "xy" {
		low, high := b.Min[i], b.Max[i]
		switch span := high - low; {
		case span != span || math.IsInf(span, 0):
			return fmt.Errorf("%w: %cmin %v to %cmax %v is not a finite length", grid.ErrBox, axis, low, axis, high)
		case span <= 0:
			return fmt.Errorf("%w: %cmin %v must be below %cmax %v", grid.ErrBox, axis, low, axis, high)
		}
	}
	return nil
}

// Raster writes the counts of a box as width x height pixels to dst, row by row
// from the north-west: a pixel is the sum of Count over the cells whose centre
// it holds, lower edges included and upper ones not, as Sum has it. So the
// pixels add up to the sum of the box; if cells are larger than pixels, the
// pixel at the centre of a cell has its whole count. (Density spreads it.) A
// pixel never falls below the truth, and is exact while the sketch is.
//
// In a dense sketch with levels, the largest squares inside each pixel are
// looked up; none counts more than a square around it reads. That is closer, and
// the pixels may add up to more than Sum, which looks up larger squares.
//
// Pixel i of a row begins at xmin + (xmax-xmin)*i/width; rows likewise, counted
// from ymin. dst must be width*height long. Exact sketches answer for any box,
// dense ones for up to AreaLimit lookups inside Bounds. Errors as CheckRaster.
func (v *View) Raster(dst []uint64, b orb.Bound, width, height int, of Categories) error {
	if err := checkPixels(len(dst), b, width, height); err != nil {
		return err
	}
	clear(dst)
	p := pixels{dst: dst, width: width, columns: cutsOf(v.Grid, b, 0, width), lines: cutsOf(v.Grid, b, 1, height)}
	clip := grid.Rect{MinX: p.columns.from(), MinY: p.lines.from(), MaxX: p.columns.to(), MaxY: p.lines.to()}
	if clip.Empty() {
		return nil
	}
	return v.in().raster(&p, clip, of)
}

// pixels is a raster in the making.
type pixels struct {
	dst            []uint64
	width          int
	columns, lines cuts
}

// take counts what squares read in the pixels in which they lie, and returns the others, where
// these were. Which do is hard to guess, so that there is no branch for it. Pixels of other
// squares are left alone: another goroutine may have them.
func (p *pixels) take(level int, squares []reading) (cut []reading) {
	var at, least [searchBatch]uint64
	taken := 0
	west, south, last := p.columns.from(), p.lines.from(), int64(1)<<level-1
	columns, lines, n := p.columns.of, p.lines.of, 0
	for _, q := range squares {
		x, y := q.at.X<<level, q.at.Y<<level
		i, j, whole := x-west, y-south, uint64(0)
		if i >= 0 && j >= 0 && i+last < int64(len(columns)) && j+last < int64(len(lines)) {
			column, line := columns[i], lines[j]
			differ := (column ^ columns[i+last]) | (line ^ lines[j+last])
			whole = (uint64(differ) - 1) >> 63
			at[taken%searchBatch], least[taken%searchBatch] = uint64(p.at(int(column), int(line))), q.least
			taken += int(whole)
		} else {
			column, one := p.columns.whole(x, last+1)
			line, two := p.lines.whole(y, last+1)
			if one && two {
				whole = 1
				p.add(column, line, q.least)
			}
		}
		squares[n] = q
		n += int(1 - whole)
	}
	for i, at := range at[:taken] {
		p.dst[at] = saturate.Add(p.dst[at], least[i])
	}
	return squares[:n]
}

// at is where a pixel is, lines counted from the south.
func (p *pixels) at(column, line int) int { return len(p.dst) - (line+1)*p.width + column }

// add counts points in a pixel.
func (p *pixels) add(column, line int, n uint64) {
	at := &p.dst[p.at(column, line)]
	*at = saturate.Add(*at, n)
}

func checkPixels(n int, b orb.Bound, width, height int) error {
	if err := CheckRaster(b, width, height); err != nil {
		return err
	}
	if n != width*height {
		return fmt.Errorf("%w: %d x %d pixels and room for %d", ErrRaster, width, height, n)
	}
	return nil
}

// cuts divides one axis of a box into pixels by the centres of cells: pixel i
// holds the cells from at[i] up to, not including, at[i+1].
type cuts struct {
	at    []int64
	scale float64  // pixels per cell, for a first guess
	of    []uint16 // the pixel of each cell from from() on; nil where there are many
}

// cutTable is for how many cells of an axis there is a table of their pixels: it stays in
// the caches.
const cutTable = 1 << 16

func cutsOf(g grid.Grid, b orb.Bound, axis, pixels int) cuts {
	c := cuts{at: make([]int64, pixels+1)}
	g.Cuts(c.at, b.Min[axis], b.Max[axis])
	if cells := c.at[pixels] - c.at[0]; cells > 0 {
		c.scale = float64(pixels) / float64(cells)
		if cells <= cutTable {
			c.of = make([]uint16, cells)
			for i := range pixels {
				for cell := c.at[i]; cell < c.at[i+1]; cell++ {
					c.of[cell-c.at[0]] = uint16(i)
				}
			}
		}
	}
	return c
}

// holds reports whether a pixel has cells.
func (c *cuts) holds(pixel int) bool { return c.at[pixel] < c.at[pixel+1] }

// from and to are the first and the last cell of all pixels.
func (c *cuts) from() int64 { return c.at[0] }
func (c *cuts) to() int64   { return c.at[len(c.at)-1] - 1 }

// whole is the pixel of n cells from first on, false where they are not all in
// one.
func (c *cuts) whole(first, n int64) (pixel int, ok bool) {
	last := first + n - 1
	if first < c.from() || last > c.to() {
		return 0, false
	}
	pixel = c.part(first)
	return pixel, last < c.at[pixel+1]
}

// part is the pixel of a cell from from() to to().
func (c *cuts) part(cell int64) int {
	if c.of != nil {
		return int(c.of[cell-c.at[0]])
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
