package noise

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
)

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
// If the count is the larger of the two, there is an exception. The own value of a counter whose flag was
// not set adds nothing, as it gives way when it overflows.

// surplusOf returns the distribution of the surpluses of a class. With sums, counts are sums of points and
// surplus; otherwise they are the larger of both. O(counters) the first time.
func (m *Model) surplusOf(class int, sums bool) *distribution {
	g := &m.classes[class]
	if !sums && class > 0 {
		g = &m.larger[class]
	}
	if *g == nil {
		*g = surplusesIn(m.counters, class, sums)
	}
	return *g
}

// surplusesIn computes the surpluses of a class.
func surplusesIn(d *cascade.Counters, class int, sums bool) *distribution {
	var h Histogram
	addMet(d, class, sums, &h)
	g := &distribution{}
	above, m, k, more := uint64(0), float64(d.Layers[0].Size), float64(d.Shape.K), 0.0
	carries := make([]float64, d.Shape.Layers) // how many counters continue in each layer, by layer
	for x := range carries {
		if carries[x] = m; x > class {
			carries[x] = h.from(unit(&d.Shape, x))
		}
	}
	for bin := len(h.counts) - 1; bin > 0; bin-- {
		n := h.counts[bin]
		if n == 0 {
			continue
		}
		above += n
		v := h.value(bin)
		x := class // the layer that holds the highest digit of v
		for v >= unit(&d.Shape, x+1) {
			x++
		}
		// A key carries into layer x if each of its k counters holds at least v.
		size, carry := float64(d.Layers[x].Size), carries[x]
		more = max(more, drawn(carry, m, min(k, m))*drawn(float64(above)/carry*size, size, min(k, size)))
		// No counter has more than the total, d.Full.
		v = min(v, float64(d.Full))
		if last := len(g.values) - 1; last >= 0 && g.values[last] <= v {
			g.tails[last] = more
			continue
		}
		g.values, g.tails = append(g.values, v), append(g.tails, more)
	}
	slices.Reverse(g.values)
	slices.Reverse(g.tails)
	return g
}

// drawn returns the probability that k different draws from a number of things are all among some of them.
func drawn(some, of, k float64) float64 {
	chance := 1.0
	for i := 0.0; i < k; i++ {
		chance *= max(0, some-i) / (of - i)
	}
	return chance
}

// addMet adds every counter to h, with the value that it has for a key of a class.
func addMet(d *cascade.Counters, class int, sums bool, h *Histogram) {
	l := &d.Layers[0]
	if class == 0 {
		for j := range l.Size {
			c := l.Load(j)
			if c&l.Flag != 0 {
				c = d.Value(j)
			}
			h.Add(c)
		}
		return
	}
	step := d.Layers[1].Size
	for up := range step {
		above, whole := carried(d, 1, class, up, sums)
		for j := up; j < l.Size; j += step {
			v, _ := with(l, j, above, whole, sums)
			h.Add(v)
		}
	}
}

// carried is ValueFrom as if the flags of the layers before class were set. It reports whether they are.
func carried(d *cascade.Counters, x, class int, j uint64, sums bool) (v uint64, whole bool) {
	if x == class {
		return d.ValueFrom(x, j), true
	}
	v, whole = carried(d, x+1, class, j%d.Layers[x+1].Size, sums)
	return with(&d.Layers[x], j, v, whole, sums)
}

// with adds the value of counter i to what was carried out of it.
func with(l *cascade.Layer, i, carried uint64, whole, sums bool) (uint64, bool) {
	c, v := l.Load(i), carried<<(l.Width-1)
	if whole = whole && c&l.Flag != 0; whole || sums {
		v += c & l.Mask
	}
	return v, whole
}
