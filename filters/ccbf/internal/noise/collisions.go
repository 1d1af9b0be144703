package noise

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
)

// What other keys add to a reading. A surplus is what a key reads that was never
// added: the least of k counters at random places, all different, so t or more with
// about the k-th power of the share of the counters that hold t or more. The surpluses
// of different keys are independent of each other, given the sketch. (The positions
// of a key follow from two numbers in place of k, so that of m counters two keys
// share all with a chance of up to 4/m^2. That is left out: it matters where m is
// small and few keys hold most points.)
//
// A cell with f points reads f plus a surplus in mode standard, and something from
// the larger of the two to their sum in mode mi: an insertion lowers no counter
// and raises none by more than what is inserted, so that the cell reads at least
// what it would without its own points, and at most their number more. Where a
// dense sketch was made of exact counts, it reads the larger of the two.
//
// A key that carries out of a layer meets more: what others carried into the
// counters above counts for it in full, also where its own counter had not
// overflowed before. The surplus of class c, for keys that carry out of c layers, is
// the least of k counters that are read with the flags of those layers taken for
// set. To the larger of two, a counter whose flag was not set adds nothing itself:
// where it overflows, its value gives way.

// surplusOf is the distribution of the surpluses of a class, for readings that are sums
// or for those that are the larger of two. O(counters) the first time.
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
	carries := make([]float64, d.Shape.Layers) // counters from which keys go on in a layer
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
		x := class // the layer that says most of v
		for v >= unit(&d.Shape, x+1) {
			x++
		}
		// All k carry into it, and all are there where it holds so much.
		size, carry := float64(d.Layers[x].Size), carries[x]
		more = max(more, drawn(carry, m, min(k, m))*drawn(float64(above)/carry*size, size, min(k, size)))
		// A counter never reads more than the total, d.Full.
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

// drawn is the chance that k different ones of so many are all among some of them.
func drawn(some, of, k float64) float64 {
	chance := 1.0
	for i := 0.0; i < k; i++ {
		chance *= max(0, some-i) / (of - i)
	}
	return chance
}

// addMet adds every counter to h, with the value that a key of a class meets there.
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

// carried is valueFrom with the flags of the layers before class taken for set;
// whole says that they are.
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
