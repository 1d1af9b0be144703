package form

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

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

// squaresOf returns the squares of a level, and their side, that the picture shows of a sketch.
func (p *Picture) squaresOf(h *Head, level int) (in grid.Rect, side float64) {
	side = h.Grid.Res() * math.Exp2(float64(level))
	return p.Squares(side).Intersect(h.Bounds.Squares(level)), side
}

// SquaresIn returns the number of squares of a level, within the bounds of a sketch, that the picture
// shows.
func (p *Picture) SquaresIn(h *Head, level int) uint64 {
	in, _ := p.squaresOf(h, level)
	return in.Count()
}

// Spread spreads the points of a square evenly over the pixels that it meets. The square has
// 2^level x 2^level cells of length res, of which corner is the south-western one.
func (p *Picture) Spread(res float64, corner grid.Cell, level uint8, n float64) {
	side := res * float64(uint64(1)<<level)
	dx, dy := (p.Box.Max[0]-p.Box.Min[0])/float64(p.Width), (p.Box.Max[1]-p.Box.Min[1])/float64(p.Height)
	x := spanOf((float64(corner.X)*res-p.Box.Min[0])/dx, side/dx, p.Width)
	y := spanOf((float64(corner.Y)*res-p.Box.Min[1])/dy, side/dy, p.Height)
	each := n * (dx / side) * (dy / side)
	for line := y.first; line <= y.last; line++ {
		x.add(p.line(line), each*y.at(line))
	}
}

// Paint draws squares of one level of a sketch. It calls each with the rectangle of cells that the
// picture shows; each spreads what these squares count.
func (p *Picture) Paint(h *Head, level int, each func(clip grid.Rect, to *Painting) error) error {
	in, side := p.squaresOf(h, level)
	if in.Empty() {
		return nil
	}
	x, y := newAxis(p.Box.Min[0], p.Box.Max[0], p.Width, side), newAxis(p.Box.Min[1], p.Box.Max[1], p.Height, side)
	to := Painting{sums: p.Pixels}
	if x.isLarge || y.isLarge {
		bins := getBins(x.bins(in.Width()) * y.bins(in.Height()))
		defer putBins(bins)
		to.sums = *bins
	}
	to.x, to.y = binAxis{x, in.MinX, x.bins(in.Width())}, binAxis{y, in.MinY, y.bins(in.Height())}
	clip := grid.Rect{MinX: in.MinX << level, MinY: in.MinY << level, MaxX: (in.MaxX+1)<<level - 1, MaxY: (in.MaxY+1)<<level - 1}
	if err := each(clip, &to); err != nil {
		return err
	}
	if x.isLarge || y.isLarge {
		to.finish(p)
	}
	return nil
}

// binPool keeps the memory of bins. Allocating half a million for each picture more than doubled
// its time.
var binPool = sync.Pool{New: func() any { return new([]float64) }}

// maxPooledBins is the number of bins up to which binPool keeps memory.
const maxPooledBins = 1 << 20

// getBins returns n bins, all of them 0.
func getBins(n int) *[]float64 {
	bins := binPool.Get().(*[]float64)
	if cap(*bins) < n {
		*bins = make([]float64, n)
	}
	*bins = (*bins)[:n]
	clear(*bins)
	return bins
}

func putBins(bins *[]float64) {
	if cap(*bins) <= maxPooledBins {
		binPool.Put(bins)
	}
}

// Painting adds up the points of equally large squares. On an axis where squares are larger than pixels,
// each square has a bin. Squares of different categories at the same place share that bin, so their sum
// is spread over the pixels only once. On other axes, the pixels are the bins.
type Painting struct {
	x, y binAxis
	sums []float64 // rows of bins from the north-west
}

// Add spreads a count over the bins that its square meets.
func (p *Painting) Add(c grid.Cell, count uint64) { p.Spread(c, float64(count)) }

// Spread spreads the points of a square over the bins that it meets, at most two on each axis.
func (p *Painting) Spread(c grid.Cell, n float64) {
	x, y, sums := &p.x, &p.y, p.sums
	i, west, east := x.bin(c.X)
	j, south, north := y.bin(c.Y)
	at := (y.n-1-j)*x.n + i
	sums[at] += n * south * west
	if east > 0 {
		sums[at+1] += n * south * east
	}
	if north > 0 {
		at -= x.n
		sums[at] += n * north * west
		if east > 0 {
			sums[at+1] += n * north * east
		}
	}
}

// finish spreads the bins over the pixels of the picture. It spreads each row of bins over a row of pixels
// first, and then that over all rows that it covers.
func (p *Painting) finish(to *Picture) {
	columns, row := make([]span, p.x.n), make([]float64, to.Width)
	for i := range columns {
		columns[i] = p.x.covered(i)
	}
	each := p.x.part() * p.y.part()
	for j := range p.y.n { // each row of bins, from the south
		bins := p.sums[(p.y.n-1-j)*p.x.n:][:p.x.n]
		if !slices.ContainsFunc(bins, func(n float64) bool { return n != 0 }) {
			continue
		}
		clear(row)
		for i, n := range bins {
			columns[i].add(row, n*each)
		}
		lines := p.y.covered(j)
		for line := lines.first; line <= lines.last; line++ {
			part, dst := lines.at(line), to.line(line)
			for i, n := range row {
				dst[i] += n * part
			}
		}
	}
}

// line returns a row of pixels, counted from the south.
func (p *Picture) line(i int) []float64 { return p.Pixels[(p.Height-1-i)*p.Width:][:p.Width] }

// binAxis is an axis with its bins.
type binAxis struct {
	axis
	first int64 // the first square with a bin
	n     int
}

// bin returns the first bin that a square meets, and the fractions of the square in it and in the next
// one.
func (a *binAxis) bin(square int64) (i int, here, next float64) {
	if a.isLarge {
		return int(square - a.first), 1, 0
	}
	i, here, next = overlap((float64(square)*a.side-a.low)/a.pixel, a.side/a.pixel, a.n)
	return i, here * a.pixel / a.side, next * a.pixel / a.side
}

// overlap returns how much the stretch from at on, of a length up to 1, has of the unit intervals i and
// i+1. There are n intervals from 0 on.
func overlap(at, length float64, n int) (i int, here, next float64) {
	floor := math.Floor(at)
	here = min(length, floor+1-at)
	next = length - here
	switch {
	case floor == -1:
		return 0, next, 0
	case !(floor >= 0 && floor < float64(n)):
		return 0, 0, 0
	case floor == float64(n-1):
		return n - 1, here, 0
	}
	return int(floor), here, next
}

// covered returns the pixels that a bin covers.
func (a *binAxis) covered(bin int) span {
	if a.isLarge {
		return spanOf((float64(a.first+int64(bin))*a.side-a.low)/a.pixel, a.side/a.pixel, a.pixels)
	}
	return span{first: bin, last: bin, low: 1}
}

// part returns which fraction of a bin's points, along this axis, a pixel gets that lies within the bin.
func (a *binAxis) part() float64 {
	if a.isLarge {
		return a.pixel / a.side
	}
	return 1
}

// axis is one axis of a picture, together with the side of the squares that are painted.
type axis struct {
	low, pixel, side float64 // the coordinate where the picture begins, the length of a pixel, and the side of a square.
	pixels           int
	isLarge          bool // whether squares are larger than pixels
}

func newAxis(low, high float64, pixels int, side float64) axis {
	pixel := (high - low) / float64(pixels)
	return axis{low, pixel, side, pixels, side > pixel}
}

// bins returns the number of bins for so many squares.
func (a *axis) bins(squares uint64) int {
	if a.isLarge {
		return int(squares)
	}
	return a.pixels
}

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

// At returns the index of a pixel; lines count from the south.
func (p *Pixels) At(column, line int) int { return len(p.Dst) - (line+1)*p.Width + column }

// Add adds points to a pixel.
func (p *Pixels) Add(column, line int, n uint64) {
	at := &p.Dst[p.At(column, line)]
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
	return c.search(cell)
}

// search is Part for a cell that is not where it was guessed.
func (c *Cuts) search(cell int64) int {
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
