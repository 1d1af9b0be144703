package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/paulmach/orb"
)

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
// alone. Counts are never below the truth; a picture of estimates can be, and does not show
// points fewer than the noise.
type Estimates struct {
	Values        []float64 // row by row from the north-west, whole after Finish
	Width, Height int

	noisy []float64      // what counters say
	haze  *counters.Haze // their noise; nil where none are in it
}

// NewEstimates is an empty picture in values, which is width*height long.
func NewEstimates(values []float64, width, height int) *Estimates {
	return &Estimates{Values: values, Width: width, Height: height}
}

// Add adds a sketch, with at most most lookups if it is dense, as
// AddDensity does; n is its noise.
func (e *Estimates) Add(v *View, n *Noise, b orb.Bound, of Categories, most uint64) (sampled bool, err error) {
	if v.Form() != Dense || n == nil {
		return v.AddDensity(e.Values, b, e.Width, e.Height, of, most)
	}
	if err := checkPixels(len(e.Values), b, e.Width, e.Height); err != nil {
		return false, err
	}
	if e.haze == nil {
		e.noisy, e.haze = make([]float64, len(e.Values)), counters.NewHaze(len(e.Values))
	}
	p := &form.Picture{Pixels: e.noisy, Box: b, Width: e.Width, Height: e.Height}
	return v.reader().(*counters.Reader).EstimatesWithin(p, e.haze, n.cells, of, min(most, v.head.Limit.Left()))
}

// Finish removes what can be noise.
func (e *Estimates) Finish() {
	for i, n := range e.noisy {
		if n > e.haze.Least(i) {
			e.Values[i] += n
		}
	}
	e.noisy, e.haze = nil, nil
}
