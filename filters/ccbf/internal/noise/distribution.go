package noise

import (
	"math"
	"math/bits"
	"slices"
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

// mean returns the mean of the number.
func (d *distribution) mean() float64 {
	mean, _, _ := d.moments(itself)
	return mean
}

// itself is the number that moments take by default.
func itself(value float64) float64 { return value }

// moments returns the mean, and the second and third central moments, of f of the number.
func (d *distribution) moments(f func(value float64) float64) (mean, second, third float64) {
	d.each(func(value, chance float64) { mean += chance * f(value) })
	d.each(func(value, chance float64) {
		x := f(value) - mean
		second += chance * x * x
		third += chance * x * x * x
	})
	return mean, second, third
}

// upTo returns the distribution with 0 for the values above largest.
func (d *distribution) upTo(largest float64) *distribution {
	n, found := slices.BinarySearch(d.values, largest)
	if found {
		n++
	}
	return &distribution{d.values[:n], d.tails[:n]}
}

// An interval misses the truth with a probability of rare + 2 missed, 5%.
const (
	// rare is the probability that a surplus occurs that the bounds of an excess leave out.
	rare = 0.025
	// missed is the probability that the rest lies below these bounds, or above them.
	missed = 0.0125
	// usual is the number of standard deviations that a normal number exceeds with the probability missed.
	usual = 2.2414
)

// Reach returns by how much a sum exceeds its mean about as rarely as a normal number exceeds it by z standard
// deviations. The sum has these central moments. Let s be its deviation and g its skewness. Reach is
// z s + (z^2-1) s g/6 (Cornish and Fisher 1938, the first term).
func Reach(z, second, third float64) float64 {
	if second <= 0 {
		return 0
	}
	return z*math.Sqrt(second) + (z*z-1)/6*max(third/second, 0)
}

// Histogram counts values. Values below 2^histogramBits have a bin each. Larger values share a bin if
// their first histogramBits bits are equal.
type Histogram struct {
	counts [(64-histogramBits)<<(histogramBits-1) + 1<<histogramBits]uint64
	totals [(64-histogramBits)<<(histogramBits-1) + 1<<histogramBits]float64 // by bin: the sum of its values, for large values.
	end    int                                                               // bins from here on are empty.
}

const histogramBits = 8

// Add counts the value v once.
func (h *Histogram) Add(v uint64) {
	bin := int(v)
	if v >= 1<<histogramBits {
		shift := bits.Len64(v) - histogramBits
		bin = shift<<(histogramBits-1) + int(v>>shift)
		h.totals[bin] += float64(v)
	}
	h.counts[bin]++
	h.end = max(h.end, bin+1)
}

// Reset makes h empty.
func (h *Histogram) Reset() {
	clear(h.counts[:h.end])
	clear(h.totals[:h.end])
	h.end = 0
}

// each calls f with every value and how often it occurs. For a bin with several values, it calls f with
// their mean.
func (h *Histogram) each(f func(value, times float64)) {
	for bin := range h.end {
		n, value := float64(h.counts[bin]), float64(bin)
		if bin >= 1<<histogramBits {
			value = h.totals[bin] / n
		}
		if n > 0 {
			f(value, n)
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
