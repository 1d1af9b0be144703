package cbf

import "math"

// The rates below hold for keys that were never added, after additions of n keys, each once. The number
// of occurrences at a counter is Poisson distributed with the mean x = k*n/counters. One hash function
// rules the key out with the probability 1-pass(x). k of them, in as many words, let it through with
// pass(x)^k.

// pass returns the probability that one counter does not rule out an absent key. x is the mean number of
// occurrences that come to a counter.
//
// Plain: 1 - e^-x, Fan et al. 2000, section V.
//
// Increment: let the key's increment be v = L+v'. One occurrence has the same increment with a
// probability of 1/L. Two occurrences add L+u and L+u'. Their sum is v+L or more unless u+u' < v'. For
// s < L, the sum u+u' is s with a probability of (s+1)/L^2. So two fail with (v'(v'+1)/2)/L^2. The average over v' is (L^2-1)/(6L^2).
// Three are always enough, 3L >= v+L.
//
// Tandem: the same, but one occurrence beside an empty partner is signed, and equal to the key's with
// 1/(3L(L-1)).
func (s *shape) pass(x float64) float64 {
	none := math.Exp(-x)
	return s.passOf(none*x, none*none*x, none*x*x/2, none)
}

// passOf is pass for given probabilities of what is at the counter: one occurrence, one with an empty
// partner, two, and none.
func (s *shape) passOf(one, alone, two, none float64) float64 {
	if s.variant == Plain {
		return 1 - none
	}
	l := float64(s.inc)
	three := 1 - none - one - two
	signed := 0.0
	if s.variant == Tandem {
		one -= alone
		signed = alone / (3 * l * (l - 1))
	}
	return signed + one/l + two*(1-(l*l-1)/(6*l*l)) + three
}

// rate returns the false positive rate with n keys, without halves.
func (s *shape) rate(n float64) float64 {
	return math.Pow(s.pass(float64(s.k)*n/float64(s.counters())), float64(s.k))
}

// size sets k, unless it is set, and returns the fewest counters with which a full filter has the rate
// fpp.
func (s *shape) size(fpp float64) float64 {
	best := math.Inf(1)
	from, to := uint64(1), uint64(MaxK)
	if s.k != 0 {
		from, to = s.k, s.k
	}
	for k := from; k <= to; k++ {
		// x is the mean number of occurrences that come to a counter. The probability that a counter
		// passes grows with x, so bisection finds the x for which it is want.
		lo, hi := 0.0, 64.0
		want := math.Pow(fpp, 1/float64(k))
		for range 60 {
			x := (lo + hi) / 2
			if s.pass(x) <= want {
				lo = x
			} else {
				hi = x
			}
		}
		if m := float64(k) * float64(s.capacity) / lo; m < best {
			best, s.k = m, k
		}
	}
	return best
}

// bestK returns the number of hash functions with the lowest rate of a full filter.
func (s shape) bestK() uint64 {
	best, least := uint64(1), math.Inf(1)
	for s.k = 1; s.k <= MaxK; s.k++ {
		if r := s.rate(float64(s.capacity)); r < least {
			best, least = s.k, r
		}
	}
	return best
}
