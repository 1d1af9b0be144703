// Package noise estimates what collisions add to counters, and subtracts it.
//
// A Model is derived from the counters. It says how large the count of a key is that was never added. It
// says by how much cells with and without points exceed the truth. It estimates the true sum behind a sum
// of counts, with an interval. The idea is in "Spectral Bloom Filters", section 3.1. It is extended to the
// least of k counters and to every way of counting.
package noise

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
)

// Model is the model of collisions in a sketch's counters. Its first use reads the counters, and later
// uses take the stored result.
type Model struct {
	counters *cascade.Counters
	sums     bool // whether counters are sums of occurrences.
	origin   cascade.Origin
	total    uint64 // number of occurrences.
	known    bool   // whether total is known.
	several  bool   // whether the counters hold keys of several kinds, which the model cannot tell apart.

	classes  [cascade.MaxLayers]*distribution // by class: the distribution of surpluses; nil before its first use.
	larger   [cascade.MaxLayers]*distribution // the same for counts that are the larger of truth and surplus, from class 1 on.
	occupied *occupiedResult                  // result of Occupied
}

// New returns the model of counters. O(1).
func New(d *cascade.Counters, sums bool, origin cascade.Origin) *Model {
	return &Model{counters: d, sums: sums, origin: origin}
}

// SetTotal sets the number of occurrences that were counted. several says that they were counted for keys
// of several kinds: squares, or plain cells beside cells with a category.
func (m *Model) SetTotal(total uint64, several bool) {
	m.total, m.known, m.several = total, true, several
}

// overcount says how far counts exceed the truth: the probability that a count does, and the mean excess.
type overcount struct{ Probability, Excess float64 }

// Empty returns the overcount of a cell without points.
func (m *Model) Empty() overcount {
	g := m.surplusOf(0, true)
	excess, _ := g.moments()
	return overcount{g.tail(1), excess}
}

// Unbiased reports whether estimates have no bias over the seeds of the hash.
func (m *Model) Unbiased() bool {
	return m.sums || m.known && m.origin.Number == 0 && m.surplusOf(0, true).tail(1) <= surest
}

// Estimate returns an estimate and an interval of the true sum behind counts. most is an upper bound of
// the sum.
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
		_, fraction, _ := m.Occupied()
		value = larger + fraction*(value-larger)
	}
	if !m.known {
		low = 0
	}
	// Sums of points are whole numbers. The factor with fuzz undoes rounding errors before Floor and
	// Ceil.
	const fuzz = 1e-9
	low = min(max(math.Floor(low*(1+fuzz)), 0), most)
	high = min(max(math.Ceil(high*(1-fuzz)), low), most)
	return min(max(value, low), high), low, high
}

// Sum returns the sum of the estimates of all counts in r.
func (c *Estimator) Sum(r *Histogram) (sum float64) {
	r.each(func(n, times float64) { sum += times * c.estimate(n) })
	return sum
}

// members returns, for each class, how many cells belong to it or to a higher class. most counts all
// cells whose count reaches the class. likely and least subtract cells that reach it only by a surplus:
// likely their likely number, least a large number.
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

// excess returns bounds of the amount by which the sum of the counts in r exceeds the truth. Each count
// exceeds its own truth by a surplus, which is larger in higher classes.
//
// Two cells of an area that share counters are too high together. This doubles the variance for cells
// with points: there are half as many draws that count twice.
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

// shortfall returns the largest amount by which the truth exceeds the sum of the estimates. It is for
// counts that are the larger of the truth and a surplus.
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

// EstimateBytes returns the most bytes that an estimate of a number of counts takes. It needs histograms,
// two spectra and the roots of unity for these.
func EstimateBytes(counts uint64) int64 {
	const term, bins = 16, int64(unsafe.Sizeof(Histogram{}))
	if counts < manyDraws {
		return 3*bins + fewSteps*5/2*term
	}
	return 3*bins + mostSteps*5/2*term
}

// Estimator estimates the truth behind counts without bias, whatever the cells hold. Counts are either
// sums of the truth and a surplus, or the larger of both.
//
// From sums the mean surplus is subtracted ("Spectral Bloom Filters", section 3.1). Here this is the mean
// of the least of k counters, not of one.
//
// If counts are the larger of both, F of n cells hold t points or more. A surplus is t or more with the
// probability p, and so is the count of a part p of the other cells. Then (counts of t or more - n p) / (1
// - p) estimates F without bias. The number of points is the sum of F over all t. So each cell has an
// estimate that depends on its count alone.
type Estimator struct {
	sums    bool
	classes []class // at least one
}

// class has the counts of one class of keys (see surplusOf).
type class struct {
	from, to  float64 // from <= count < to
	surpluses *distribution
	less      float64   // the number that is subtracted from each count.
	odds      []float64 // by surplus: the sum of p/(1-p) over all t above surpluses.values[i] and below field to; nil for sums.
}

// surest is the largest p that an Estimator uses. If nearly all surpluses are t or more, counts say next
// to nothing about F.
const surest = 0.99

// odds returns p/(1-p) for the probability p.
func odds(p float64) float64 {
	p = min(p, surest)
	return p / (1 - p)
}

// Estimator returns the estimator of the counters. O(counters) the first time.
func (m *Model) Estimator(sums bool) *Estimator {
	c := &Estimator{sums: sums}
	for from, more := 0.0, true; more; {
		x := len(c.classes)
		g := m.surplusOf(x, sums)
		k := class{from: from, to: math.Inf(1), surpluses: g}
		// This is the last class if no further layer exists, or if no surplus reaches it.
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

// prepare computes the fields of class k. The fields of higher classes must be computed before.
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
	// Noise lifts some cells of this class into a higher class. The correction removes the bias of the
	// mean estimate, with these cells included. If counts are the larger of truth and noise, only the
	// largest count of the class needs it.
	f := k.from
	if !c.sums {
		if f = k.to - 1; math.IsInf(f, 1) {
			// There is no higher class.
			return
		}
	}
	excess, stay := 0.0, 0.0
	g.each(func(surplus, chance float64) {
		r := c.count(f, surplus)
		if r < k.to {
			stay += chance
		}
		excess += chance * (c.estimate(r) - f)
	})
	if stay > 1-surest {
		k.less = excess / stay
	}
}

// count returns the estimate for a cell with f points to which other cells add surplus. It is the sum of
// both, or the larger of both if counters are no sums.
func (c *Estimator) count(f, surplus float64) float64 {
	if c.sums {
		return f + surplus
	}
	return max(f, surplus)
}

// estimate returns the estimate for a cell with count r.
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

// deviations describes how much the estimates of cells of a class exceed the least possible estimate: it
// returns the distribution and its mean. Cells with the fewest points of the class deviate most.
func (k *class) deviations(c *Estimator) (d distribution, mean float64) {
	type outcome struct{ estimate, chance float64 }
	var all []outcome
	k.surpluses.each(func(surplus, chance float64) {
		all = append(all, outcome{c.estimate(c.count(k.from, surplus)), chance})
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
