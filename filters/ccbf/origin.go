package ccbf

import (
	"math"
	"math/bits"
)

// parts is how the counters of a dense sketch of mode mi came about, which they do
// not show themselves and which decides how far cells with points are off: made of
// exact counts, filled by points one by one, or added up of several such sketches.
// Adding parts up does not depend on the order. In mode standard, whose counters
// are sums anyway, it stays zero.
type parts struct {
	// number is how many sketches were added up, at most mostParts. 0: the counters
	// are the maxima of exact counts, or nothing was counted.
	number uint8
	// halved is how many times the first layer was halved after that, by maxima;
	// mostHalved stands for more, and for other layers. 0 where number is.
	halved uint8
	// largest is the total of the largest of them, as scaled writes it; 0 where
	// number is.
	largest uint8
}

const (
	mostParts  = 1<<6 - 1
	mostHalved = 1<<2 - 1
)

// bytes are the two bytes that are p in a BLOB.
func (p parts) bytes() (number, largest byte) { return p.halved<<6 | p.number, p.largest }

// partsOf is p of its bytes, and whether there is such a p.
func partsOf(number, largest byte) (p parts, ok bool) {
	p = parts{number & mostParts, number >> 6, largest}
	return p, (p.number == 0) == (largest == 0) && (p.number > 0 || p.halved == 0)
}

// fold is p after layer x was halved.
func (p parts) fold(x int) parts {
	switch {
	case p.number == 0:
	case x > 0:
		p.halved = mostHalved
	default:
		p.halved = min(p.halved+1, mostHalved)
	}
	return p
}

// onePart is a sketch of so many points that were counted one by one.
func onePart(total uint64) parts {
	if total == 0 {
		return parts{}
	}
	return parts{1, 0, scaled(total)}
}

// more is p after points came one by one; total is that of all.
func (p parts) more(total uint64) parts {
	if p.number <= 1 {
		return parts{1, p.halved, scaled(total)}
	}
	return p
}

// with is p, of so many points, added to o.
func (p parts) with(total uint64, o parts, more uint64) parts {
	switch {
	case total == 0 && p.number == 0:
		return o
	case more == 0 && o.number == 0:
		return p
	}
	for _, x := range []struct {
		p     *parts
		total uint64
	}{{&p, total}, {&o, more}} {
		if x.p.number == 0 {
			*x.p = onePart(x.total)
		}
	}
	// What was halved before counts little beside what is added up now.
	return parts{min(mostParts, p.number+o.number), 0, max(p.largest, o.largest)}
}

// together is about the chance that two points drawn at random came in the same
// part: the largest one is known, the others are taken for alike.
func (p parts) together(total uint64) float64 {
	if p.number <= 1 || total == 0 {
		return 1
	}
	x := min(1, unscaled(p.largest)/float64(total))
	return x*x + (1-x)*(1-x)/float64(p.number-1)
}

// scaled is the logarithm of n to the base of the fourth root of two, straight
// between powers of two and rounded down, from 1 to 255; n is above 0.
func scaled(n uint64) uint8 {
	e := bits.Len64(n) - 1
	quarter := n << (63 - e) >> 61 & 3
	return uint8(min(255, 1+4*e+int(quarter)))
}

func unscaled(s uint8) float64 {
	if s == 0 {
		return 0
	}
	e, quarter := (s-1)/4, (s-1)%4
	return math.Ldexp(1+float64(quarter)/4, int(e))
}
