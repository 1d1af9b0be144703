package noise

import (
	"cmp"
	"math"
	"slices"
)

// Estimator makes estimates of readings that are right on average, whatever the
// cells hold, where readings are sums of the truth and a surplus, or the larger of
// both.
//
// Of sums the mean surplus is subtracted ("Spectral Bloom Filters", section 3.1,
// with the mean of the least of k counters in place of that of one). Of the
// larger: of n cells of which F hold t points or more, F and a part p of the
// others read so much, p being the chance that a surplus is t or more. So
// (readings of t or more - n p) / (1 - p) is right on average for F, and the
// points are the sum of F over all t. Both are sums over the cells, with an
// estimate for each cell that depends on its reading alone.
type Estimator struct {
	sums    bool
	classes []class // at least one
}

// class is the readings of keys of one class (see surplusOf).
type class struct {
	from, to  float64 // from <= reading < to
	surpluses *distribution
	less      float64   // what is taken off each reading
	odds      []float64 // the sum of p/(1-p) over t from above surpluses.values[i] to below to; nil for sums
}

// surest is the largest p that an Estimator takes in earnest. Where nearly all
// surpluses are t or more, readings say next to nothing of F.
const surest = 0.99

// odds is p/(1-p) for a chance p.
func odds(p float64) float64 {
	p = min(p, surest)
	return p / (1 - p)
}

// Estimator is that of the counters. O(counters) the first time.
func (m *Model) Estimator(sums bool) *Estimator {
	c := &Estimator{sums: sums}
	for from, more := 0.0, true; more; {
		x := len(c.classes)
		g := m.surplusOf(x, sums)
		k := class{from: from, to: math.Inf(1), surpluses: g}
		// Where no counter carries out of the next layer, no cell does.
		if shift := m.counters.Shape.ShiftOf(x + 1); x+1 == m.counters.Shape.Layers || shift >= 64 || g.tail(math.Ldexp(1, int(shift))) == 0 {
			more = false
		} else {
			k.to = math.Ldexp(1, int(shift))
		}
		c.classes = append(c.classes, k)
		from = k.to
	}
	for i := len(c.classes) - 1; i >= 0; i-- {
		c.classes[i].prepare(c)
	}
	return c
}

// prepare computes what the estimates of a class take, those of higher classes
// being known.
func (k *class) prepare(c *Estimator) {
	g := k.surpluses
	if !c.sums {
		k.odds = make([]float64, len(g.values))
		sum := 0.0
		for i := len(k.odds) - 1; i >= 0; i-- {
			k.odds[i] = sum
			below := 0.0
			if i > 0 {
				below = g.values[i-1]
			}
			sum += max(0, min(g.values[i], k.to-1)-below) * odds(g.tails[i])
		}
	}
	// Cells of the class must come out right on average with those of their
	// readings, too, that belong to a higher class. For the larger of both all do as
	// soon as those with the most points do.
	f := k.from
	if !c.sums {
		if f = k.to - 1; math.IsInf(f, 1) {
			return // nothing is above
		}
	}
	excess, stay := 0.0, 0.0
	g.each(func(surplus, chance float64) {
		r := c.reading(f, surplus)
		if r < k.to {
			stay += chance
		}
		excess += chance * (c.estimate(r) - f)
	})
	if stay > 1-surest {
		k.less = excess / stay
	}
}

// reading is what a cell with f points and a surplus reads.
func (c *Estimator) reading(f, surplus float64) float64 {
	if c.sums {
		return f + surplus
	}
	return max(f, surplus)
}

// estimate is what a reading counts for.
func (c *Estimator) estimate(r float64) float64 {
	k := &c.classes[0]
	for i := 1; r >= k.to; i++ {
		k = &c.classes[i]
	}
	estimate := r - k.less
	if c.sums {
		return estimate
	}
	g := k.surpluses
	i, found := slices.BinarySearch(g.values, r)
	if found {
		return estimate - k.odds[i]
	}
	if i < len(g.values) {
		estimate -= k.odds[i] + max(0, min(g.values[i], k.to-1)-r)*odds(g.tails[i])
	}
	return estimate
}

// deviations is the distribution of what a cell of a class is estimated at, above
// the least that it can be, and the mean of that. Cells with the least points of
// the class deviate most.
func (k *class) deviations(c *Estimator) (d distribution, mean float64) {
	type outcome struct{ estimate, chance float64 }
	var all []outcome
	k.surpluses.each(func(surplus, chance float64) {
		all = append(all, outcome{c.estimate(c.reading(k.from, surplus)), chance})
	})
	slices.SortFunc(all, func(a, b outcome) int { return cmp.Compare(a.estimate, b.estimate) })
	tail := 1.0
	for i, o := range all {
		x := o.estimate - all[0].estimate
		mean += x * o.chance
		if i > 0 && o.estimate > all[i-1].estimate {
			d.values, d.tails = append(d.values, x), append(d.tails, tail)
		}
		tail -= o.chance
	}
	return d, mean
}
