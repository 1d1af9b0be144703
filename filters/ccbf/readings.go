package ccbf

// readings are what the cells of an area read, or the quads and cells that it is
// summed by.
type readings struct {
	small [1 << histogramBits]uint64 // how many read each small number
	large []uint64                   // the other readings
}

func (r *readings) add(n uint64) {
	if n < uint64(len(r.small)) {
		r.small[n]++
	} else {
		r.large = append(r.large, n)
	}
}

// each calls f with every reading and how many there are of it.
func (r *readings) each(f func(reading, times float64)) {
	for n, times := range r.small {
		if times > 0 {
			f(float64(n), float64(times))
		}
	}
	for _, n := range r.large {
		f(float64(n), 1)
	}
}

// sum is the sum of all.
func (r *readings) sum() (sum float64) {
	r.each(func(n, times float64) { sum += n * times })
	return sum
}

// from counts the readings of least or more.
func (r *readings) from(least float64) (count float64) {
	r.each(func(n, times float64) {
		if n >= least {
			count += times
		}
	})
	return count
}
