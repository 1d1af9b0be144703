package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/paulmach/orb"
)

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
// for up to AreaLimit lookups inside Bounds. Errors as CheckRaster. O(cells in
// the box + pixels).
func (v *View) Density(dst []float64, b orb.Bound, width, height int, of Categories) error {
	if err := checkPixels(len(dst), b, width, height); err != nil {
		return err
	}
	clear(dst)
	return v.reader().Density(&form.Picture{Pixels: dst, Box: b, Width: width, Height: height}, of)
}

// AddDensity adds Density to dst, for a picture of several sketches, each of which touches only
// the pixels where it can have counts. A dense sketch takes at most that many lookups,
// for pictures that must be ready in time: where the box has more cells, squares of
// them are drawn, each from the counts of some cells drawn at random from it, and
// sampled is true. What is drawn is then right on average: a sum of n cells, m of
// them read, is n/m times what these read. Equal boxes give equal pictures. After an error
// dst is partly written.
func (v *View) AddDensity(dst []float64, b orb.Bound, width, height int, of Categories, most uint64) (sampled bool, err error) {
	if err := checkPixels(len(dst), b, width, height); err != nil {
		return false, err
	}
	p := &form.Picture{Pixels: dst, Box: b, Width: width, Height: height}
	r := v.reader()
	if c, ok := r.(*counters.Reader); ok {
		return c.DensityWithin(p, of, min(most, v.head.Limit.Left()))
	}
	return false, r.Density(p, of)
}
