// Package noise estimates what collisions add to counters, and subtracts it.
//
// A Model is derived from the counters. It says how large the count of a key is that was never added. It
// says by how much cells with and without points exceed the truth. It estimates the true sum behind a sum
// of counts, with an interval. The idea is in "Spectral Bloom Filters", section 3.1. It is extended to the
// least of k counters and to every way of counting.
package noise

import (
	"math"
	"slices"
	"sort"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
)

// Model is the model of collisions in a sketch's counters. It keeps no memory of the counters. Any number of
// goroutines may use it at once.
type Model struct {
	// Occupied is the overcount of cells with points. It is unknown after an intersection or a mask, and if the
	// counters hold keys of several kinds.
	Occupied occupiedCells

	// Sums estimates as if each count were the sum of the truth and a surplus. Larger does so for the larger of
	// both, and is nil if counts are sums.
	Sums, Larger *Estimator

	// center is the mean estimate of an empty cell. It is not 0 if nearly all counters are full, because
	// an Estimator then subtracts too little. Second and Third are the central moments.
	center, Second, Third float64

	head      form.Head
	origin    cascade.Origin
	shape     cascade.Shape
	surpluses []*distribution // by class
}

// New returns the model of counters. The parameter several says that they hold keys of several kinds: squares, or cells
// without a category beside others. The model cannot tell them apart. O(counters).
func New(head form.Head, d *cascade.Counters, origin cascade.Origin, several bool) *Model {
	m := &Model{head: head, origin: origin, shape: d.Shape}
	for x := range d.Shape.Layers {
		g := surplusesIn(d, x)
		m.surpluses = append(m.surpluses, g)
		// This is the last class if no surplus reaches a further layer. No key has as many points.
		if g.tail(unit(&m.shape, x+1)) == 0 {
			break
		}
	}
	m.Sums = m.estimator(true)
	if !head.Sums {
		m.Larger = m.estimator(false)
	}
	if head.TotalKnown && !several {
		m.Occupied = m.look(d)
	}
	m.center, m.Second, m.Third = m.surpluses[0].moments(m.cell)
	return m
}

// Bytes returns about how much memory m takes.
func (m *Model) Bytes() (n int64) {
	for _, g := range m.surpluses {
		n += int64(len(g.values)) * (2*8 + 8) // the distribution, and odds of Larger
	}
	return n
}

// Empty returns the overcount of a cell without points.
func (m *Model) Empty() form.Overcount {
	g := m.surpluses[0]
	return form.Overcount{Probability: g.tail(1), Excess: g.mean()}
}

// Unbiased reports whether estimates have no bias over the seeds of the hash. fill is the fraction of the
// counters that are not 0.
func Unbiased(head *form.Head, origin *cascade.Origin, k int, fill float64) bool {
	return head.Sums || head.TotalKnown && origin.Number == 0 && math.Pow(fill, float64(k)) <= surest
}

// Estimate returns an estimate and an interval of the true sum behind counts. most is an upper bound of
// the sum.
func (m *Model) Estimate(r *Histogram, most float64) (value, low, high float64) {
	sum := r.Sum()
	least, excess := m.Sums.excess(r)
	low, high = sum-excess, sum-least
	value = m.Sums.Sum(r)
	if m.Larger != nil {
		larger := m.Larger.Sum(r)
		high = larger + m.Larger.shortfall(r)
		value = larger + m.Occupied.fraction*(value-larger)
	}
	if !m.head.TotalKnown {
		low = 0
	}
	// Sums of points are whole numbers. The factor with fuzz undoes rounding errors before Floor and
	// Ceil.
	const fuzz = 1e-9
	low = min(max(math.Floor(low*(1+fuzz)), 0), most)
	high = min(max(math.Ceil(high*(1-fuzz)), low), most)
	return min(max(value, low), high), low, high
}

// Reached returns the number of counters of the highest layer that a count in r reaches.
func (m *Model) Reached(r *Histogram) uint64 {
	n := m.shape.Size[0]
	for x := 1; x < m.shape.Layers && r.from(unit(&m.shape, x)) > 0; x++ {
		n = m.shape.Size[x]
	}
	return n
}

// Sum returns the sum of the estimates of all counts in r.
func (c *Estimator) Sum(r *Histogram) (sum float64) {
	r.each(func(n, times float64) { sum += times * c.estimate(n) })
	return sum
}

// members returns, for each class, the likely number of cells in r that belong to it. A part
// of the cells of the classes below has a count that reaches the class only by a surplus.
func (c *Estimator) members(r *Histogram) []float64 {
	cells := make([]float64, len(c.classes))
	cells[0] = r.from(0)
	for i := 1; i < len(cells); i++ {
		from := c.classes[i].from
		counts, p := r.from(from), min(c.classes[i-1].surpluses.tail(from), surest)
		cells[i] = min(max(counts-cells[i-1]*p, 0)/(1-p), counts, cells[i-1])
		cells[i-1] -= cells[i]
	}
	return cells
}

// excess returns bounds of the amount by which the sum of the counts in r exceeds the truth, a whole number. Each
// count exceeds its own truth by a surplus, which is larger in higher classes. Without the rare surpluses, few cells
// have no larger excess than theirs, and many have nearly that of a normal distribution.
func (c *Estimator) excess(r *Histogram) (least, most float64) {
	members := c.members(r)
	top := c.usually(members)
	var mean, second, third, largest float64
	none := 1.0 // the probability that there is no surplus
	for i, n := range members {
		g := c.classes[i].surpluses.upTo(top)
		m, s, t := g.moments(itself)
		mean, second, third = mean+n*m, second+n*s, third+n*t
		if last := len(g.values); last > 0 {
			none *= math.Pow(1-g.tails[0], n)
			largest += n * g.values[last-1]
		}
	}
	if none < missed {
		least = max(0, mean-Reach(usual, second, -third))
	}
	if none < 1-missed {
		most = min(mean+Reach(usual, second, third), largest)
	}
	return math.Ceil(least), math.Floor(most)
}

// usually returns the largest surplus that is not rare among so many members of each class.
func (c *Estimator) usually(members []float64) (largest float64) {
	for _, k := range c.classes {
		values := k.surpluses.values
		usual := sort.Search(len(values), func(i int) bool {
			expected := 0.0 // how many surpluses are as large
			for j, n := range members {
				expected += n * c.classes[j].surpluses.tail(values[i])
			}
			return expected <= rare
		})
		if usual > 0 {
			largest = max(largest, values[usual-1])
		}
	}
	return largest
}

// shortfall returns the largest amount by which the truth exceeds the sum of the estimates. It is for
// counts that are the larger of the truth and a surplus. Cells with the fewest points of their class
// deviate most.
func (c *Estimator) shortfall(r *Histogram) float64 {
	var second, third float64
	for i, n := range c.members(r) {
		k := &c.classes[i]
		second, third = second+n*k.second, third+n*k.third
	}
	return Reach(usual, second, -third)
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

// class has the counts of one class of keys (see surplusesIn).
type class struct {
	from, to  float64 // from <= count < to
	surpluses *distribution
	less      float64   // the number that is subtracted from each count.
	odds      []float64 // by surplus: the sum of p/(1-p) over all t above surpluses.values[i] and below field to; nil for sums.

	second, third float64 // central moments of the estimate of a cell with from points
}

// surest is the largest p that an Estimator uses. If nearly all surpluses are t or more, counts say next
// to nothing about F.
const surest = 0.99

// odds returns p/(1-p) for the probability p.
func odds(p float64) float64 {
	p = min(p, surest)
	return p / (1 - p)
}

// estimator returns the estimator of the counters.
func (m *Model) estimator(sums bool) *Estimator {
	c := &Estimator{sums: sums}
	from := 0.0
	for x, g := range m.surpluses {
		to := unit(&m.shape, x+1)
		if x+1 == len(m.surpluses) {
			to = math.Inf(1)
		}
		c.classes = append(c.classes, class{from: from, to: to, surpluses: g})
		from = to
	}
	for i := len(c.classes) - 1; i >= 0; i-- {
		k := &c.classes[i]
		k.prepare(c)
		_, k.second, k.third = k.surpluses.moments(func(surplus float64) float64 { return c.estimate(c.count(k.from, surplus)) })
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
	if i, _ := slices.BinarySearch(g.values, r); i < len(g.values) {
		estimate -= k.odds[i] + max(0, min(g.values[i], k.to-1)-r)*odds(g.tails[i])
	}
	return estimate
}

// A surplus is the count of a key that was never added: the least of k counters at random, different
// places. It is t or more with about the k-th power of the fraction of counters that hold t or more. The
// surpluses of different keys are independent of each other, given the sketch. (The positions of a key
// follow from two numbers, not from k. So among m counters two keys share all with a probability of up to
// 4/m^2. The model leaves this out. It matters if m is small and few keys hold most points.)
//
// In mode standard, the count of a cell with f points is f plus a surplus. In mode mi it is from the
// larger of the two to their sum. An insertion there lowers no counter, and raises none by more than it
// inserts. So the count is at least what it would be without the cell's own points, and at most their
// number more. If a sketch was made from exact counts, the count is the larger of the two.
//
// A key that carries out of a layer has a larger surplus. It adds all that other keys carried into the
// counters above, even if its own counter had not overflowed before. The surplus of class c is for keys
// that carry out of c layers. It is the least of k counters, computed as if the flags of these layers were
// set.
//
// The count may be the larger of the two. Then the own value of a counter whose flag was not set gives way
// when the counter overflows. The model leaves this out.
// It changes no interval by a hundredth (measured: TestIntervalsOfAnyCounters).

// surplusesIn returns the distribution of the surpluses of a class. O(counters).
func surplusesIn(d *cascade.Counters, class int) *distribution {
	var h Histogram
	d.EachValue(0, class, h.Add)
	g, below, m := &distribution{}, 0.0, float64(d.Layers[0].Size)
	h.each(func(value, times float64) {
		// No counter has more than the total, d.Full.
		value = min(value, float64(d.Full))
		if last := len(g.values) - 1; value > 0 && (last < 0 || g.values[last] < value) {
			g.values, g.tails = append(g.values, value), append(g.tails, math.Pow((m-below)/m, float64(d.Shape.K)))
		}
		below += times
	})
	return g
}
