package noise

import (
	"cmp"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
)

// holders is how many keys hold t points or more, as counters show it that hold
// the largest count of their keys: a counter is below t where none of the N(t) keys
// of t or more has it, which it is with the chance exp(-N k/m), so that N(t) is
// -m/k times the logarithm of the share of counters below t ("Bloom filters" are
// asked for their number of keys in this way: Swamidass and Baldi 2007, equation 3,
// here for every t). In counters that are sums, or that were raised together, N(t)
// comes out larger, but for t = 1.
//
// What is counted in upper layers is read there, where counts differ by the unit of
// the layer. Between two entries N is taken for a power of t.
type holders []held

type held struct {
	least, keys float64 // so many keys hold this or more
	bend        float64 // from here to where there are none: see bent
}

func holdersOf(d *cascade.Counters) (out holders) {
	for x := range d.Shape.Layers {
		var h Histogram
		for j := range d.Layers[x].Size {
			h.Add(d.ValueFrom(x, j))
		}
		m, k := float64(d.Layers[x].Size), float64(d.Shape.K)
		unit, end := unit(&d.Shape, x), unit(&d.Shape, x+1)
		below := 0.0
		put := func(least float64) {
			// Where all counters hold more nothing can be said.
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
			out = append(out, held{least: least, keys: keys})
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

// unit is the least count that carries into layer x; infinite where none can.
func unit(s *cascade.Shape, x int) float64 {
	if shift := s.ShiftOf(x); x < s.Layers && shift < 64 {
		return math.Ldexp(1, int(shift))
	}
	return math.Inf(1)
}

// at is how many keys hold t or more, t being 1 or more.
func (h holders) at(t float64) float64 {
	i, found := slices.BinarySearchFunc(h, t, func(a held, t float64) int { return cmp.Compare(a.least, t) })
	switch {
	case i == len(h):
		return 0
	case found || i == 0:
		return h[i].keys
	}
	a, b := h[i-1], h[i]
	if b.keys < 0.5 { // the last one
		return a.keys + (b.keys-a.keys)*(1-math.Pow((b.least-t)/(b.least-a.least), 1+a.bend))
	}
	return a.keys * math.Pow(b.keys/a.keys, math.Log(t/a.least)/math.Log(b.least/a.least))
}

// whole makes h complete where no counter is 0, so that not even the number of keys
// shows: with as many as make the points come out at the total, or as few as can be.
// That is as many as fill all m counters on average, m/k times the m-th harmonic
// number. It says whether the number showed.
func (h holders) whole(total float64, s *cascade.Shape) (all holders, shown bool) {
	if len(h) == 0 || h[0].least == 1 {
		return h, true
	}
	first := h[0]
	h = append(holders{{least: 1, keys: first.keys}}, h...)
	m := float64(s.Size[0])
	fill := m / float64(s.K) * (math.Log(m) + 0.5772)
	low, high := max(first.keys, fill, 1), total
	h[0].keys = low
	for high > low*1.001 {
		h[0].keys = (low + high) / 2
		if h.points() > total {
			high = h[0].keys
		} else {
			low = h[0].keys
		}
	}
	return h, false
}

// bent makes the points come out at the total by what is taken for the keys beyond
// the last entry, where counters are maxima and say too little of them: N(t) from a to
// its end at b falls like (b-t)^(1+bend), and the sum over t is N(a) (b-a) / (2+bend).
// A layer of few counters has the count of one of many keys in each.
func (h holders) bent(total float64) {
	n := len(h) - 2
	if n < 0 || h[n+1].keys >= 0.5 {
		return
	}
	last := h[n].keys * (h[n+1].least - h[n].least) / 2
	if over := h.points() - total; over > 0 && over < last {
		h[n].bend = 2*last/(last-over) - 2
	}
}

// all is the number of keys, and top the most that one may hold.
func (h holders) all() float64 {
	if len(h) == 0 {
		return 0
	}
	return h[0].keys
}

func (h holders) top() float64 {
	if len(h) == 0 {
		return 0
	}
	return h[len(h)-1].least
}

// points is what all keys hold together.
func (h holders) points() (sum float64) {
	stride(1, h.top(), func(t, width float64) { sum += width * h.at(t) })
	return sum
}

// deviation is about the standard deviation of points: that of the collisions among
// the counters, each of which hides the lesser of two counts.
func (h holders) deviation(s *cascade.Shape) float64 {
	all, squares := h.all(), 0.0
	stride(1, h.top(), func(t, width float64) {
		share := h.at(t) / all
		squares += width * (2*t - 1) * share * share
	})
	k := float64(s.K)
	load := all * k / float64(s.Size[0])
	return math.Sqrt(all / (k * load) * (math.Exp(load) - 1 - load) * squares)
}

// stride goes from one whole number to another, in steps of 1/24 of the way gone: f
// gets the middle of every step and its width.
func stride(from, to float64, f func(t, width float64)) {
	for t := from; t <= to; {
		width := min(max(1, math.Floor(t/24)), math.Floor(to-t)+1)
		f(t+(width-1)/2, width)
		if t+width == t { // beyond 2^53 one more is no more
			return
		}
		t += width
	}
}
