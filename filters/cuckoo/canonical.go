package cuckoo

import "math/bits"

// arrange gives every bucket its only form, so that it does not depend on the order in which
// fingerprints came.
func (t *table) arrange() {
	for i := range t.buckets {
		if t.words {
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

// arrangeWord is canonical for a bucket that is a word.
func (t *table) arrangeWord(x uint64) (y uint64) {
	var room [MaxSlots]uint64
	slots := room[:t.b]
	for j := range slots {
		slots[j] = x >> (uint(j) * t.f & 63) & t.base
	}
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
	if t.words {
		x := t.word(i) & t.mask
		return t.count(i), t.arrangeWord(x) == x
	}
	x := t.load(i)
	p := t.decode(&x)
	t.canonical(&p)
	return p.n, t.encode(&p) == x
}
