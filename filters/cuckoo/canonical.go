package cuckoo

import "math/bits"

// arrange gives every bucket its only form, so that it does not depend on the order in which
// fingerprints came.
func (t *table) arrange() {
	for i := range t.buckets {
		if t.narrow && !t.variable {
			x := t.word(i) & t.mask
			if y := t.arrangeWord(x); y != x {
				t.setWord(i, y)
			}
			continue
		}
		p := t.read(i)
		t.canonical(&p)
		t.write(i, &p)
	}
}

// arrangeWord is canonical for a narrow bucket of fixed length.
func (t *table) arrangeWord(x uint64) (y uint64) {
	if f, m := t.f, t.base; t.b == 4 { // the default: a sorting network in registers, without a branch on the order
		a, b, c, d := x&m, x>>f&m, x>>(2*f)&m, x>>(3*f)
		a, b = max(a, b), min(a, b)
		c, d = max(c, d), min(c, d)
		a, c = max(a, c), min(a, c)
		b, d = max(b, d), min(b, d)
		b, c = max(b, c), min(b, c)
		return a | b<<f | c<<(2*f) | d<<(3*f)
	}
	var room [MaxSlots]uint64
	slots := room[:t.b]
	t.basesOf(x, nil, slots)
	for j, v := range slots {
		y |= v << ((t.b - 1 - rank(slots, j)) * t.f & 63)
	}
	return y
}

// rank returns how many of a few numbers precede number j in ascending order. It has no branch, because
// the order cannot be predicted.
func rank(all []uint64, j int) (n uint) {
	v := all[j]
	for k, w := range all {
		_, tie := bits.Sub64(uint64(k), uint64(j), 0) // equal values keep their order
		_, before := bits.Sub64(w, v, tie)
		n += uint(before)
	}
	return n
}

// isCanonical reports whether bucket i is in its only form, and returns its number of fingerprints.
func (t *table) isCanonical(i uint64) (n int, ok bool) {
	if t.narrow && !t.variable {
		x := t.word(i) & t.mask
		return t.count(i), t.arrangeWord(x) == x
	}
	var room [4*8 + 8]byte
	one := *t
	one.mem = room[:]
	p := t.read(i)
	one.canonical(&p)
	one.write(0, &p)
	at := i * uint64(t.bits)
	for k := uint(0); k < t.bits; k += 64 {
		if w := min(64, t.bits-k); t.get(at+uint64(k), w) != one.get(uint64(k), w) {
			return p.n, false
		}
	}
	return p.n, true
}
