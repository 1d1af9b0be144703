package noise

import (
	"math"
	"unsafe"
)

// Estimate turns readings, and the sum that they allow at most, into an estimate
// and an interval.
func (m *Model) Estimate(r *Histogram, most float64) (value, low, high float64) {
	sum := r.Sum()
	sums := m.Estimator(true)
	least, excess := sums.excess(r)
	low, high = sum-excess, sum-least
	value = sums.Sum(r)
	if !m.sums {
		c := m.Estimator(false)
		larger := c.Sum(r)
		high = larger + c.shortfall(r)
		_, share, _ := m.Occupied()
		value = larger + share*(value-larger)
	}
	if !m.known {
		low = 0
	}
	// Sums of points are whole. What rounding moved is put back first.
	const fuzz = 1e-9
	low = min(max(math.Floor(low*(1+fuzz)), 0), most)
	high = min(max(math.Ceil(high*(1-fuzz)), low), most)
	return min(max(value, low), high), low, high
}

// Sum is the sum of the estimates of readings.
func (c *Estimator) Sum(r *Histogram) (sum float64) {
	r.each(func(n, times float64) { sum += times * c.estimate(n) })
	return sum
}

// members are how many of the cells belong to each class or a higher one: at most
// all that read so much, and less those that surpluses bring there at a likely or at a
// large number of them.
func (c *Estimator) members(r *Histogram) (least, likely, most []float64) {
	n := len(c.classes)
	least, likely, most = make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	for i, k := range c.classes {
		surpluses, p := 0.0, 0.0
		for j, below := range c.classes[:i] {
			p = min(below.surpluses.tail(k.from), surest)
			surpluses += most[j] * p
		}
		most[i] = r.from(k.from)
		least[i] = max(0, most[i]-math.Ceil(surpluses+3*math.Sqrt(surpluses)))
		likely[i] = min(max(0, math.Round((most[i]-surpluses)/(1-p))), most[i])
	}
	for i := n - 1; i > 0; i-- {
		least[i], likely[i] = max(least[i], least[i+1]), max(likely[i], likely[i+1])
	}
	return least, likely, most
}

// excess is by how much the sum of readings exceeds the truth at least and at most,
// where each exceeds it by a surplus: the surpluses of higher classes are larger.
//
// Two cells of an area that share counters are too high together, which doubles the
// variance for those that hold points: half as many draws that count twice.
func (c *Estimator) excess(r *Histogram) (least, most float64) {
	few, _, many := c.members(r)
	p := min(c.classes[0].surpluses.tail(1), surest)
	holding := (r.from(1) - many[0]*p) / (1 - p)
	parts := func(members []float64) []draws {
		var all []draws
		for i, k := range c.classes {
			cells := members[i] - members[i+1]
			pairs := cells
			if i == 0 {
				pairs = min(max(holding-members[1], 0), cells)
			}
			pairs = math.Floor(pairs / 2)
			all = append(all, draws{cells - 2*pairs, pairs, k.surpluses})
		}
		return all
	}
	least, _ = quantiles(parts(few), 1)
	_, most = quantiles(parts(many), 1)
	return least, most
}

// shortfall is by how much the truth exceeds the sum of the estimates at most,
// where readings are the larger of the truth and a surplus.
func (c *Estimator) shortfall(r *Histogram) float64 {
	_, members, _ := c.members(r)
	var parts []draws
	above := 0.0
	for i := range c.classes {
		k := &c.classes[i]
		d, mean := k.deviations(c)
		cells := members[i] - members[i+1]
		above += cells * mean
		parts = append(parts, draws{cells, 0, &d})
	}
	least, _ := quantiles(parts, 0)
	return above - least
}

// EstimateBytes is the bytes that an estimate of so many readings takes at most: for
// histograms, two spectra and the roots of unity that make them.
func EstimateBytes(readings uint64) int64 {
	const term, bins = 16, int64(unsafe.Sizeof(Histogram{}))
	if readings < manyDraws {
		return 3*bins + fewSteps*5/2*term
	}
	return 3*bins + mostSteps*5/2*term
}
