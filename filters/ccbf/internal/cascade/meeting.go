package cascade

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

// Meeting is the largest reading that has nothing of layers in which positions of
// one key may meet: 0 where they may in the first, 2^64-1 where in none.
func (s *Shape) Meeting() uint64 {
	for x := range s.Layers {
		// i positions apart are i*h2 apart, a multiple of the size for an odd h2
		// only where the size has no more factors 2 than i, which is below k.
		if m := s.Size[x]; m&-m < uint64(s.K) {
			return 1<<s.ShiftOf(x) - 1
		}
	}
	return ^uint64(0)
}

// share is what positions that meet have together.
type share struct {
	at     uint64 // their counter
	n      uint64 // how many there are; 0 where they do not go on
	hi, lo uint64 // the sum of the values below, a number of 128 bits
}

// Apart is what a key with the least reading has at most, where counters are sums.
// O(k * layers).
func (d *Counters) Apart(h1, h2, least uint64) uint64 {
	if !d.meets(h2) {
		return least
	}
	var all [MaxK]share
	l, shares, shift := &d.Layers[0], all[:d.Shape.K], uint(0)
	j, step := l.mod(h1), l.mod(h2)
	for i := range shares {
		j = next(j, step, l.Size)
		shares[i] = share{at: j, n: 1}
	}
	for x := range d.Shape.Layers {
		l = &d.Layers[x]
		shares = l.join(shares)
		for i := range shares {
			s := &shares[i]
			if s.n == 0 {
				continue
			}
			if v, known := d.digits(x, s.at); known && s.n > 1 {
				// v counts to 2^63 with what is below, as do all counters: no
				// quotient passes 64 bits.
				lo, carry := bits.Add64(s.lo, v<<shift, 0)
				part, _ := bits.Div64(s.hi+carry, lo, s.n)
				least = min(least, part)
			}
			c := l.Load(s.at)
			if c&l.Flag == 0 {
				s.n = 0
				continue
			}
			var carry uint64 // the others go on in the layer above
			s.lo, carry = bits.Add64(s.lo, c&l.Mask<<shift, 0)
			s.hi += carry
		}
		shift += l.Width - 1
	}
	return least
}

// meets reports whether two positions of a key with hash h2 are the same in the
// last layer, as they are there if anywhere.
func (d *Counters) meets(h2 uint64) bool {
	l := &d.Layers[d.Shape.Layers-1]
	j, step := uint64(0), l.mod(h2)
	for range d.Shape.K - 1 {
		if j = next(j, step, l.Size); j == 0 {
			return true
		}
	}
	return false
}

// join adds up the shares that meet in this layer. Their positions are those of the
// layer below, all different there, or of this one where it is the first; each is
// h2 after the one before, so that from the first that meets the first on all meet
// those before them, in order.
func (l *Layer) join(shares []share) []share {
	period := len(shares)
	for i := range shares {
		s := &shares[i]
		s.at = l.mod(s.at)
		if i > 0 && s.at == shares[0].at {
			period = min(period, i)
		}
		if i < period {
			continue
		}
		o := &shares[i%period]
		if s.n == 0 {
			continue
		}
		if o.n == 0 { // what does not go on is no part of what is above
			*o = *s
			continue
		}
		var carry uint64
		o.lo, carry = bits.Add64(o.lo, s.lo, 0)
		o.hi += s.hi + carry
		o.n += s.n
	}
	return shares[:period]
}
