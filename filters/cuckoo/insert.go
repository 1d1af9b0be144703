package cuckoo

import (
	"encoding/binary"
	"math/bits"
)

// place puts a key's fingerprint into the emptier one of its buckets, the
// first where they are alike, which leaves more buckets with room, and with
// longer fingerprints, than the first that has room. It reports false where
// both are full.
func (t *table) place(i, j, fp uint64) bool {
	switch {
	case !t.narrow:
		return t.placeWide(i, j, fingerprint{fp, t.knownBits()}.tidy())
	case t.variable:
		return t.placeVariable(i, j, fp)
	}
	w := uint64(t.bits)
	at, to := i*w, j*w
	x, y := t.fetchTwo(t.mem, at, to)
	empty, at := t.emptier(x, y, at, to)
	if empty == 0 {
		return false
	}
	t.enterLowest(at, empty, fp)
	return true
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

// knownBits is the length of a new key's fingerprint.
func (t *table) knownBits() uint8 {
	if t.variable {
		return hashBits
	}
	return uint8(t.f)
}

// tidy has no bits but the known ones.
func (p fingerprint) tidy() fingerprint { return fingerprint{p.v & (1<<p.known - 1), p.known} }

func (t *table) placeVariable(i, j, fp uint64) bool {
	x, y := t.word(i)&t.mask, t.word(j)&t.mask
	shift := t.codeShift & 63
	_, more := bits.Sub64(uint64(t.steps.n[y>>shift&15]), uint64(t.steps.n[x>>shift&15]), 0)
	x ^= (x ^ y) & -more
	i ^= (i ^ j) & -more
	code := x >> shift & 15
	if u := &t.steps.up[code]; u.ok && x&t.steps.flag[code] == 0 {
		t.setWord(i, u.add(x, fp, t.lane, t.laneMask))
		return true
	}
	c := &t.class[code]
	if uint(c.n) == t.b {
		return false
	}
	t.setWord(i, t.enter(x, c, fp, hashBits))
	return true
}

// enter adds a fingerprint of which so many low bits are known to a word of
// class c, which is not full.
func (t *table) enter(x uint64, c *class, fp uint64, known uint) uint64 {
	n := uint(c.n)
	switch {
	case n == t.b-1 && n == 3:
		return t.fill4(x, c, fp)
	case n == t.b-1:
		var all [MaxSlots]uint64
		bases := all[:t.b]
		t.basesOf(x, c, bases)
		bases[n] = fp & t.base
		return t.fill(bases)
	}
	if u := &t.steps.up[x>>t.codeShift&15]; u.ok && u.flag != 0 {
		return u.addMarked(x, fp, t.lane, t.laneMask, c.flag && x>>c.flagAt&1 == 1, known-t.lane)
	}
	return t.push(x, c, fp, known)
}

// push adds a fingerprint to a word of class c that it does not fill. It, and
// those in the word, may know fewer bits than there is room for.
func (t *table) push(x uint64, c *class, fp uint64, known uint) uint64 {
	n := uint(c.n) & 7
	code := t.code[(n+1)&7]
	d := &t.class[code&15]
	var fields [MaxSlots]uint64
	var widths [MaxSlots]uint // known bits of a field
	marked := c.flag && x>>c.flagAt&1 == 1
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
	r := code<<t.codeShift | x&(1<<(n*t.lane)-1) | (fp&t.laneMask)<<(n*t.lane)
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

// fill4 makes a word of three fingerprints a full one.
func (t *table) fill4(x uint64, c *class, fp uint64) uint64 {
	lane, m := t.lane&63, t.laneMask
	return t.fullWord(
		x&m|x>>(c.start[0]&63)&1<<lane,
		x>>lane&m|x>>(c.start[1]&63)&1<<lane,
		x>>(2*lane&63)&m|x>>(c.start[2]&63)&1<<lane,
		fp&t.base)
}

// fullWord is the full word of four bases.
func (t *table) fullWord(a, b, c, d uint64) uint64 {
	a, b = min(a, b), max(a, b)
	c, d = min(c, d), max(c, d)
	a, c = min(a, c), max(a, c)
	b, d = min(b, d), max(b, d)
	b, c = min(b, c), max(b, c)
	lane, m := t.lane&63, t.laneMask
	return a&m | b&m<<lane | c&m<<(2*lane&63) | d&m<<(3*lane&63) |
		(d>>lane|a>>lane<<1|b>>lane<<2|c>>lane<<3)<<(4*lane&63)
}

// placeWide is place for any bucket and a fingerprint of any length.
func (t *table) placeWide(i, j uint64, q fingerprint) bool {
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
	if t.narrow && t.variable {
		x := t.word(i) & t.mask
		t.setWord(i, t.enter(x, &t.class[x>>t.codeShift&15], q.v, uint(q.known)))
		return
	}
	p := t.read(i)
	p.add(q)
	t.write(i, &p)
}
