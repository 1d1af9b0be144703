package picture

import (
	"math"
	"slices"
)

// law returns the smallest value that belongs to a position of the scale. The position is share, from 0
// to 1. top is the largest value, and low is a value that most values exceed. A nil law gives each colour
// the same number of pixels.
type law func(share, low, top float64) float64

// laws are in the order of Scales.
var laws = [...]law{
	// The share is log(1 + v/low). So doubling a value moves it equally far anywhere on the scale,
	// and values below low fade out.
	func(share, low, top float64) float64 { return low * math.Expm1(share*math.Log1p(top/low)) },
	func(share, _, top float64) float64 { return share * share * top },
	func(share, _, top float64) float64 { return share * top },
	nil, // the same number of pixels for each colour
}

// faintest is the fraction of the largest value below which a value is not drawn. So small values come from
// rounding, in pixels next to a cell.
const faintest = 1e-9

// normal is the smallest normal float64. Smaller values are not drawn.
const normal = 0x1p-1022

// scale decides the colour of a value.
type scale struct {
	least [colours]float64 // the least value of each colour.
	top   float64          // the value of the last colour; 0 if nothing is drawn.
	one   float64          // smaller values are faint; 0 if no value is.
}

// newScale returns the scale for values. If the options have no top, it is taken from the values. Errors as
// Draw.
func newScale(values []float64, o *Options) (*scale, error) {
	law, err := choose("scale", o.Scale, Scales)
	if err != nil {
		return nil, err
	}
	s, low := &scale{top: o.Top}, o.Low
	if n := len(o.Steps); n > 1 {
		s.top = o.Steps[n-1]
		for i := range s.least {
			s.least[i] = between(o.Steps, float64(i)/colours)
		}
	} else {
		if s.top == 0 {
			if s.top = largest(values); s.top == 0 {
				return s, nil
			}
			low = max(s.low(values), min(o.One, s.top))
		}
		if l := laws[law]; l == nil {
			s.equalize(values)
		} else {
			for i := range s.least {
				s.least[i] = l(float64(i)/colours, low, s.top)
			}
		}
	}
	s.least[0] = s.faintest()
	s.one = min(o.One, s.top) // the largest is never faint
	return s, nil
}

// between interpolates linearly between steps: share 0 gives the first step, and share 1 the last.
func between(steps []float64, share float64) float64 {
	at := share * float64(len(steps)-1)
	i := min(int(at), len(steps)-2)
	return steps[i] + (steps[i+1]-steps[i])*(at-float64(i))
}

// equalize gives each colour the same number of drawn values. The position of a value on the scale is the
// number of smaller values, divided by the number of values below the largest.
func (s *scale) equalize(values []float64) {
	faintest := s.faintest()
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		if v >= faintest && v <= s.top {
			sorted = append(sorted, v)
		}
	}
	slices.Sort(sorted)
	below, _ := slices.BinarySearch(sorted, s.top)
	for i := range s.least {
		at := (i*below + colours - 1) / colours
		s.least[i] = s.top
		if at < len(sorted) {
			s.least[i] = sorted[at]
			if at > 0 && sorted[at-1] == sorted[at] { // those of one value have one colour
				next, _ := slices.BinarySearch(sorted, math.Nextafter(sorted[at], math.Inf(1)))
				s.least[i] = sorted[min(next, len(sorted)-1)]
			}
		}
	}
}

// Steps returns the least values of n colours, evenly apart, as Draw draws values, and the value of
// the last colour. It returns nil if nothing is drawn. Errors as Draw.
func Steps(values []float64, n int, o Options) ([]float64, error) {
	s, err := newScale(values, &o)
	if err != nil || s.top == 0 {
		return nil, err
	}
	steps := make([]float64, n+1)
	for i := range n {
		steps[i] = s.least[i*colours/n]
	}
	steps[n] = s.top
	return steps, nil
}

// largest returns the largest value that is drawn, or 0 if none is.
func largest(values []float64) float64 {
	top := 0.0
	for _, v := range values {
		if v > top && v >= normal && v <= math.MaxFloat64 {
			top = v
		}
	}
	return top
}

// faintest returns the smallest value that is drawn.
func (s *scale) faintest() float64 { return max(s.top*faintest, normal) }

// lowShift leaves the exponent and an eighth.
const lowShift = 52 - 3

// low returns the lower quartile of the values that are drawn, within an eighth. Mostly it is one point, or
// its fraction in a pixel.
func (s *scale) low(values []float64) float64 {
	var counts [1 << (63 - lowShift)]int // the number of values with each exponent and eighth
	drawn, faintest := 0, s.faintest()
	for _, v := range values {
		if v >= faintest && v <= s.top {
			counts[math.Float64bits(v)>>lowShift]++
			drawn++
		}
	}
	i := 0
	for below := counts[i]; below <= drawn/4; below += counts[i] {
		i++
	}
	return math.Float64frombits(uint64(i) << lowShift)
}

// paint sets the pixels of all values that are drawn. It reports whether some value is less than one
// point.
func (s *scale) paint(pix []uint8, values []float64) (less bool) {
	if s.top == 0 {
		return false
	}
	from := math.Float64bits(s.least[1]) >> paintShift
	var known []uint8
	for bits, i := from, 0; bits <= math.Float64bits(s.top)>>paintShift; bits++ {
		i = s.colour(i, math.Float64frombits(bits<<paintShift))
		known = append(known, uint8(i))
	}
	for j, v := range values {
		if v == 0 { // most often
			continue
		}
		if !(v >= s.least[0] && v <= math.MaxFloat64) {
			continue
		}
		v = min(v, s.top)
		if v < s.one*(1-1e-9) { // but for rounding
			pix[j] = uint8(faint + int(v/s.one*faintSteps))
			less = true
			continue
		}
		i := 0
		if bits := math.Float64bits(v) >> paintShift; bits >= from {
			i = int(known[bits-from])
		}
		pix[j] = uint8(first + s.colour(i, v))
	}
	return less
}

// paintShift leaves of a value the bits that find its colour, or one shortly before it.
const paintShift = 52 - 7

// colour returns the index of the colour of value v. The colour is at least i.
func (s *scale) colour(i int, v float64) int {
	for i+1 < colours && v >= s.least[i+1] {
		i++
	}
	return i
}
