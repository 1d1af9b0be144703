package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Limits of rasters: what a question makes is bounded before it is made.
const (
	MaxSide   = form.MaxSide   // most pixels in a row or a column
	MaxPixels = form.MaxPixels // most pixels in all
)

// ErrRaster is a raster with no pixels, or with too many.
var ErrRaster = form.ErrRaster

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
// dense ones for up to AreaLimit lookups inside Bounds. The error wraps ErrRaster, or
// grid.ErrBox where the box is empty or not finite.
func (v *View) Raster(dst []uint64, b orb.Bound, width, height int, of Categories) error {
	if err := form.CheckPixels(len(dst), b, width, height); err != nil {
		return err
	}
	clear(dst)
	p := form.Pixels{Dst: dst, Width: width, Columns: form.CutsOf(v.Grid, b, 0, width), Lines: form.CutsOf(v.Grid, b, 1, height)}
	clip := grid.Rect{MinX: p.Columns.From(), MinY: p.Lines.From(), MaxX: p.Columns.To(), MaxY: p.Lines.To()}
	if clip.Empty() {
		return nil
	}
	return v.reader().Raster(&p, clip, of)
}

// Density writes the counts of a box as width x height pixels to dst, row by
// row from the north-west, the points of a cell spread evenly over the cell: a
// pixel gets from each cell the share of its area that it covers. Pictures are
// made of it, smooth at any zoom; the pixels of a box that holds all cells add
// up to all counts, up to rounding. (Raster keeps cells whole.)
//
// In a dense sketch with levels, squares are looked up instead of cells, at the
// level nearest to the pixels: their side is at most 1.41 times a pixel's shorter
// one.
//
// dst must be width*height long. Exact sketches answer for any box, dense ones
// for up to AreaLimit lookups inside Bounds. The error wraps ErrRaster, or
// grid.ErrBox where the box is empty or not finite. O(cells in
// the box + pixels).
func (v *View) Density(dst []float64, b orb.Bound, width, height int, of Categories) error {
	if err := form.CheckPixels(len(dst), b, width, height); err != nil {
		return err
	}
	clear(dst)
	return v.reader().Density(&form.Picture{Pixels: dst, Box: b, Width: width, Height: height}, of)
}
