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
	if !t.words {
		return t.enterAny(is, js, fps)
	}
	l, mem, w, ones, multiset := t.layout, t.mem, uint64(t.bits), t.ones, t.multiset
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

// enterAny is enter for any buckets.
func (t *table) enterAny(is, js, fps []uint64) (next int, added uint64) {
	for k, fp := range fps {
		if !t.multiset && t.found(is[k], js[k], fp) {
			continue
		}
		if !t.place(is[k], js[k], fingerprint{fp, t.knownBits()}.masked()) {
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

// masked returns the fingerprint with its unknown bits cleared.
func (p fingerprint) masked() fingerprint { return fingerprint{p.v & (1<<p.known - 1), p.known} }

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
	if t.words {
		x := t.word(i) & t.mask
		t.setWord(i, x|q.v<<((uint(bits.TrailingZeros64(t.anyZero(x)))-(t.f-1))&63))
		return
	}
	p := t.read(i)
	p.add(q)
	t.write(i, &p)
}
