package ccbf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Density writes the counts of a box as width x height pixels to dst, row by
// row from the north-west, the points of a cell spread evenly over the cell: a
// pixel gets from each cell the share of its area that it covers. It is what
// pictures are made of, smooth at any zoom; the pixels of a box that holds all
// cells add up to all counts, up to rounding. (Raster keeps cells whole.)
//
// A dense sketch with levels is asked for squares in place of cells, of the level
// nearest to the pixels: their side is at most 1.41 times a pixel's shorter one.
//
// dst must be width*height long. Exact sketches answer for any box, dense ones
// for up to AreaLimit lookups inside Bounds. Errors as CheckRaster. O(cells in
// the box + pixels).
func (v *View) Density(dst []float64, b orb.Bound, width, height int, category []byte) error {
	clear(dst)
	return v.AddDensity(dst, b, width, height, category)
}

// AddDensity is Density added to what dst holds: for a picture of several
// sketches, each of which touches the pixels where it can have counts alone. An
// error leaves dst in between.
func (v *View) AddDensity(dst []float64, b orb.Bound, width, height int, category []byte) error {
	if err := checkPixels(len(dst), b, width, height); err != nil {
		return err
	}
	return v.in().density(&picture{dst, b, width, height}, category)
}

// picture is a picture in the making.
type picture struct {
	dst           []float64
	box           orb.Bound
	width, height int
}

// pixel is the shorter side of a pixel.
func (p *picture) pixel() float64 {
	return min((p.box.Max[0]-p.box.Min[0])/float64(p.width), (p.box.Max[1]-p.box.Min[1])/float64(p.height))
}

// paint draws squares of one level. each is called with the rectangle of cells that
// the picture shows and paints them.
func (v *View) paint(p *picture, level int, each func(clip grid.Rect, to *painting) error) error {
	side, bounds := v.Grid.Res()*float64(uint64(1)<<level), v.Bounds.Squares(level)
	to := painting{
		x:    newAxis(p.box.Min[0], p.box.Max[0], p.width, side, bounds.MinX, bounds.MaxX),
		y:    newAxis(p.box.Min[1], p.box.Max[1], p.height, side, bounds.MinY, bounds.MaxY),
		sums: p.dst,
	}
	x, y := &to.x, &to.y
	if x.first > x.last || y.first > y.last {
		return nil
	}
	if x.large || y.large {
		to.sums = make([]float64, x.bins*y.bins)
	}
	clip := grid.Rect{MinX: x.first << level, MinY: y.first << level, MaxX: (x.last+1)<<level - 1, MaxY: (y.last+1)<<level - 1}
	if err := each(clip, &to); err != nil {
		return err
	}
	if x.large || y.large {
		stretch(p.dst, to.sums, x, y)
	}
	return nil
}

// painting is the sums of bins.
type painting struct {
	x, y axis
	sums []float64
}

// add is spread for a count.
func (p *painting) add(c grid.Cell, count uint64) { p.spread(c, float64(count)) }

// spread spreads the points of a square over the bins that it meets.
func (p *painting) spread(c grid.Cell, n float64) {
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
	type part struct {
		bin        int
		here, next float64
	}
	var columns []part // from first on; no others meet a bin
	first := 0
	for i := range x.pixels {
		bin, here, next := x.source(i)
		if here == 0 && next == 0 {
			continue
		}
		if len(columns) == 0 {
			first = i
		}
		columns = append(columns, part{bin, here, next})
	}
	add := func(row, bins []float64, share float64) {
		for i, c := range columns {
			n := bins[c.bin] * c.here
			if c.next > 0 {
				n += bins[c.bin+1] * c.next
			}
			row[i] += n * share
		}
	}
	for j := range y.pixels {
		i, here, next := y.source(j)
		if here == 0 && next == 0 {
			continue
		}
		row := dst[(y.pixels-1-j)*x.pixels+first:]
		at := (y.bins - 1 - i) * x.bins
		add(row, bins[at:at+x.bins], here)
		if next > 0 {
			add(row, bins[at-x.bins:at], next)
		}
	}
}
