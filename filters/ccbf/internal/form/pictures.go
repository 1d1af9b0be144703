package form

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/paulmach/orb"
)

// Picture is a density map of a box: the count of each pixel.
type Picture struct {
	Pixels        []float64 // row by row from the north-west
	Box           orb.Bound
	Width, Height int
}

// Blank returns a picture of the same box without points.
func (p *Picture) Blank() *Picture {
	return &Picture{make([]float64, len(p.Pixels)), p.Box, p.Width, p.Height}
}

// sides returns the width and the height of a pixel.
func (p *Picture) sides() (x, y float64) {
	return (p.Box.Max[0] - p.Box.Min[0]) / float64(p.Width), (p.Box.Max[1] - p.Box.Min[1]) / float64(p.Height)
}

// Side returns the shorter side of a pixel.
func (p *Picture) Side() float64 { x, y := p.sides(); return min(x, y) }

// Squares returns the squares of a side that the picture shows, counted from the origin of coordinates.
func (p *Picture) Squares(side float64) grid.Rect {
	// Indexes of a grid end long before int64. Squares beyond them are cut off.
	index := func(v float64) int64 { return int64(max(min(v, 2*grid.MaxIndex), -2*grid.MaxIndex)) }
	return grid.Rect{
		MinX: index(math.Floor(p.Box.Min[0] / side)), MinY: index(math.Floor(p.Box.Min[1] / side)),
		MaxX: index(math.Ceil(p.Box.Max[0]/side)) - 1, MaxY: index(math.Ceil(p.Box.Max[1]/side)) - 1,
	}
}

// SquaresOf returns the squares of a level that the picture shows of a sketch.
func (p *Picture) SquaresOf(h *Head, level int) grid.Rect {
	return p.Squares(h.Grid.Res() * math.Exp2(float64(level))).Intersect(h.Bounds.Squares(level))
}

// CellsOf returns the cells of the squares of a level that the picture shows of a sketch.
func (p *Picture) CellsOf(h *Head, level int) grid.Rect {
	in := p.SquaresOf(h, level)
	return grid.Rect{MinX: in.MinX << level, MinY: in.MinY << level, MaxX: (in.MaxX+1)<<level - 1, MaxY: (in.MaxY+1)<<level - 1}
}

// Spreader returns a function that spreads the points of a square of a sketch evenly over the pixels that it meets.
// corner is its south-western cell.
func (p *Picture) Spreader(h *Head) func(corner grid.Cell, level int, n float64) {
	res, box := h.Grid.Res(), p.Box
	// columns and rows are the numbers of pixels in one unit of coordinates.
	columns, rows := float64(p.Width)/(box.Max[0]-box.Min[0]), float64(p.Height)/(box.Max[1]-box.Min[1])
	return func(corner grid.Cell, level int, n float64) {
		side := res * float64(uint64(1)<<level)
		x := spanOf((float64(corner.X)*res-box.Min[0])*columns, side*columns, p.Width)
		y := spanOf((float64(corner.Y)*res-box.Min[1])*rows, side*rows, p.Height)
		each := n / (side * columns * side * rows)
		for line := int(y.from); float64(line) < y.to; line++ { // lines count from the south
			row, part := p.Pixels[(p.Height-1-line)*p.Width:][:p.Width], each*y.part(line)
			for column := int(x.from); float64(column) < x.to; column++ {
				row[column] += part * x.part(column)
			}
		}
	}
}

// span has the pixels that a square covers along an axis. There are none unless from is below to.
type span struct{ from, to float64 }

// spanOf returns the span of a square among n pixels. It begins at at and has a length, both in pixels.
func spanOf(at, length float64, n int) span {
	return span{min(max(at, 0), float64(n)), min(at+length, float64(n))}
}

// part returns the fraction of a pixel that the square covers.
func (s span) part(pixel int) float64 {
	return min(s.to, float64(pixel+1)) - max(s.from, float64(pixel))
}

// Pixels is a raster: each pixel has the sum of the counts of cells whose centres lie in it.
type Pixels struct {
	Dst            []uint64
	Width          int
	Columns, Lines Cuts
	// Both calls both functions at the same time; nil if nothing is to run at the same time.
	Both func(first, second func() error) error
}

// Add adds points to a pixel; lines count from the south.
func (p *Pixels) Add(column, line int, n uint64) {
	at := &p.Dst[len(p.Dst)-(line+1)*p.Width+column]
	*at = saturate.Add(*at, n)
}

// Cuts divides one axis of a box into pixels by the centres of cells. Pixel i holds the cells
// [at[i], at[i+1]).
type Cuts struct {
	at    []int64
	scale float64 // pixels per cell
	first float64 // where the centre of cell at[0] is, in cells from the side of the box
}

// CutsOf divides axis 0 (x) or 1 (y) of a box on a grid.
func CutsOf(g grid.Grid, b orb.Bound, axis, pixels int) Cuts {
	c := Cuts{at: make([]int64, pixels+1)}
	g.Cuts(c.at, b.Min[axis], b.Max[axis])
	c.scale = float64(pixels) * g.Res() / (b.Max[axis] - b.Min[axis])
	c.first = float64(c.at[0]) + 0.5 - b.Min[axis]/g.Res()
	return c
}

// Start returns the first cell of the pixel of a cell.
func (c *Cuts) Start(cell int64) int64 { return c.at[c.Part(cell)] }

// Holds reports whether a pixel has cells.
func (c *Cuts) Holds(pixel int) bool { return c.at[pixel] < c.at[pixel+1] }

// From returns the first cell of all pixels.
func (c *Cuts) From() int64 { return c.at[0] }

// To returns the last cell of all pixels.
func (c *Cuts) To() int64 { return c.at[len(c.at)-1] - 1 }

// Whole returns the pixel that holds all n cells from first on, and false if no single pixel does.
func (c *Cuts) Whole(first, n int64) (pixel int, ok bool) {
	last := first + n - 1
	if first < c.From() || last > c.To() {
		return 0, false
	}
	pixel = c.Part(first)
	return pixel, last < c.at[pixel+1]
}

// Part returns the pixel of a cell between From() and To().
func (c *Cuts) Part(cell int64) int {
	// The guess is wrong where it is rounded to the other side of a cut. If coordinates have too few bits
	// for the pixels, it may be wrong more often.
	pixel := int((float64(cell-c.at[0]) + c.first) * c.scale)
	if uint(pixel) < uint(len(c.at)-1) && c.at[pixel] <= cell && cell < c.at[pixel+1] {
		return pixel
	}
	i, _ := slices.BinarySearch(c.at, cell+1)
	return i - 1
}

// Limits of a raster's size.
const (
	MaxSide   = 1 << 13 // pixels in a row or a column
	MaxPixels = 1 << 24 // pixels in all
)

// ErrRaster is the error for a raster with no pixels, or with too many.
var ErrRaster = errors.New("raster size out of range")

// CheckRaster returns an error that wraps grid.ErrBox for an invalid box: a box must be finite and not empty. It
// returns one that wraps ErrRaster for an invalid width or height, which may come from the box.
func CheckRaster(b orb.Bound, width, height int) error {
	for i, axis := range "xy" {
		low, high := b.Min[i], b.Max[i]
		switch span := high - low; {
		case span != span || math.IsInf(span, 0):
			return fmt.Errorf("%w: %cmin %v to %cmax %v is not a finite length", grid.ErrBox, axis, low, axis, high)
		case span <= 0:
			return fmt.Errorf("%w: %cmin %v must be below %cmax %v", grid.ErrBox, axis, low, axis, high)
		}
	}
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
	return nil
}

// CheckPixels is CheckRaster for a buffer of n pixels. n must be width*height.
func CheckPixels(n int, b orb.Bound, width, height int) error {
	if err := CheckRaster(b, width, height); err != nil {
		return err
	}
	if n != width*height {
		return fmt.Errorf("%w: %d x %d pixels and room for %d", ErrRaster, width, height, n)
	}
	return nil
}
