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

// Picture is counts of a box as pixels, in the making.
type Picture struct {
	Pixels        []float64 // row by row from the north-west
	Box           orb.Bound
	Width, Height int
}

// Side is the shorter side of a pixel.
func (p *Picture) Side() float64 {
	return min((p.Box.Max[0]-p.Box.Min[0])/float64(p.Width), (p.Box.Max[1]-p.Box.Min[1])/float64(p.Height))
}

// Paint draws squares of one level of a sketch. each is called with the rectangle of cells that
// the picture shows and paints them.
func (p *Picture) Paint(h *Head, level int, each func(clip grid.Rect, to *Painting) error) error {
	side, bounds := h.Grid.Res()*float64(uint64(1)<<level), h.Bounds.Squares(level)
	to := Painting{
		x:    newAxis(p.Box.Min[0], p.Box.Max[0], p.Width, side, bounds.MinX, bounds.MaxX),
		y:    newAxis(p.Box.Min[1], p.Box.Max[1], p.Height, side, bounds.MinY, bounds.MaxY),
		sums: p.Pixels,
	}
	x, y := &to.x, &to.y
	if x.first > x.last || y.first > y.last {
		return nil
	}
	if x.large || y.large {
		lent := takeBins(x.bins * y.bins)
		defer giveBins(lent)
		to.sums = *lent
	}
	clip := grid.Rect{MinX: x.first << level, MinY: y.first << level, MaxX: (x.last+1)<<level - 1, MaxY: (y.last+1)<<level - 1}
	if err := each(clip, &to); err != nil {
		return err
	}
	if x.large || y.large {
		stretch(p.Pixels, to.sums, x, y)
	}
	return nil
}

// lentBins lends the memory of bins: to come by half a million each time took an eighth of
// the processor time of a picture.
var lentBins = sync.Pool{New: func() any { return new([]float64) }}

// maxLentBins is up to how many bins are kept.
const maxLentBins = 1 << 20

// takeBins is n bins, all of them 0.
func takeBins(n int) *[]float64 {
	lent := lentBins.Get().(*[]float64)
	if cap(*lent) < n {
		*lent = make([]float64, n)
	}
	*lent = (*lent)[:n]
	clear(*lent)
	return lent
}

func giveBins(lent *[]float64) {
	if cap(*lent) <= maxLentBins {
		lentBins.Put(lent)
	}
}

// Painting is the sums of bins.
type Painting struct {
	x, y axis
	sums []float64
}

// Add spreads a count.
func (p *Painting) Add(c grid.Cell, count uint64) { p.Spread(c, float64(count)) }

// Spread spreads the points of a square over the bins that it meets.
func (p *Painting) Spread(c grid.Cell, n float64) {
	x, y, sums := &p.x, &p.y, p.sums
	i, west, east := x.bin(c.X)
	j, south, north := y.bin(c.Y)
	at := (y.bins-1-j)*x.bins + i
	sums[at] += n * south * west
	if east > 0 {
		sums[at+1] += n * south * east
	}
	if north > 0 {
		at -= x.bins
		sums[at] += n * north * west
		if east > 0 {
			sums[at+1] += n * north * east
		}
	}
}

// axis is one axis of a picture: pixels, and cells that are no larger than
// those or larger. Whichever is larger are its bins, so that each of the others
// meets two bins at most: cells are added up in bins, and larger cells are then
// stretched over their pixels. No cell is painted pixel by pixel, of which
// there may be millions.
type axis struct {
	low, pixel, side float64 // where the box begins, length of a pixel and of a cell
	first, last      int64   // the cells that meet the box and can have a count
	pixels, bins     int
	large            bool // cells are larger than pixels
}

func newAxis(low, high float64, pixels int, side float64, first, last int64) axis {
	a := axis{low: low, pixel: (high - low) / float64(pixels), side: side, pixels: pixels, bins: pixels}
	// Cells beyond the indexes of a grid need no number.
	index := func(v float64) int64 { return int64(max(min(v, 2*grid.MaxIndex), -2*grid.MaxIndex)) }
	a.first, a.last = max(first, index(math.Floor(low/side))), min(last, index(math.Ceil(high/side))-1)
	if a.large = side > a.pixel; a.large {
		a.bins = int(a.last - a.first + 1)
	}
	return a
}

// bin is the first bin that a cell meets, and its shares of the cell and of the
// one after it.
func (a *axis) bin(cell int64) (i int, here, next float64) {
	if a.large {
		return int(cell - a.first), 1, 0
	}
	i, here, next = overlap((float64(cell)*a.side-a.low)/a.pixel, a.side/a.pixel, a.pixels)
	return i, here * a.pixel / a.side, next * a.pixel / a.side
}

// source is the first bin that a pixel meets, and how much of it and of the one
// after it the pixel covers.
func (a *axis) source(pixel int) (i int, here, next float64) {
	if !a.large {
		return pixel, 1, 0
	}
	return overlap((a.low+float64(pixel)*a.pixel)/a.side-float64(a.first), a.pixel/a.side, a.bins)
}

// overlap is what a stretch from at on, of a length up to 1, has of the unit
// intervals i and i+1, of which there are n from 0 on; next is 0 where there is
// no i+1.
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

// stretch adds bins to the pixels that meet them, both row by row from the
// north-west.
func stretch(dst, bins []float64, x, y *axis) {
	w := stretcher{x: x, y: y, bins: bins}
	w.init()
	for j := range y.pixels { // from the south
		i, here, next := y.source(j)
		if here == 0 && next == 0 {
			continue
		}
		row := dst[(y.pixels-1-j)*x.pixels+w.first:]
		w.add(row, i, here)
		if next > 0 {
			w.add(row, i+1, next)
		}
	}
}

// stretcher stretches rows of bins to the width of the picture. Each is stretched once,
// for all rows of pixels that it meets.
type stretcher struct {
	x, y    *axis
	bins    []float64
	columns []column // from first on; no others meet a bin
	first   int
	rows    [2]stretchedRow // the one of bin i at i%2
}

// column is the first bin that a column of pixels meets, and how much of it and of the one
// after it.
type column struct {
	bin        int
	here, next float64
}

// stretchedRow is a row of bins, as wide as columns are.
type stretchedRow struct {
	bin   int // -1 for none
	empty bool
	sums  []float64
}

func (w *stretcher) init() {
	for i := range w.x.pixels {
		bin, here, next := w.x.source(i)
		if here == 0 && next == 0 {
			continue
		}
		if len(w.columns) == 0 {
			w.first = i
		}
		w.columns = append(w.columns, column{bin, here, next})
	}
	for i := range w.rows {
		w.rows[i] = stretchedRow{bin: -1, sums: make([]float64, len(w.columns))}
	}
}

// add adds a share of the bins of row i, counted from the south, to a row of pixels.
func (w *stretcher) add(row []float64, i int, share float64) {
	s := &w.rows[i%2]
	if s.bin != i {
		s.bin = i
		w.stretch(s, w.bins[(w.y.bins-1-i)*w.x.bins:][:w.x.bins])
	}
	if s.empty {
		return
	}
	row = row[:len(s.sums)]
	for k, n := range s.sums {
		row[k] += n * share
	}
}

// stretch makes s the stretched row of bins.
func (w *stretcher) stretch(s *stretchedRow, bins []float64) {
	if s.empty = !slices.ContainsFunc(bins, func(n float64) bool { return n != 0 }); s.empty {
		return
	}
	for j, c := range w.columns {
		s.sums[j] = bins[c.bin] * c.here
		if c.next > 0 {
			s.sums[j] += bins[c.bin+1] * c.next
		}
	}
}

// SquaresIn is how many squares of a level, within the bounds of a sketch, the picture shows.
func (p *Picture) SquaresIn(h *Head, level int) uint64 {
	side, b := h.Grid.Res()*math.Exp2(float64(level)), h.Bounds.Squares(level)
	x := newAxis(p.Box.Min[0], p.Box.Max[0], p.Width, side, b.MinX, b.MaxX)
	y := newAxis(p.Box.Min[1], p.Box.Max[1], p.Height, side, b.MinY, b.MaxY)
	return grid.Rect{MinX: x.first, MinY: y.first, MaxX: x.last, MaxY: y.last}.Count()
}

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

// From is the first cell of all pixels.
func (c *Cuts) From() int64 { return c.at[0] }

// To is the last cell of all pixels.
func (c *Cuts) To() int64 { return c.at[len(c.at)-1] - 1 }

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
	// Pixels have equal lengths, so that the guess is right or next to it;
	// where coordinates have no bits left for pixels it may not be.
	guess := min(int(float64(cell-c.at[0])*c.scale), len(c.at)-2)
	if c.at[guess] <= cell && cell < c.at[guess+1] {
		return guess
	}
	i, _ := slices.BinarySearch(c.at, cell+1)
	return i - 1
}

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

// CheckPixels is CheckRaster for a buffer of n pixels, which must be width*height.
func CheckPixels(n int, b orb.Bound, width, height int) error {
	if err := CheckRaster(b, width, height); err != nil {
		return err
	}
	if n != width*height {
		return fmt.Errorf("%w: %d x %d pixels and room for %d", ErrRaster, width, height, n)
	}
	return nil
}
