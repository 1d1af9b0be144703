package cascade

import (
	"math"
	"math/bits"
)

// Origin says how the counters of a sketch of mode mi (minimal increment) were made. They came from exact
// counts, point by point, or as the sum of several sketches. The counters do not show this, but the
// errors of cells with points depend on it. In mode standard, Origin stays zero.
type Origin struct {
	// Number is the number of sketches whose counters were added up, at most MostParts. It is 0 if
	// nothing was counted, or if each counter is the largest exact count of its cells.
	Number uint8
	// Halved is how often the first layer was halved by maxima after the counters were made. The value
	// mostHalved also stands for more halvings, and for halvings of other layers. Halved is 0 if Number
	// is 0.
	Halved uint8
	// Largest is the total of the largest sketch that was added, encoded by Scaled. It is 0 if Number is
	// 0.
	Largest uint8
}

const (
	// MostParts is the most parts that an Origin counts.
	MostParts  = 1<<6 - 1
	mostHalved = 1<<2 - 1
)

// Bytes returns the two bytes of p in a BLOB.
func (p Origin) Bytes() (number, largest byte) { return p.Halved<<6 | p.Number, p.Largest }

// PartsOf decodes two bytes; false if they are no Origin.
func PartsOf(number, largest byte) (p Origin, ok bool) {
	p = Origin{number & MostParts, number >> 6, largest}
	return p, (p.Number == 0) == (largest == 0) && (p.Number > 0 || p.Halved == 0)
}

// Fold returns p after layer x was halved.
func (p Origin) Fold(x int) Origin {
	switch {
	case p.Number == 0:
	case x > 0:
		p.Halved = mostHalved
	default:
		p.Halved = min(p.Halved+1, mostHalved)
	}
	return p
}

// OnePart returns the Origin of a sketch whose points, total in number, were counted one by one.
func OnePart(total uint64) Origin {
	if total == 0 {
		return Origin{}
	}
	return Origin{1, 0, Scaled(total)}
}

// More returns p after points were added one by one. total is the number of all points.
func (p Origin) More(total uint64) Origin {
	if p.Number <= 1 {
		return Origin{1, p.Halved, Scaled(total)}
	}
	return p
}

// With returns the Origin of the sum of two sketches: p with total points, and o with more points.
func (p Origin) With(total uint64, o Origin, more uint64) Origin {
	switch {
	case total == 0 && p.Number == 0:
		return o
	case more == 0 && o.Number == 0:
		return p
	}
	if p.Number == 0 {
		p = OnePart(total)
	}
	if o.Number == 0 {
		o = OnePart(more)
	}
	// The union has no halvings of its own: earlier ones count little beside the parts that are added
	// now.
	return Origin{min(MostParts, p.Number+o.Number), 0, max(p.Largest, o.Largest)}
}

// Together estimates the probability that two random points belong to the same part. The largest part is
// known; the others are assumed to be alike.
func (p Origin) Together(total uint64) float64 {
	if p.Number <= 1 || total == 0 {
		return 1
	}
	x := min(1, Unscaled(p.Largest)/float64(total))
	return x*x + (1-x)*(1-x)/float64(p.Number-1)
}

// Scaled returns the logarithm of n to the base of the fourth root of two, plus 1, rounded down: from 1 to
// 255. Between powers of two it is linear. n is above 0.
func Scaled(n uint64) uint8 {
	e := bits.Len64(n) - 1
	quarter := n << (63 - e) >> 61 & 3
	return uint8(min(255, 1+4*e+int(quarter)))
}

// Unscaled returns the least number that Scaled encodes as s.
func Unscaled(s uint8) float64 {
	if s == 0 {
		return 0
	}
	e, quarter := (s-1)/4, (s-1)%4
	return math.Ldexp(1+float64(quarter)/4, int(e))
}
