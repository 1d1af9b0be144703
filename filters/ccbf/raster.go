package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Limits of a raster's size.
const (
	MaxSide   = form.MaxSide   // pixels in a row or a column
	MaxPixels = form.MaxPixels // pixels in all
)

// ErrRaster is the error for a raster with no pixels, or with too many.
var ErrRaster = form.ErrRaster

// Raster writes the counts of a box to dst as width x height pixels, row by row from the
// north-west. A pixel is the sum of Count over the cells whose centre lies in it, lower edges
// included and upper ones excluded. If cells are larger than pixels, the pixel at the centre of a cell
// has its whole count; Density spreads it. A pixel is never below the truth. For an exact sketch, it is
// exact, and the pixels add up to the sum of the box. In a tree, a square counts in each pixel where it
// has such cells.
//
// For counters with levels, Raster looks up the largest squares inside each pixel. None counts more
// than the squares around it. That is closer than single cells. The pixels may add up to more than
// Sum, which looks up larger squares.
//
// Pixel i of a row begins at xmin + (xmax-xmin)*i/width. Rows are likewise, counted from ymin. dst
// must be width*height long. Counters allow up to AreaLimit lookups inside Bounds. An error wraps
// ErrRaster, or grid.ErrBox if the box is empty or not finite.
func (v *View) Raster(dst []uint64, b orb.Bound, width, height int, of Categories) error {
	return v.raster(dst, b, width, height, of, nil)
}

// raster is bridge.Raster.
func (v *View) raster(dst []uint64, b orb.Bound, width, height int, of Categories, both func(first, second func() error) error) error {
	if err := form.CheckPixels(len(dst), b, width, height); err != nil {
		return err
	}
	clear(dst)
	p := form.Pixels{Dst: dst, Width: width, Columns: form.CutsOf(v.Grid, b, 0, width), Lines: form.CutsOf(v.Grid, b, 1, height), Both: both}
	clip := grid.Rect{MinX: p.Columns.From(), MinY: p.Lines.From(), MaxX: p.Columns.To(), MaxY: p.Lines.To()}
	if clip.Empty() {
		return nil
	}
	return v.reader().Raster(&p, clip, of)
}

// Density writes the counts of a box to dst as width x height pixels, row by row from the
// north-west. It spreads the points of a cell evenly: each pixel gets the fraction of the cell that
// it covers. So a map is smooth at any zoom. The pixels of a box that holds all cells add up to all
// counts, up to rounding. Raster keeps cells whole.
//
// For counters with levels, Density looks up squares of the level nearest to the pixels. Their side
// is at most 1.41 times the shorter side of a pixel.
//
// dst must be width*height long. Counters allow up to AreaLimit lookups inside Bounds. An error
// wraps ErrRaster, or grid.ErrBox if the box is empty or not finite. O(cells in the box + pixels).
func (v *View) Density(dst []float64, b orb.Bound, width, height int, of Categories) error {
	if err := form.CheckPixels(len(dst), b, width, height); err != nil {
		return err
	}
	clear(dst)
	return v.reader().Density(&form.Picture{Pixels: dst, Box: b, Width: width, Height: height}, of)
}
