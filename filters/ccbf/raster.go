package ccbf

import (
	"errors"
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
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

// Noise describes what the counters of a dense sketch add to what a cell reads. Any
// number of goroutines may use it, for the BLOB that it was made from.
type Noise struct{ cells *noise.Cells }

// Noise is that of the sketch; nil where it is not dense and there is none. O(counters).
func (v *View) Noise() *Noise {
	if v.Form() != Dense {
		return nil
	}
	return &Noise{v.reader().(*counters.Reader).Noise().Cells()}
}

// Estimates is a picture of estimates in progress, as AddDensity is one of counts: it
// subtracts what cells add to shared counters, and is empty where the rest can be noise
// alone. Where single pixels can be noise and squares of them are not, the points of a square are
// spread over it. Counts are never below the truth; a picture of estimates can be, and does not show
// points fewer than the noise.
type Estimates struct {
	Values        []float64 // row by row from the north-west, whole after Finish
	Width, Height int

	noisy *counters.Estimates // what counters say; nil where there are none
}

// NewEstimates is an empty picture in values, which is width*height long.
func NewEstimates(values []float64, width, height int) *Estimates {
	return &Estimates{Values: values, Width: width, Height: height}
}

// Add adds a sketch, with some times most lookups at most if it is dense; n is its noise. All
// sketches with noise are added for the same box.
func (e *Estimates) Add(v *View, n *Noise, b orb.Bound, of Categories, most uint64) (sampled bool, err error) {
	if v.Form() != Dense || n == nil {
		return v.AddDensity(e.Values, b, e.Width, e.Height, of, most)
	}
	if err := checkPixels(len(e.Values), b, e.Width, e.Height); err != nil {
		return false, err
	}
	if e.noisy == nil {
		e.noisy = counters.NewEstimates(b, e.Width, e.Height)
	}
	if !e.noisy.Holds(b) {
		return false, fmt.Errorf("%w: one picture has one box", grid.ErrBox)
	}
	return e.noisy.Add(v.reader().(*counters.Reader), n.cells, of, min(most, v.head.Limit.Left()))
}

// Finish removes what can be noise.
func (e *Estimates) Finish() {
	if e.noisy != nil {
		e.noisy.Finish(e.Values)
		e.noisy = nil
	}
}
