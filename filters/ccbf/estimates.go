package ccbf

import (
	"math"

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
	return &Noise{v.noise().Cells()}
}

// Estimates is a picture of estimates in progress, as AddDensity is one of counts: it
// subtracts what cells add to shared counters, and is empty where the rest can be noise
// alone. Counts are never below the truth; a picture of estimates can be, and does not show
// points fewer than the noise.
type Estimates struct {
	Values        []float64 // row by row from the north-west, whole after Finish
	Width, Height int

	noisy, second, third []float64 // what counters say, and the moments of their noise; nil where none are in it
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
	if e.noisy == nil {
		e.noisy, e.second, e.third = make([]float64, len(e.Values)), make([]float64, len(e.Values)), make([]float64, len(e.Values))
	}
	p := &picture{dst: e.noisy, box: b, width: e.Width, height: e.Height, estimates: e, noise: n.cells}
	return countersView{v}.densityWithin(p, of, min(most, v.left()))
}

// surest is how many standard deviations of the noise a pixel must exceed: of a million
// empty ones some tens do.
const surest = 4

// Finish removes what can be noise. A sum of n surpluses with standard deviation s and
// skewness g exceeds z s + (z^2-1) s g/6 about as often as a normal one z s (Cornish and
// Fisher 1938, the first term).
func (e *Estimates) Finish() {
	for i, n := range e.noisy {
		least := 0.0
		if e.second[i] > 0 {
			least = surest*math.Sqrt(e.second[i]) + (surest*surest-1)/6.*max(e.third[i]/e.second[i], 0)
		}
		if n > least {
			e.Values[i] += n
		}
	}
	e.noisy, e.second, e.third = nil, nil, nil
}

// haze takes the noise of the cells that read nothing off a picture, and notes its
// moments: those of squares of a level with so many cells each, of which some are read.
// With levels a square is read where larger ones around it have points alone, and
// has less noise than this takes off.
func (p *picture) haze(v countersView, level int, none, cells, reads float64) {
	side, bounds := v.Grid.Res()*float64(uint64(1)<<level), v.Bounds.Squares(level)
	x := covered(p.box.Min[0], p.box.Max[0], p.width, side, float64(bounds.MinX), float64(bounds.MaxX+1))
	y := covered(p.box.Min[1], p.box.Max[1], p.height, side, float64(bounds.MinY), float64(bounds.MaxY+1))
	second, third := p.noise.Second*cells*cells/reads, p.noise.Third*cells*cells*cells/reads/reads
	e := p.estimates
	for j, row := range y {
		if row.squares == 0 {
			continue
		}
		at := (p.height - 1 - j) * p.width
		for i, column := range x {
			p.dst[at+i] += none * row.squares * column.squares
			e.second[at+i] += second * row.second * column.second
			e.third[at+i] += third * row.third * column.third
		}
	}
}

// cover is how many squares a row or column of pixels covers along its axis, and the
// sums of the squares and of the cubes of their shares.
type cover struct{ squares, second, third float64 }

func covered(low, high float64, pixels int, side, first, last float64) []cover {
	out := make([]cover, pixels)
	pixel := (high - low) / float64(pixels) / side
	for i := range out {
		from := low/side + float64(i)*pixel
		n := max(min(from+pixel, last)-max(from, first), 0)
		out[i] = cover{n, n, n}
		if pixel < 1 { // a part of one square, most often
			out[i] = cover{n, n * n, n * n * n}
		}
	}
	return out
}
