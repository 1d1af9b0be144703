package cascade

import (
	"math"
	"math/bits"
)

// Origin is how the counters of a dense sketch of mode mi came about, which they do
// not show themselves and which decides how far cells with points are off: made of
// exact counts, filled by points one by one, or added up of several such sketches.
// Adding parts up does not depend on the order. In mode standard, whose counters
// are sums anyway, it stays zero.
type Origin struct {
	// Number is how many sketches were added up, at most mostParts. 0: the counters
	// are the maxima of exact counts, or nothing was counted.
	Number uint8
	// Halved is how many times the first layer was halved after that, by maxima;
	// mostHalved stands for more, and for other layers. 0 where number is.
	Halved uint8
	// Largest is the total of the largest of them, as scaled writes it; 0 where
	// number is.
	Largest uint8
}

const (
	// MostParts is the most parts that an Origin counts.
	MostParts  = 1<<6 - 1
	mostHalved = 1<<2 - 1
)

// Bytes are the two bytes that are p in a BLOB.
func (p Origin) Bytes() (number, largest byte) { return p.Halved<<6 | p.Number, p.Largest }

// PartsOf is p of its bytes, and whether there is such a p.
func PartsOf(number, largest byte) (p Origin, ok bool) {
	p = Origin{number & MostParts, number >> 6, largest}
	return p, (p.Number == 0) == (largest == 0) && (p.Number > 0 || p.Halved == 0)
}

// Fold is p after layer x was halved.
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

// OnePart is a sketch of so many points that were counted one by one.
func OnePart(total uint64) Origin {
	if total == 0 {
		return Origin{}
	}
	return Origin{1, 0, Scaled(total)}
}

// More is p after points came one by one; total is that of all.
func (p Origin) More(total uint64) Origin {
	if p.Number <= 1 {
		return Origin{1, p.Halved, Scaled(total)}
	}
	return p
}

// With is p, of so many points, added to o.
func (p Origin) With(total uint64, o Origin, more uint64) Origin {
	switch {
	case total == 0 && p.Number == 0:
		return o
	case more == 0 && o.Number == 0:
		return p
	}
	for _, x := range []struct {
		p     *Origin
		total uint64
	}{{&p, total}, {&o, more}} {
		if x.p.Number == 0 {
			*x.p = OnePart(x.total)
		}
	}
	// What was halved before counts little beside what is added up now.
	return Origin{min(MostParts, p.Number+o.Number), 0, max(p.Largest, o.Largest)}
}

// Together is about the chance that two points drawn at random came in the same
// part: the largest one is known, the others are taken for alike.
func (p Origin) Together(total uint64) float64 {
	if p.Number <= 1 || total == 0 {
		return 1
	}
	x := min(1, Unscaled(p.Largest)/float64(total))
	return x*x + (1-x)*(1-x)/float64(p.Number-1)
}

// Scaled is the logarithm of n to the base of the fourth root of two, straight
// between powers of two and rounded down, from 1 to 255; n is above 0.
func Scaled(n uint64) uint8 {
	e := bits.Len64(n) - 1
	quarter := n << (63 - e) >> 61 & 3
	return uint8(min(255, 1+4*e+int(quarter)))
}

// Unscaled is the number that scaled wrote, rounded down.
func Unscaled(s uint8) float64 {
	if s == 0 {
		return 0
	}
	e, quarter := (s-1)/4, (s-1)%4
	return math.Ldexp(1+float64(quarter)/4, int(e))
}
