package ccbf

import (
	"errors"
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
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
	p := form.Pixels{Dst: dst, Width: width, Columns: form.CutsOf(v.Grid, b, 0, width), Lines: form.CutsOf(v.Grid, b, 1, height)}
	clip := grid.Rect{MinX: p.Columns.From(), MinY: p.Lines.From(), MaxX: p.Columns.To(), MaxY: p.Lines.To()}
	if clip.Empty() {
		return nil
	}
	return v.reader().Raster(&p, clip, of)
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
