// Package noise estimates what collisions add to counters, and subtracts it.
//
// A Model derives from the counters how much a key that was never added reads, by how
// much cells with and without points exceed the truth, and what a sum of readings
// is likely to be, with an interval ("Spectral Bloom Filters", section 3.1, for the
// least of k counters and for every way in which the counters came about).
package noise

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
)

// Model is what noise the counters of a sketch have. It reads them when it is first
// asked, and remembers.
type Model struct {
	counters *cascade.Counters
	sums     bool // counters are sums of occurrences
	origin   cascade.Origin
	total    uint64 // occurrences
	known    bool   // total is
	several  bool   // keys of several kinds are counted, whose counts cannot be told apart

	classes  [cascade.MaxLayers]*distribution // surpluses of each class asked for
	larger   [cascade.MaxLayers]*distribution // those of the classes from 1 on for the larger of two
	occupied *occupiedResult                  // what occupied says
}

// New is the model of counters. O(1).
func New(d *cascade.Counters, sums bool, origin cascade.Origin) *Model {
	return &Model{counters: d, sums: sums, origin: origin}
}

// SetTotal says how many occurrences were counted, where that is known, and whether
// keys of several kinds were counted for them: squares, or plain cells beside those
// with a category.
func (m *Model) SetTotal(total uint64, several bool) {
	m.total, m.known, m.several = total, true, several
}

// overcount is by how much readings are above the truth: the probability that they
// are, and the mean.
type overcount struct{ Probability, Excess float64 }

// Empty is the overcount of a cell without points.
func (m *Model) Empty() overcount {
	g := m.surplusOf(0, true)
	excess, _ := g.moments()
	return overcount{g.tail(1), excess}
}

// Unbiased reports whether estimates are right on average over the seeds of the
// hash.
func (m *Model) Unbiased() bool {
	return m.sums || m.known && m.origin.Number == 0 && m.surplusOf(0, true).tail(1) <= surest
}

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
	// Noise lifts some cells of this class into a higher one. The mean estimate must have no bias
	// with these cells included. A reading that is the larger of count and noise needs the
	// correction for the largest count alone.
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
