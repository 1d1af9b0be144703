package ccbf

import "math/bits"

// Positions of one key meet where two of them are the same counter, in the first
// layer or in one that counters below continue in. They are h2, an odd number,
// apart, so that in a layer of a power of two or a large multiple of one they
// never do; in layers of odd and of tiny sizes they may.
//
// Minimal increment raises every counter to a number, so once however often it is
// met. In mode standard a counter is a sum, of which a key that meets it twice has
// twice its count: so it stays, for sums can be added, taken out and folded
// without a look at keys. It is the reading that takes the share of a position:
// of n positions that end in the same counter each has added the count at least,
// so the key has the n-th part of what they hold together at most.

// meeting is the largest reading that has nothing of layers in which positions of
// one key may meet: 0 where they may in the first, 2^64-1 where in none.
func (s *shape) meeting() uint64 {
	for x := range s.layers {
		// i positions apart are i*h2 apart, a multiple of the size for an odd h2
		// only where the size has no more factors 2 than i, which is below k.
		if m := s.size[x]; m&-m < uint64(s.k) {
			return 1<<s.shiftOf(x) - 1
		}
	}
	return ^uint64(0)
}

// share is what positions that meet have together.
type share struct {
	at     uint64 // their counter
	n      uint64 // how many there are
	hi, lo uint64 // the sum of the values below, a number of 128 bits
}

// apart is what a key with the least reading has at most, where counters are sums.
// O(k^2 * layers), where positions meet.
func (d *dense) apart(h1, h2, least uint64) uint64 {
	if !d.meets(h2) {
		return least
	}
	var all [MaxK]share
	l, shares, shift := &d.layers[0], all[:d.shape.k], uint(0)
	j, step := l.mod(h1), l.mod(h2)
	for i := range shares {
		j = next(j, step, l.size)
		shares[i] = share{at: j, n: 1}
	}
	for x := range d.shape.layers {
		l = &d.layers[x]
		shares = l.join(shares)
		up := 0
		for _, s := range shares {
			if v, known := d.digits(x, s.at); known && s.n > 1 {
				// v counts to 2^63 with what is below, as do all counters: no
				// quotient passes 64 bits.
				lo, carry := bits.Add64(s.lo, v<<shift, 0)
				part, _ := bits.Div64(s.hi+carry, lo, s.n)
				least = min(least, part)
			}
			if c := l.load(s.at); c&l.flag != 0 { // they go on in the layer above
				var carry uint64
				s.lo, carry = bits.Add64(s.lo, c&l.mask<<shift, 0)
				s.hi += carry
				shares[up] = s
				up++
			}
		}
		shares = shares[:up]
		shift += l.width - 1
	}
	return least
}

// meets reports whether two positions of a key with hash h2 are the same in the
// last layer, as they are there if anywhere.
func (d *dense) meets(h2 uint64) bool {
	l := &d.layers[d.shape.layers-1]
	j, step := uint64(0), l.mod(h2)
	for range d.shape.k - 1 {
		if j = next(j, step, l.size); j == 0 {
			return true
		}
	}
	return false
}

// join adds up the shares that meet in this layer, the positions being those of
// the layer below, or of this one where it is the first.
func (l *layer) join(shares []share) []share {
	n := 0
	for _, s := range shares {
		s.at = l.mod(s.at)
		i := 0
		for i < n && shares[i].at != s.at {
			i++
		}
		if i == n {
			shares[n] = s
			n++
			continue
		}
		o := &shares[i]
		var carry uint64
		o.lo, carry = bits.Add64(o.lo, s.lo, 0)
		o.hi += s.hi + carry
		o.n += s.n
	}
	return shares[:n]
}
