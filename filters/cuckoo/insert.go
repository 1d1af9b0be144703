package cuckoo

import (
	"encoding/binary"
	"math/bits"
)

// place puts a fingerprint into the emptier one of its buckets, the first where they are
// alike, which leaves more buckets with room, and with longer fingerprints, than the first
// that has room. It reports false where both are full.
func (t *table) place(i, j uint64, q fingerprint) bool {
	n, m := t.count(i), t.count(j)
	_, less := bits.Sub64(uint64(m), uint64(n), 0)
	i ^= (i ^ j) & -less // which one it is cannot be predicted: no branch
	if min(n, m) == int(t.b) {
		return false
	}
	t.insert(i, q)
	return true
}

// insert puts a fingerprint into bucket i, which is not full.
func (t *table) insert(i uint64, q fingerprint) {
	if t.narrow && t.variable {
		x := t.word(i) & t.mask
		t.setWord(i, t.enter(x, &t.class[x>>t.codeShift&15], q.v, uint(q.known)))
		return
	}
	p := t.read(i)
	p.add(q)
	t.write(i, &p)
}

// emptier are the empty slots of the emptier one of two narrow buckets of one length, and
// where that begins. Fingerprints are below the empty slots, so that anyZero marks these
// and is larger where there are more. Which one is emptier nobody foresees: no branch.
func (l *layout) emptier(x, y, at, to uint64) (empty, begin uint64) {
	x, y = l.anyZero(x), l.anyZero(y)
	_, more := bits.Sub64(x, y, 0)
	return x ^ (x^y)&-more, at ^ (at^to)&-more
}

// enterLowest puts a fingerprint into the lowest empty slot of a narrow bucket of one
// length, which begins at a bit.
func (t *table) enterLowest(at, empty, fp uint64) {
	b := t.mem[at>>3 : at>>3+8 : at>>3+8]
	shift := uint(bits.TrailingZeros64(empty)) - (t.f - 1) + uint(at&7)
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)|fp<<(shift&63))
}

// known is the fingerprint of a new key, of which it has all bits.
func (t *table) known(fp uint64) fingerprint {
	if t.variable {
		return fingerprint{fp, hashBits}
	}
	return fingerprint{fp, uint8(t.f)}
}

// enter adds a fingerprint of which so many low bits are known to a word of
// class c, which is not full.
func (t *table) enter(x uint64, c *class, fp uint64, known uint) uint64 {
	n := uint(c.n)
	if n < t.b-1 {
		return t.push(x, c, fp, known)
	}
	var all [MaxSlots]uint64
	bases := all[:t.b]
	t.basesOf(x, c, bases)
	bases[n] = fp & t.base
	return t.fill(bases)
}

// push adds a fingerprint to a word of class c that it does not fill. It, and
// those in the word, may know fewer bits than there is room for.
func (t *table) push(x uint64, c *class, fp uint64, known uint) uint64 {
	n := uint(c.n) & 7
	code := t.code[(n+1)&7]
	d := &t.class[code&15]
	r := code<<t.codeShift | x&(1<<(n*t.lane)-1) | (fp&t.laneMask)<<(n*t.lane)
	marked := c.flag && x>>c.flagAt&1 == 1
	if !marked && known == hashBits { // they know all that there is room for
		for j := range (t.b - 1) & 7 { // masks from n on are 0: how full a bucket is cannot be predicted
			r |= x >> (c.start[j] & 63) & c.mask[j] & d.mask[j] << (d.start[j] & 63)
		}
		return r | fp>>t.lane&d.mask[n]<<(d.start[n]&63)
	}
	var fields [MaxSlots]uint64
	var widths [MaxSlots]uint // known bits of a field
	for j := range n {
		fields[j] = x >> c.start[j] & c.mask[j]
		widths[j] = uint(c.width[j])
		if marked {
			widths[j] = sentinel(fields[j])
		}
	}
	fields[n], widths[n] = fp>>t.lane, known-t.lane
	short := false
	for j := range n + 1 {
		short = short || widths[j] < uint(d.width[j])
	}
	if short {
		r |= 1 << d.flagAt
	}
	for j := range n + 1 {
		w := uint(d.width[j])
		field := fields[j]
		if short && w > 1 {
			k := min(widths[j], w-1)
			field = field&(1<<k-1) | 1<<k
		}
		r |= field & d.mask[j] << d.start[j]
	}
	return r
}
