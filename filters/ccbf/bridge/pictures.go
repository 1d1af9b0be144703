package bridge

import (
	"fmt"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// CheckRaster returns an error that wraps ccbf.ErrRaster for an invalid width or
// height, and one that wraps grid.ErrBox for an invalid box: a box must be
// finite and not empty.
func CheckRaster(b orb.Bound, width, height int) error { return form.CheckRaster(b, width, height) }

// AddDensity adds View.Density to dst, for a picture of several sketches, each of which touches only
// the pixels where it can have counts. A dense sketch takes at most that many lookups,
// for pictures that must be ready in time: where the box has more cells, squares of
// them are drawn, each from the counts of some cells drawn at random from it, and
// sampled is true. What is drawn is then right on average: a sum of n cells, m of
// them read, is n/m times what these read. Equal boxes give equal pictures. After an error
// dst is partly written.
func AddDensity(v *ccbf.View, dst []float64, b orb.Bound, width, height int, of ccbf.Categories, most uint64) (sampled bool, err error) {
	if err := form.CheckPixels(len(dst), b, width, height); err != nil {
		return false, err
	}
	p := &form.Picture{Pixels: dst, Box: b, Width: width, Height: height}
	if r, ok := hooks.View(v).Reader().(*counters.Reader); ok {
		return r.DensityWithin(p, of, min(most, r.Head.Limit.Left()))
	}
	return false, hooks.View(v).Reader().Density(p, of)
}

// Noise describes what the counters of a dense sketch add to what a cell reads. Any
// number of goroutines may use it, for the BLOB that it was made from.
type Noise struct{ cells *noise.Cells }

// NoiseOf is that of a sketch; nil where it is not dense and there is none. O(counters).
func NoiseOf(v *ccbf.View) *Noise {
	if r, ok := hooks.View(v).Reader().(*counters.Reader); ok {
		return &Noise{r.Noise().Cells()}
	}
	return nil
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

// Add adds a sketch to the picture; n is its noise. A dense sketch costs at most a small multiple of
// most lookups. sampled is true if only part of its cells was read. All sketches with noise need the
// same box.
func (e *Estimates) Add(v *ccbf.View, n *Noise, b orb.Bound, of ccbf.Categories, most uint64) (sampled bool, err error) {
	r, ok := hooks.View(v).Reader().(*counters.Reader)
	if !ok || n == nil {
		return AddDensity(v, e.Values, b, e.Width, e.Height, of, most)
	}
	if err := form.CheckPixels(len(e.Values), b, e.Width, e.Height); err != nil {
		return false, err
	}
	if e.noisy == nil {
		e.noisy = counters.NewEstimates(b, e.Width, e.Height)
	}
	if !e.noisy.Holds(b) {
		return false, fmt.Errorf("%w: one picture has one box", grid.ErrBox)
	}
	return e.noisy.Add(r, n.cells, of, min(most, r.Head.Limit.Left()))
}

// Finish removes what can be noise.
func (e *Estimates) Finish() {
	if e.noisy != nil {
		e.noisy.Finish(e.Values)
		e.noisy = nil
	}
}
