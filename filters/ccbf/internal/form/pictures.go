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

// Side returns the shorter side of a pixel.
func (p *Picture) Side() float64 {
	return min((p.Box.Max[0]-p.Box.Min[0])/float64(p.Width), (p.Box.Max[1]-p.Box.Min[1])/float64(p.Height))
}

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

// Paint draws squares of one level of a sketch. It calls each with the rectangle of cells that the
// picture shows; each spreads what these squares count.
func (p *Picture) Paint(h *Head, level int, each func(clip grid.Rect, to *Painting) error) error {
	in := p.SquaresOf(h, level)
	if in.Empty() {
		return nil
	}
	clip := grid.Rect{MinX: in.MinX << level, MinY: in.MinY << level, MaxX: (in.MaxX+1)<<level - 1, MaxY: (in.MaxY+1)<<level - 1}
	to := p.painting(h, level, clip)
	if err := each(clip, to); err != nil {
		return err
	}
	to.finish()
	return nil
}

// Painting spreads the points of equally large squares. If squares are larger than pixels, it first adds up the
// points of each square, which may have many categories and very many pixels.
type Painting struct {
	picture   *Picture
	res, side float64 // of a cell, and of a square
	level     int
	first     grid.Cell // the south-western cell of all squares
	width     int64     // squares in a row
	bins      []float64 // by square, its points; nil if squares are not larger than pixels.
}

// painting returns a painting of squares of a level that have cells in a rectangle. The first of them begins at its
// south-western corner.
func (p *Picture) painting(h *Head, level int, in grid.Rect) *Painting {
	res := h.Grid.Res()
	to := &Painting{picture: p, res: res, side: res * math.Exp2(float64(level)), level: level, first: grid.Cell{X: in.MinX, Y: in.MinY}}
	to.width = (in.MaxX-in.MinX)>>level + 1
	if to.side*float64(p.Width) > p.Box.Max[0]-p.Box.Min[0] && to.side*float64(p.Height) > p.Box.Max[1]-p.Box.Min[1] {
		to.bins = make([]float64, to.width*((in.MaxY-in.MinY)>>level+1))
	}
	return to
}

// Spread spreads the points of a square over the pixels that it meets. corner is its south-western cell.
func (p *Painting) Spread(corner grid.Cell, n float64) {
	if p.bins == nil {
		p.draw(corner, n)
		return
	}
	p.bins[(corner.Y-p.first.Y)>>p.level*p.width+(corner.X-p.first.X)>>p.level] += n
}

// finish draws the points that Spread has added up.
func (p *Painting) finish() {
	for i, n := range p.bins {
		if n != 0 {
			p.draw(grid.Cell{X: p.first.X + int64(i)%p.width<<p.level, Y: p.first.Y + int64(i)/p.width<<p.level}, n)
		}
	}
}

// draw spreads the points of a square evenly.
func (p *Painting) draw(corner grid.Cell, n float64) {
	to, box := p.picture, p.picture.Box
	// columns and rows are the numbers of pixels in one unit of coordinates.
	columns, rows := float64(to.Width)/(box.Max[0]-box.Min[0]), float64(to.Height)/(box.Max[1]-box.Min[1])
	x := spanOf((float64(corner.X)*p.res-box.Min[0])*columns, p.side*columns, to.Width)
	y := spanOf((float64(corner.Y)*p.res-box.Min[1])*rows, p.side*rows, to.Height)
	each := n / (p.side * columns * p.side * rows)
	for line := y.first; line <= y.last; line++ {
		x.add(to.line(line), each*y.at(line))
	}
}

// line returns a row of pixels, counted from the south.
func (p *Picture) line(i int) []float64 { return p.Pixels[(p.Height-1-i)*p.Width:][:p.Width] }

// span has the pixels from first to last, which a square covers along one axis. There are none if last is
// below first. The square covers the fraction low of the first pixel, and the fraction high of the last
// pixel. If both are the same pixel, only low counts.
type span struct {
	first, last int
	low, high   float64
}

// spanOf returns the pixels, of n from 0 on, that a square covers. It begins at at and has a length, both
// in pixels.
func spanOf(at, length float64, n int) span {
	from, to := max(at, 0), min(at+length, float64(n))
	if !(from < to) {
		return span{last: -1}
	}
	first, last := min(int(from), n-1), min(int(math.Ceil(to))-1, n-1)
	if last <= first {
		return span{first, first, to - from, 0}
	}
	return span{first, last, float64(first+1) - from, to - float64(last)}
}

// at returns the fraction of a pixel that the square covers.
func (s *span) at(pixel int) float64 {
	switch pixel {
	case s.first:
		return s.low
	case s.last:
		return s.high
	}
	return 1
}

// add adds n to each pixel of a row that the square covers, and a part of n to one that it covers in part.
func (s *span) add(row []float64, n float64) {
	if s.first > s.last {
		return
	}
	row = row[s.first : s.last+1]
	row[0] += n * s.low
	if last := len(row) - 1; last > 0 {
		for i := 1; i < last; i++ {
			row[i] += n
		}
		row[last] += n * s.high
	}
}

// Pixels is a raster: each pixel has the sum of the counts of cells whose centres lie in it.
type Pixels struct {
	Dst            []uint64
	Width          int
	Columns, Lines Cuts
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

// CheckRaster returns an error that wraps ErrRaster for an invalid width or height. It returns one
// that wraps grid.ErrBox for an invalid box: a box must be finite and not empty.
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
