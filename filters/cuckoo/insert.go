package cuckoo

import (
	"encoding/binary"
	"math/bits"
)

// enter adds one occurrence of each key, given by its buckets and fingerprint. It stops at the first
// key whose buckets are both full. It returns the index of that key, and the number of fingerprints
// stored. A key goes into the emptier of its buckets, or the first if they are equally full. That
// leaves more buckets with room, and longer fingerprints, than the first bucket with room would.
func (t *table) enter(is, js, fps []uint64) (next int, added uint64) {
	switch {
	case !t.narrow:
		return t.enterAny(is, js, fps)
	case t.variable:
		return t.enterVariable(is, js, fps)
	}
	l, mem, w, ones, multiset := t.layout, t.mem, uint64(t.bits), t.ones, t.params.Duplicates
	is, js = is[:len(fps)], js[:len(fps)]
	for k, fp := range fps {
		at, to := is[k]*w, js[k]*w
		x, y := l.fetchTwo(mem, at, to)
		if pattern := fp * ones; !multiset && l.anyZero(x^pattern)|l.anyZero(y^pattern) != 0 {
			continue
		}
		// In each word, all empty slots are above the fingerprints. So anyZero marks exactly the empty
		// slots, and its result is larger for the bucket with more of them. Masks select that bucket,
		// because a branch could not be predicted.
		x, y = l.anyZero(x), l.anyZero(y)
		_, more := bits.Sub64(x, y, 0)
		x ^= (x ^ y) & -more
		at ^= (at ^ to) & -more
		if x == 0 {
			return k, added
		}
		word := mem[at>>3 : at>>3+8 : at>>3+8]
		shift := uint(bits.TrailingZeros64(x)) - (l.f - 1) + uint(at&7)
		binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|fp<<(shift&63))
		added++
	}
	return len(fps), added
}

// enterVariable is enter for narrow buckets of variable length.
func (t *table) enterVariable(is, js, fps []uint64) (next int, added uint64) {
	ones, highs, laneMask := t.ones, t.highs, t.laneMask
	mask, codeShift, multiset, classes := t.mask, t.codeShift&63, t.params.Duplicates, &t.class
	is, js = is[:len(fps)], js[:len(fps)]
	for k, fp := range fps {
		i, j := is[k], js[k]
		x, y := t.word(i), t.word(j)
		if !multiset {
			pattern := fp & laneMask * ones
			p, q := x^pattern, y^pattern
			p, q = (p-ones)&^p&highs, (q-ones)&^q&highs
			if p|q != 0 && (t.confirm(x, p, fp) || t.confirm(y, q, fp)) {
				continue
			}
		}
		x, y = x&mask, y&mask
		_, more := bits.Sub64(uint64(classes[y>>codeShift&15].n), uint64(classes[x>>codeShift&15].n), 0)
		x ^= (x ^ y) & -more
		i ^= (i ^ j) & -more
		if uint(classes[x>>codeShift&15].n) == t.b {
			return k, added
		}
		t.insert(i, fingerprint{fp, hashBits})
		added++
	}
	return len(fps), added
}

// enterAny is enter for any buckets.
func (t *table) enterAny(is, js, fps []uint64) (next int, added uint64) {
	for k, fp := range fps {
		if !t.params.Duplicates && t.found(is[k], js[k], fp) {
			continue
		}
		if !t.place(is[k], js[k], fingerprint{fp, t.knownBits()}) {
			return k, added
		}
		added++
	}
	return len(fps), added
}

// knownBits returns the length of a new key's fingerprint.
func (t *table) knownBits() uint8 {
	if t.variable {
		return hashBits
	}
	return uint8(t.f)
}

// place puts the fingerprint q, of any length, into the emptier one of its buckets i and j. It reports false if both are
// full.
func (t *table) place(i, j uint64, q fingerprint) bool {
	n := t.count(i)
	if m := t.count(j); m < n {
		i, n = j, m
	}
	if n == int(t.b) {
		return false
	}
	t.insert(i, q)
	return true
}

// insert puts a fingerprint of any length into bucket i, which is not full.
func (t *table) insert(i uint64, q fingerprint) {
	switch {
	case t.narrow && !t.variable:
		x := t.word(i) & t.mask
		t.setWord(i, x|q.v<<((uint(bits.TrailingZeros64(t.anyZero(x)))-(t.f-1))&63))
		return
	case t.narrow:
		x := t.word(i) & t.mask
		c := &t.class[x>>t.codeShift&15]
		switch {
		case uint(c.n) < t.b-1 && q.known == hashBits && !(c.flag && x>>c.flagAt&1 == 1):
			t.setWord(i, t.oneMore(x, c, q.v))
			return
		case uint(c.n) == t.b-1:
			var all [MaxSlots]uint64
			bases := all[:t.b]
			t.basesOf(x, c, bases)
			bases[c.n] = q.v & t.base
			t.setWord(i, t.fill(bases))
			return
		}
	}
	p := t.read(i)
	p.add(q)
	t.write(i, &p)
}

// oneMore returns the narrow bucket of word x with the fingerprint fp added. The bucket has class c and no
// sentinels, and does not become full. The loop has as many rounds for any class, because the number of
// fingerprints cannot be predicted. In the rounds beyond it the masks of c are 0.
func (t *table) oneMore(x uint64, c *class, fp uint64) uint64 {
	n := c.n & 7
	code := t.code[n+1&7]
	d := &t.class[code&15]
	low := uint(n) * t.lane & 63
	y := code<<(t.codeShift&63) | x&(1<<low-1) | fp&t.laneMask<<low | fp>>(t.lane&63)&d.mask[n]<<(d.start[n]&63)
	for j := range t.b - 2 {
		y |= x >> (c.start[j&7] & 63) & c.mask[j&7] & d.mask[j&7] << (d.start[j&7] & 63)
	}
	return y
}

// basesOf writes to bases the low f bits of each fingerprint of a narrow bucket with word x. The class c of
// the bucket is not used if the length is fixed.
func (t *table) basesOf(x uint64, c *class, bases []uint64) {
	for k := range bases {
		v := x >> (uint(k) * t.lane & 63) & t.laneMask
		if t.variable {
			v |= x >> c.start[k&7] & 1 << t.lane
		}
		bases[k] = v
	}
}

// fill returns the word of a full narrow bucket of variable length with these bases. It sorts them in
// ascending order, so that the marker bits ascend, which is the code of a full bucket.
func (t *table) fill(bases []uint64) (x uint64) {
	for k, v := range bases {
		n := rank(bases, k)
		x |= v&t.laneMask<<(n*t.lane&63) | v>>t.lane<<t.class[0].start[n&7]
	}
	return x
}
