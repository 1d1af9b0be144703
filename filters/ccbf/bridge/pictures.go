package bridge

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// CheckRaster returns an error that wraps ccbf.ErrRaster for an invalid width or height. It returns
// one that wraps grid.ErrBox for an invalid box: a box must be finite and not empty.
func CheckRaster(b orb.Bound, width, height int) error { return form.CheckRaster(b, width, height) }

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
type Noise struct{ cells *noise.Cells }

// NoiseOf returns the noise of a sketch with counters, and nil for any other. O(counters).
func NoiseOf(v *ccbf.View) *Noise {
	if r, ok := hidden.Reader(v).(*counters.Reader); ok {
		return &Noise{r.Noise().Cells()}
	}
	return nil
}

// Estimates is a picture of estimates, while AddDensity makes a picture of counts. It subtracts the mean
// that collisions add. A pixel is empty if its count may consist of noise only. A square of such pixels
// can have a sum that is more than noise: its points are then spread over the square. Counts are never
// below the truth, but estimates can be. If there are fewer points than noise, the picture does not show
// them.
type Estimates struct {
	Values        []float64 // row by row from the north-west, complete after Finish
	Width, Height int

	noisy *counters.Estimates // the estimates of sketches with counters; nil if none was added.
}

// NewEstimates returns an empty picture that keeps its pixels in values, which must have width*height
// elements.
func NewEstimates(values []float64, width, height int) *Estimates {
	return &Estimates{Values: values, Width: width, Height: height}
}

// Add adds a sketch to the picture. n is the noise of the sketch, or nil if it has no counters. A sketch
// with counters takes at most a small multiple of most lookups. sampled is true if only part of its cells
// was read. All sketches with noise must have the same box.
func (e *Estimates) Add(v *ccbf.View, n *Noise, b orb.Bound, of ccbf.Categories, most uint64) (sampled bool, err error) {
	r, ok := hidden.Reader(v).(*counters.Reader)
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

// Finish removes all counts that can be noise. Call it once, after the last Add.
func (e *Estimates) Finish() {
	if e.noisy != nil {
		e.noisy.Finish(e.Values)
		e.noisy = nil
	}
}

// ErrText is the error for a text longer than a string in SQL may be.
var ErrText = errors.New("the text is too long")

const (
	maxText    = math.MaxInt32
	maxFeature = 1 << 10 // bytes: text, ten coordinates, a count
	leastPlain = 1e-15   // the smallest cell size, and the inverse of the largest, without exponents
)

// AppendGeoJSON appends the cells of an area, as View.Cells returns them, as a FeatureCollection of
// RFC 7946. Each cell that counts at least threshold is a feature: its square, with the property
// count. Coordinates are the shortest decimals of the edges, in any unit; GeoJSON expects degrees.
//
// If room is not nil, it is called with the size of each larger buffer before that is made. Its
// error ends the text. threshold is at least 1. Errors come from View.Cells; one wraps
// ErrText above 2 GiB.
func AppendGeoJSON(v *ccbf.View, dst []byte, a ccbf.Area, threshold uint64, of ccbf.Categories, room func(bytes int64) error) ([]byte, error) {
	if threshold == 0 {
		return dst, fmt.Errorf("%w: threshold is 0, must be at least 1", ccbf.ErrSpots)
	}
	cells, err := v.Cells(a, of)
	if err != nil {
		return dst, err
	}
	grow := func() error {
		size := 2 * int64(cap(dst)+maxFeature)
		if int64(len(dst)) > maxText-2*maxFeature {
			return fmt.Errorf("%w: more than 2 GiB (ask for a smaller area or a higher threshold)", ErrText)
		}
		if room != nil {
			if err := room(size); err != nil {
				return err
			}
		}
		dst = append(make([]byte, 0, size), dst...)
		return nil
	}
	w := newFeatureWriter(v.Grid)
	start := len(dst)
	for s := range cells {
		if s.Count < threshold {
			continue
		}
		if cap(dst)-len(dst) < maxFeature {
			if err := grow(); err != nil {
				return dst[:start], err
			}
		}
		if len(dst) == start {
			dst = append(dst, `{"type":"FeatureCollection","features":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = w.append(dst, s)
	}
	if len(dst) == start {
		return append(dst, `{"type":"FeatureCollection","features":[]}`...), nil
	}
	return append(dst, "]}"...), nil
}

// featureWriter writes cells as GeoJSON features.
type featureWriter struct {
	// grid is the grid of the sketch.
	grid   grid.Grid
	format byte      // the format for strconv.AppendFloat.
	edges  [4][]byte // the west, south, east and north edge of a cell as text.
}

func newFeatureWriter(g grid.Grid) featureWriter {
	w := featureWriter{grid: g, format: 'f'}
	if res := g.Res(); res < leastPlain || res > 1/leastPlain {
		w.format = 'g'
	}
	return w
}

func (w *featureWriter) append(dst []byte, s ccbf.Spot) []byte {
	side := int64(1) << s.Level
	for i, cell := range [...]int64{s.Cell.X, s.Cell.Y, s.Cell.X + side, s.Cell.Y + side} {
		w.edges[i] = w.edge(w.edges[i][:0], cell)
	}
	dst = append(dst, `{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[`...)
	for i, corner := range [...][2]int{{0, 1}, {2, 1}, {2, 3}, {0, 3}, {0, 1}} { // counterclockwise
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, '['), w.edges[corner[0]]...)
		dst = append(append(dst, ','), w.edges[corner[1]]...)
		dst = append(dst, ']')
	}
	dst = append(dst, `]]},"properties":{"count":`...)
	dst = strconv.AppendUint(dst, s.Count, 10)
	return append(dst, "}}"...)
}

// edge appends the lower edge of a cell.
func (w *featureWriter) edge(dst []byte, cell int64) []byte {
	v := min(max(w.grid.Edge(cell), -math.MaxFloat64), math.MaxFloat64)
	return strconv.AppendFloat(dst, v, w.format, -1, 64)
}
