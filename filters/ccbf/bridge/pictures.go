package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/paulmach/orb"
)

// CheckRaster returns an error that wraps ccbf.ErrRaster for an invalid width or height. It returns
// one that wraps grid.ErrBox for an invalid box: a box must be finite and not empty.
func CheckRaster(b orb.Bound, width, height int) error { return form.CheckRaster(b, width, height) }

// Raster is View.Raster. It calls both with the two halves of the work on a large raster of counters. both runs them at
// the same time. The pixels and errors are the same.
func Raster(v *ccbf.View, dst []uint64, b orb.Bound, width, height int, of ccbf.Categories, both func(first, second func() error) error) error {
	return hidden.Raster(v, dst, b, width, height, of, both)
}

// AddDensity adds View.Density to dst. It writes only the pixels in which the sketch can have
// counts, so that a picture of several sketches takes no longer.
//
// Counters take at most most lookups. If the box has more cells, AddDensity draws squares of cells.
// Each square gets the mean count of some of its cells, drawn at random, and sampled is true. The
// picture is then right on average, and the same for equal boxes. After an error dst is partly
// written.
func AddDensity(v *ccbf.View, dst []float64, b orb.Bound, width, height int, of ccbf.Categories, most uint64) (sampled bool, err error) {
	if err := form.CheckPixels(len(dst), b, width, height); err != nil {
		return false, err
	}
	p := &form.Picture{Pixels: dst, Box: b, Width: width, Height: height}
	if r, ok := hidden.Reader(v).(*counters.Reader); ok {
		return r.DensityWithin(p, of, min(most, r.Head.Limit.Left()))
	}
	return false, hidden.Reader(v).Density(p, of)
}

// Noise describes how much collisions add to the counts of cells in a sketch with counters. Any number of
// goroutines may use it, but only for the BLOB that it was made from.
type Noise struct{ model *noise.Model }

// NoiseOf returns the noise of a sketch with counters, and nil for any other. O(counters), unless the view has
// made an estimate or used a noise.
func NoiseOf(v *ccbf.View) *Noise {
	if r, ok := hidden.Reader(v).(*counters.Reader); ok {
		return &Noise{r.Noise()}
	}
	return nil
}

// WantsNoise reports whether an estimate of v must make the noise first.
func WantsNoise(v *ccbf.View) bool {
	r, ok := hidden.Reader(v).(*counters.Reader)
	return ok && r.Model == nil
}

// Use gives the noise to another view of the same BLOB, whose estimates then need not make it. A nil Noise is none.
func (n *Noise) Use(v *ccbf.View) {
	if n != nil {
		hidden.Reader(v).(*counters.Reader).Model = n.model
	}
}

// Bytes returns about how much memory the noise takes.
func (n *Noise) Bytes() int64 { return n.model.Bytes() + 1<<12 }

// Estimates is a picture of estimates, while AddDensity makes a picture of counts. It subtracts the mean
// that collisions add. A pixel is empty if its count may consist of noise only. A square of such pixels
// can have a sum that is more than noise: its points are then spread over the square. Counts are never
// below the truth, but estimates can be. If there are fewer points than noise, the picture does not show
// them.
type Estimates struct {
	Values        []float64 // Width*Height pixels, row by row from the north-west; complete after Finish
	Box           orb.Bound
	Width, Height int

	noisy *counters.Estimates // the estimates of sketches with counters; nil if none was added.
}

// Add adds a sketch to the picture. n is the noise of the sketch, or nil if it has no counters. A sketch
// with counters takes at most a small multiple of most lookups. sampled is true if only part of its cells
// was read.
func (e *Estimates) Add(v *ccbf.View, n *Noise, of ccbf.Categories, most uint64) (sampled bool, err error) {
	r, ok := hidden.Reader(v).(*counters.Reader)
	if !ok || n == nil {
		return AddDensity(v, e.Values, e.Box, e.Width, e.Height, of, most)
	}
	if err := form.CheckPixels(len(e.Values), e.Box, e.Width, e.Height); err != nil {
		return false, err
	}
	if e.noisy == nil {
		e.noisy = counters.NewEstimates(e.Box, e.Width, e.Height)
	}
	return e.noisy.Add(r, n.model, of, min(most, r.Head.Limit.Left()))
}

// Finish removes all counts that can be noise. Call it once, after the last Add.
func (e *Estimates) Finish() {
	if e.noisy != nil {
		e.noisy.Finish(e.Values)
		e.noisy = nil
	}
}
