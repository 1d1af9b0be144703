package noise

import "math/bits"

// Histogram counts values: those below 2^histogramBits one by one, larger ones
// together where they agree in so many leading bits.
type Histogram struct {
	counts [(64-histogramBits)<<(histogramBits-1) + 1<<histogramBits]uint64
	totals [(64-histogramBits)<<(histogramBits-1) + 1<<histogramBits]float64 // of large values
}

const histogramBits = 8

// Add counts a value.
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

// value is the mean of the values in a bin that is not empty.
func (h *Histogram) value(bin int) float64 {
	if bin < 1<<histogramBits {
		return float64(bin)
	}
	return h.totals[bin] / float64(h.counts[bin])
}

// each calls f with every value, or the mean of those in a bin, and how many there
// are.
func (h *Histogram) each(f func(value, times float64)) {
	for bin := range h.counts {
		if n := h.counts[bin]; n > 0 {
			f(h.value(bin), float64(n))
		}
	}
}

// Sum is the sum of all values.
func (h *Histogram) Sum() (sum float64) {
	h.each(func(value, times float64) { sum += value * times })
	return sum
}

// from counts the values of least, a power of two or less than 256, or more.
func (h *Histogram) from(least float64) (count float64) {
	h.each(func(value, times float64) {
		if value >= least {
			count += times
		}
	})
	return count
}
