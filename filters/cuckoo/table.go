package cuckoo

import "math/bits"

// newTable returns the table of a filter with these parameters, whose buckets are in mem.
func newTable(p Params, buckets uint64, mem []byte) table {
	return table{layoutOf(uint(p.FingerprintBits), uint(p.Slots), p.VariableLength), p, p.Variant == Tagged, buckets, mem}
}

// clear makes every bucket of zeroed memory an empty one.
func (t *table) clear() {
	if !t.variable {
		return
	}
	for i := range t.buckets {
		t.put(i*uint64(t.bits)+uint64(t.codeShift), t.bits-t.codeShift, t.code[0])
	}
}

// Positions are part of the format and never change.

// first returns a key's first bucket: the high half of a product (Lemire 2019, "Fast Random Integer
// Generation in an Interval").
func (t *table) first(h1 uint64) uint64 {
	i, _ := bits.Mul64(h1, t.buckets)
	return i
}

// fingerprintOf returns the fingerprint of a key. Its low f bits, the base, choose its other bucket.
// With a fixed length there is no fingerprint 0, which is an empty slot.
func (t *table) fingerprintOf(h2 uint64) uint64 {
	if t.variable {
		return h2 >> 1
	}
	v, _ := bits.Mul64(h2&^1, t.base)
	return v + 1
}

// other returns the other bucket of a fingerprint in bucket i. It is never i, and other(other(i)) is i.
// The low bits of v are the fingerprint's base. Tagged: the two indexes have an odd sum modulo an even
// number of buckets. Plain: the two differ by an exclusive or with a number that is not 0.
func (t *table) other(i, v uint64) uint64 {
	x := mix(v & t.base)
	if t.tagged {
		d, _ := bits.Mul64(x, t.buckets/2)
		d += d + 1 - i // 2d + 1 - i, modulo 2^64
		return d + t.buckets&uint64(int64(d)>>63)
	}
	d, _ := bits.Mul64(x, t.buckets-1)
	return i ^ (d + 1)
}

// mix returns the hash of a base, uniform in its high bits.
func mix(base uint64) uint64 {
	x := (base + 1) * 0x9e3779b97f4a7c15
	return (x ^ x>>32) * 0xd6e8feb86659fd93
}

// lanes returns a word that has the low bits of fp in every lane.
func (t *table) lanes(fp uint64) uint64 { return (fp & t.laneMask) * t.ones }

// anyZero returns a bit for the lowest lane of x that is 0, and perhaps for others above it. It returns
// 0 if no lane is 0.
func (l *layout) anyZero(x uint64) uint64 { return (x - l.ones) &^ x & l.highs }

// zeros returns the highest bit of every lane of x that is 0.
func (t *table) zeros(x uint64) uint64 {
	rest := ^t.highs
	return ^((x&rest + rest) | x) & t.highs
}

// found reports whether a fingerprint in bucket i or j matches fp, a key's longest fingerprint.
func (t *table) found(i, j, fp uint64) bool {
	if !t.narrow {
		return t.copies(i, j, fp) > 0
	}
	x, y := t.word(i), t.word(j)
	pattern := t.lanes(fp)
	zx, zy := t.anyZero(x^pattern), t.anyZero(y^pattern)
	if !t.variable {
		return zx|zy != 0
	}
	// Few absent keys match the low bits of a fingerprint, so this branch is predictable.
	if zx|zy == 0 {
		return false
	}
	return t.confirm(x, zx, fp) || t.confirm(y, zy, fp)
}

// confirm compares fp with the fingerprints of bucket word x whose low bits match: zeros marks their
// lanes. It reports whether the other bits of one match too.
func (t *table) confirm(x, zeros, fp uint64) bool {
	if zeros == 0 {
		return false
	}
	c := &t.class[x&t.mask>>t.codeShift&15]
	short := c.flag && x>>c.flagAt&1 == 1
	for ; zeros != 0; zeros &= zeros - 1 {
		j := t.laneOf[bits.TrailingZeros64(zeros)&63] & 7
		if (x>>(j*uint8(t.lane))^fp)&t.laneMask != 0 || j >= c.n {
			continue
		}
		field, mask := x>>c.start[j], c.mask[j]
		if short {
			mask = 1<<sentinel(field&mask) - 1
		}
		if (field^fp>>t.lane)&mask == 0 {
			return true
		}
	}
	return false
}

// lacks reports whether the low bits of the fingerprints in bucket i say that none matches v. It is false for
// wide buckets.
func (t *table) lacks(i, v uint64) bool {
	return t.narrow && t.anyZero(t.word(i)^t.lanes(v)) == 0
}

// matches returns how many fingerprints in bucket i match fp, a key's longest fingerprint.
func (t *table) matches(i, fp uint64) (n int) {
	if t.narrow && !t.variable {
		return bits.OnesCount64(t.zeros(t.word(i) ^ t.lanes(fp)))
	}
	if t.lacks(i, fp) {
		return 0
	}
	p := t.read(i)
	for _, q := range p.slice() {
		if q.matches(fp) {
			n++
		}
	}
	return n
}

// copies returns how many fingerprints in buckets i and j match fp.
func (t *table) copies(i, j, fp uint64) int { return t.matches(i, fp) + t.matches(j, fp) }
