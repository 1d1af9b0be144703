package noise

import (
	"cmp"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
)

// Cells with points have counts that are too high as well. Their number and their true counts are
// estimated from the counters (countCurve), and the excess follows from the surpluses.
//
// If counters are the maxima of exact counts, the count of a cell is the larger of its points and a
// surplus. If they are sums, it is the sum of both. If points came one by one, it is nearly the larger of
// both, and more for two reasons. A cell that is ahead of its surplus in the end may have been behind
// before. And cells that were raised raise others. The first follows from the random order of points. The
// second shows in the counters, which hold more than the points that were counted. Counters of several
// sketches added up are between the larger and the sum.

// occupiedEstimate is an estimate of the cells with points. larger is their overcount if a count is the
// larger of points and surplus. sums is their overcount if a count is the sum of both.
type occupiedEstimate struct {
	larger, sums form.Overcount
	late         float64 // mean excess of a cell whose points were at some time fewer than its surplus.
	cells        float64 // number of cells with points.
	surplus      float64 // mean excess of what the cells seem to hold.
}

// occupiedCells is the overcount of a random cell with points, if it is known. The fraction says where its
// excess lies: 0 is the excess if counts are the larger of points and surplus, 1 if they are sums.
type occupiedCells struct {
	form.Overcount
	fraction float64
	Known    bool
}

// look returns the overcount of cells with points. O(counters).
func (m *Model) look(d *cascade.Counters) (o occupiedCells) {
	o.Known = true
	if m.head.Total == 0 {
		return o
	}
	total := float64(m.head.Total)
	h, shown := countCurveOf(d).whole(total, &m.shape)
	if len(h) == 0 || h[0].keys <= 0 {
		return occupiedCells{}
	}
	l := m.outlook(h, total)
	way := l.sums.Excess - l.larger.Excess
	switch {
	case m.head.Sums:
		return occupiedCells{l.sums, 1, true}
	// The number of cells is a guess here.
	case m.origin.Number > 0 && !shown:
		surpluses := m.surpluses[0].mean()
		o.Probability = max(l.larger.Probability, fullest*m.surpluses[0].tail(1))
		o.Excess = max(math.Sqrt(l.larger.Excess*surpluses), fullest*surpluses)
		o.fraction = 1
		return o
	case m.origin.Number == 0 || way <= 0:
		return occupiedCells{l.larger, 0, true}
	}
	extra := l.extra(l.surplus)
	if m.origin.Number > 1 {
		q := m.origin.Together(m.head.Total)
		// Points that the parts have in common raise the counters too.
		part := l.extra(min(l.surplus, 1.25*l.late+l.larger.Excess/2))
		extra = min(extra, 1.1*q*part+0.9*mixed(q, float64(m.shape.K))*way)
	}
	o.fraction = min(extra/way, 1)
	o.Excess = l.larger.Excess + o.fraction*way
	o.Probability = l.larger.Probability + o.fraction*(l.sums.Probability-l.larger.Probability)
	return o
}

// extra returns by how much the mean excess is above larger.Excess if points came one by one. The counters
// seem to hold surplus points too much for each cell. There are two causes with partly the same effect:
// cells were behind their surplus at some time, and cells that were raised raised others.
//
// The weights, here and of the parts, are fitted to artificial cells and to cells of seven real maps.
// There were 1 to 16 parts of equal and unequal sizes, and the largest factors were minimised.
// sql/test/data/errors.test and TestErrorOfCellsWithPoints hold them.
func (l *occupiedEstimate) extra(surplus float64) float64 {
	return max(l.late, surplus) + 0.4*min(l.late, surplus) + 0.1*l.larger.Excess
}

// fullest is the least fraction of a surplus that a count has if all counters are full (measured:
// sql/test/data/errors.test).
const fullest = 0.7

// mixed returns how close the counts of counters that were added up are to sums, from 0 to 1. A surplus is
// added to a cell's points if each of its k counters has it from other parts than the cell's points. If
// each key is in one part, the probability is the k-th power of that for one counter. Keys with many
// points are in several parts. The exponent is smaller then, and grows more slowly than k (measured:
// TestIntervalsOfAnyCounters).
func mixed(together, k float64) float64 { return math.Pow(1-together, 3*math.Pow(k/4, 0.75)) }

// outlook returns the estimate for the cells of curve h, which together hold total points.
func (m *Model) outlook(h countCurve, total float64) (l occupiedEstimate) {
	shape := &m.shape
	l.cells = h[0].keys
	l.surplus = max(0, h.points()-total) / l.cells
	for x, g := range m.surpluses {
		k, halvings := float64(shape.K), m.origin.Halved
		if x > 0 {
			halvings = 0
		}
		was := g.before(halvings, k)
		h.each(unit(shape, x), unit(shape, x+1), func(points, keys float64) {
			part, last := keys/l.cells, 0.0
			g.each(func(surplus, chance float64) {
				if surplus > points {
					l.larger.Probability += part * chance
					l.larger.Excess += part * chance * (surplus - points)
				}
			})
			was.each(func(surplus, chance float64) {
				l.late += part * chance * ahead(min(points, surplus), max(points, surplus))
			})
			for i, surplus := range g.values {
				p := part * was.halved(i, points, halvings, k)
				if i == 0 {
					l.sums.Probability += p
				}
				l.sums.Excess += p * (surplus - last)
				last = surplus
			}
		})
	}
	return l
}

// before returns the distribution of surpluses before the counters were halved this number of times.
// After a halving, a counter is below a value only if both of its halves were.
func (d *distribution) before(halvings uint8, k float64) *distribution {
	if halvings == 0 {
		return d
	}
	b := &distribution{values: d.values}
	for _, t := range d.tails {
		below := math.Pow(1-math.Pow(t, 1/k), math.Ldexp(1, -int(halvings)))
		b.tails = append(b.tails, math.Pow(1-below, k))
	}
	return b
}

// halved returns the probability that the count of a cell is at least values[i] too high. The counters were sums
// with these surpluses, and were then halved by maxima. Each of the k counters must hold values[i] more itself.
// Otherwise it was halved with a counter that holds the points of the cell and as much more.
func (d *distribution) halved(i int, points float64, halvings uint8, k float64) float64 {
	if halvings == 0 {
		return d.tails[i]
	}
	below := func(tail float64) float64 { return 1 - math.Pow(tail, 1/k) }
	return math.Pow(1-below(d.tails[i])*math.Pow(below(d.tail(points+d.values[i])), math.Ldexp(1, int(halvings))-1), k)
}

// ahead returns the mean excess of a cell above the larger of its points and its surplus. more is the larger one, and
// less the other. Points come one by one in random order, and the surplus may have been ahead of the cell at some time.
//
// Let f votes for one and g votes for another be counted in random order, so that the other is not ahead
// in the end. It is ahead by d or more at some time with the probability C(f+g, f+d) / C(f+g, f)
// (reflection). The source is Feller, An Introduction to Probability Theory, volume 1, III.1. All k
// counters must be ahead, each with points of its own. So the probability is squared (measured:
// sql/test/data/errors.test).
//
// The result is the sum over d from 1 of the squares of C(less+more, more+d) / C(less+more, more). Among
// large numbers, these fall like exp(-b d^2) if both are equal, and like 1/q^2d if they differ much. The
// formula joins both limits, and is within 5% of the sum (TestAhead).
func ahead(less, more float64) float64 {
	q := (more + 1) / less
	s, b := q-1/q, 1/(less+1.7)+1/(more+1.7)
	return 2 / q / (1.2*s + math.Sqrt(0.64*s*s+16/math.Pi*b))
}

// CellEstimate estimates a cell of a picture from its count. Its mean over cells without points is 0.
func (m *Model) CellEstimate(count uint64) float64 { return m.cell(float64(count)) - m.center }

// cell is CellEstimate without the mean over cells without points.
func (m *Model) cell(r float64) float64 {
	e := m.Sums.estimate(r)
	if m.Larger != nil {
		larger := m.Larger.estimate(r)
		e = larger + m.Occupied.fraction*(e-larger)
	}
	return e
}

// countCurve estimates N(t), how many keys hold t points or more, from counters that hold the largest
// count of their keys. A counter is below t if none of these keys has it, which has the probability exp(-N
// k/m). So N(t) is -m/k times the logarithm of the fraction of counters below t. The number of keys of a
// Bloom filter is estimated like this (Swamidass and Baldi 2007, equation 3); here it is done for every t.
// In counters that are sums, or that were raised together, N(t) comes out larger, except for t = 1.
//
// Counts that continue in upper layers are taken from there, in the unit of the layer. Between two entries
// N is assumed to be a power of t. Before the last entry, if it has no keys, N falls linearly.
type countCurve []curvePoint

// curvePoint says how many keys hold least points or more.
type curvePoint struct{ least, keys float64 }

func countCurveOf(d *cascade.Counters) (out countCurve) {
	for x := range d.Shape.Layers {
		var h Histogram
		d.EachValue(x, 0, h.Add)
		m, k := float64(d.Layers[x].Size), float64(d.Shape.K)
		unit, end := unit(&d.Shape, x), unit(&d.Shape, x+1)
		below := 0.0
		put := func(least float64) {
			// If no counter holds less, the number of keys is unknown.
			if least *= unit; below == 0 || least < 1 || least > end {
				return
			}
			keys := -m / k * math.Log(below/m)
			if n := len(out); n > 0 {
				if out[n-1].least >= least {
					return
				}
				keys = min(keys, out[n-1].keys)
			}
			out = append(out, curvePoint{least: least, keys: keys})
		}
		h.each(func(value, times float64) {
			if value*unit < end {
				put(value)
				below += times
				put(value + 1)
			}
		})
		if !math.IsInf(end, 1) {
			put(end / unit)
		}
	}
	return out
}

// unit returns the least count that carries into layer x; infinite if none can.
func unit(s *cascade.Shape, x int) float64 {
	if shift := s.ShiftOf(x); x < s.Layers && shift < 64 {
		return math.Ldexp(1, int(shift))
	}
	return math.Inf(1)
}

// at returns how many keys hold t or more points. t is at least 1.
func (h countCurve) at(t float64) float64 {
	i, found := slices.BinarySearchFunc(h, t, func(a curvePoint, t float64) int { return cmp.Compare(a.least, t) })
	switch {
	case i == len(h):
		return 0
	case found || i == 0:
		return h[i].keys
	}
	a, b := h[i-1], h[i]
	// At the end of the curve b.keys is about 0. The curve is a straight line there, because 0 has no
	// logarithm.
	if b.keys < 0.5 {
		return a.keys + (b.keys-a.keys)*(t-a.least)/(b.least-a.least)
	}
	return a.keys * math.Pow(b.keys/a.keys, math.Log(t/a.least)/math.Log(b.least/a.least))
}

// whole completes h if no counter is 0, so that even the number of keys is unknown. It takes the number that fills
// all m counters on average: m/k times the m-th harmonic number. It reports whether the number of keys was known.
func (h countCurve) whole(total float64, s *cascade.Shape) (all countCurve, shown bool) {
	if len(h) == 0 || h[0].least == 1 {
		return h, true
	}
	m := float64(s.Size[0])
	fill := m / float64(s.K) * (math.Log(m) + 0.5772)
	return slices.Insert(h, 0, curvePoint{least: 1, keys: min(max(h[0].keys, fill, 1), total)}), false
}

// points returns the number of points of all keys.
func (h countCurve) points() (sum float64) {
	stride(1, h[len(h)-1].least, func(t, width float64) { sum += width * h.at(t) })
	return sum
}

// each calls f for keys that hold from points or more, and fewer than to. f gets a number of points, and how many
// keys hold about as many.
func (h countCurve) each(from, to float64, f func(points, keys float64)) {
	stride(from, min(to-1, h[len(h)-1].least), func(points, width float64) {
		if keys := h.at(points-(width-1)/2) - h.at(points+(width+1)/2); keys > 0 {
			f(points, keys)
		}
	})
}

// stride goes from the number from to the number to, both whole, in steps of 1/24 of the current number.
// It calls f with the middle and the width of every step.
func stride(from, to float64, f func(t, width float64)) {
	for t := from; t <= to; {
		width := min(max(1, math.Floor(t/24)), math.Floor(to-t)+1)
		f(t+(width-1)/2, width)
		// Beyond 2^53 the sum of float64 numbers does not change any more.
		if t+width == t {
			return
		}
		t += width
	}
}
