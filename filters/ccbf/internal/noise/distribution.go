package noise

import (
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/fourier"
)

// distribution is the distribution of a random number that is at least 0.
type distribution struct {
	values []float64 // the possible values above 0, ascending.
	tails  []float64 // by value: the probability of this value or more.
}

// tail returns the probability of t or more, for a t above 0.
func (d *distribution) tail(t float64) float64 {
	if i, _ := slices.BinarySearch(d.values, t); i < len(d.tails) {
		return d.tails[i]
	}
	return 0
}

// each calls f with every value, 0 first, and its probability.
func (d *distribution) each(f func(value, chance float64)) {
	value, above := 0.0, 1.0
	for i, t := range d.tails {
		f(value, above-t)
		value, above = d.values[i], t
	}
	f(value, above)
}

// moments returns the means of the number and of its square.
func (d *distribution) moments() (mean, square float64) {
	d.each(func(x, p float64) {
		mean += p * x
		square += p * x * x
	})
	return mean, square
}

// draws are independent draws from a distribution. Those of once count once, those of twice count twice.
type draws struct {
	once, twice float64 // the numbers of draws; whole numbers.
	from        *distribution
}

const (
	// missed is the probability that the truth lies below an interval, or above it.
	missed = 0.025
	// rare and outside are parts of it. Draws are left out if they are so large that any of them occurs
	// with at most the probability rare. The sum lies outside its window with the probability outside.
	rare, outside = 0.002, 0.001
	atMost        = 1 - missed + rare + outside
)

// quantiles returns the values that the sum of all draws does not exceed with a probability of missed, and
// of 1-missed. Whole numbers have unit 1, others 0.
//
// The spectrum of a sum is the product of the spectra of its parts. It is computed on a grid with steps
// that are small beside the deviation of the sum, and beside the draws unless these are whole. A value
// between two steps is divided among them so that the mean stays.
//
// It takes O(n log n) for n steps. There are about 13 sqrt(d) steps for d draws that are not 0, and at
// most mostSteps. For fewer than manyDraws, as in a small sketch, all parts together have at most 2
// fewSteps. If draws differ too much for that, steps are longer and the interval is wider.
func quantiles(parts []draws, unit float64) (low, high float64) {
	parts, w := windowOf(parts, unit)
	if w.size == 0 {
		return 0, 0
	}
	chances := chances(parts, w.step, w.size)
	at := func(level float64) float64 {
		below := 0.0
		for i := range w.size {
			x := w.first + float64(i)
			if below += real(chances[int(math.Mod(x, float64(w.size)))]); below >= level {
				return x
			}
		}
		return w.first + float64(w.size)
	}
	low, high = at(missed)*w.step, at(atMost)*w.step
	// A value between two steps was divided among both. So the bounds move outwards by a step.
	if w.step > unit {
		low, high = max(low-w.step, 0), high+w.step
	}
	return low, high
}

// window is the range in which the distribution of a sum is computed. It begins at first, counted in
// steps, and has size steps.
type window struct {
	first, step float64
	size        int // number of steps; 0 if the sum is 0 with a probability of at least atMost.
}

// windowOf returns the window of a sum, and the draws without values that are too rare to occur.
func windowOf(parts []draws, unit float64) ([]draws, window) {
	kept := make([]draws, 0, len(parts))
	var mean, variance, shared, largest, count float64
	none := 1.0 // the probability that all draws are 0
	for _, p := range parts {
		n := len(p.from.values)
		for n > 0 && (p.once+p.twice)*p.from.tails[n-1] <= rare/float64(len(parts)) {
			n--
		}
		if n == 0 {
			continue
		}
		p.from = &distribution{p.from.values[:n], p.from.tails[:n]}
		kept = append(kept, p)
		count += p.once + p.twice
		m, square := p.from.moments()
		mean += (p.once + 2*p.twice) * m
		variance += (p.once + 4*p.twice) * (square - m*m)
		largest = max(largest, p.from.values[n-1])
		if p.twice > 0 {
			largest = max(largest, 2*p.from.values[n-1])
		}
		none *= math.Pow(1-p.from.tails[0], p.once+p.twice)
		shared += (p.once + 4*p.twice) * p.from.tails[0]
	}
	if none >= atMost {
		return nil, window{}
	}
	// By Bernstein's inequality, the sum exceeds its mean by more than reach with a probability of at
	// most outside.
	log := -math.Log(outside)
	reach := math.Sqrt(2*log*variance) + 2*log/3*largest
	// Dividing a value among two steps adds a variance of at most step^2/4 for each draw that is not 0.
	// The step is so small that this is at most 8% of the variance.
	step, least := math.Sqrt(variance*min(0.32/shared, 1.0/256)), 2*reach/steps(count, len(kept))
	if unit > 0 {
		step, least = max(unit, math.Floor(step/unit)*unit), math.Ceil(least/unit)*unit
	}
	step = max(step, least)
	return kept, window{math.Floor(max(mean-reach, 0) / step), step, 1 << bits.Len64(uint64(2*reach/step))}
}

const (
	mostSteps = 1 << 18
	fewSteps  = 1 << 16 // 13 sqrt(manyDraws), and some more
	manyDraws = 1 << 24
)

// steps returns the largest number of steps for this number of draws, which come from parts
// distributions. Each distribution takes a spectrum.
func steps(draws float64, parts int) float64 {
	if draws >= manyDraws {
		return mostSteps - 1
	}
	return float64(fewSteps/max(1, 1<<bits.Len(uint(parts-1))/2) - 1)
}

// chances returns, for each step, the probability that the sum ends there. Steps count modulo size.
func chances(parts []draws, step float64, size int) []complex128 {
	sum, one := make([]complex128, size), make([]complex128, size)
	for i := range sum {
		sum[i] = 1
	}
	for _, p := range parts {
		clear(one)
		p.from.each(func(value, chance float64) {
			x := value / step
			below := math.Floor(x)
			j := int(math.Mod(below, float64(size)))
			one[j] += complex(chance*(1-(x-below)), 0)
			one[(j+1)%size] += complex(chance*(x-below), 0)
		})
		fourier.Forward(one)
		for i := range size/2 + 1 {
			// one is the spectrum of a draw that counts once. If it counts twice, its spectrum has every
			// second term, and repeats.
			if sum[i] != 0 {
				sum[i] *= power(one[i], p.once) * power(one[2*i%size], p.twice)
			}
		}
	}
	// Probabilities are real, so the upper half of the spectrum is the conjugate of the lower half.
	for i := range size/2 - 1 {
		sum[size-1-i] = cmplx.Conj(sum[i+1])
	}
	fourier.Backward(sum)
	return sum
}

// power returns z to the power n, for a whole n. It returns 0 if the result is less than a rounding
// error.
func power(z complex128, n float64) complex128 {
	if n == 0 {
		return 1
	}
	size := n / 2 * math.Log(real(z)*real(z)+imag(z)*imag(z))
	if size < -60 {
		return 0
	}
	turns := n * cmplx.Phase(z) / (2 * math.Pi)
	return cmplx.Rect(math.Exp(size), 2*math.Pi*(turns-math.Floor(turns)))
}

// Histogram counts values. Values below 2^histogramBits have a bin each. Larger values share a bin if
// their first histogramBits bits are equal.
type Histogram struct {
	counts [(64-histogramBits)<<(histogramBits-1) + 1<<histogramBits]uint64
	totals [(64-histogramBits)<<(histogramBits-1) + 1<<histogramBits]float64 // by bin: the sum of its values, for large values.
}

const histogramBits = 8

// Add counts the value v once.
func (h *Histogram) Add(v uint64) {
	if v < 1<<histogramBits {
		h.counts[v]++
		return
	}
	shift := bits.Len64(v) - histogramBits
	bin := shift<<(histogramBits-1) + int(v>>shift)
	h.counts[bin]++
	h.totals[bin] += float64(v)
}

// value returns the mean of the values in bin, which must not be empty.
func (h *Histogram) value(bin int) float64 {
	if bin < 1<<histogramBits {
		return float64(bin)
	}
	return h.totals[bin] / float64(h.counts[bin])
}

// each calls f with every value and how often it occurs. For a bin with several values, it calls f with
// their mean.
func (h *Histogram) each(f func(value, times float64)) {
	for bin := range h.counts {
		if n := h.counts[bin]; n > 0 {
			f(h.value(bin), float64(n))
		}
	}
}

// Sum returns the sum of all values.
func (h *Histogram) Sum() (sum float64) {
	h.each(func(value, times float64) { sum += value * times })
	return sum
}

// from returns how many values are at least least, which is a power of two or less than 256.
func (h *Histogram) from(least float64) (count float64) {
	h.each(func(value, times float64) {
		if value >= least {
			count += times
		}
	})
	return count
}
