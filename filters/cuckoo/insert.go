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
	return t.placeFixed(i, j, fp) == placed
}

// outcome is what became of a key.
type outcome uint8

const (
	full   outcome = iota // both its buckets are
	placed                // now
	there                 // already, in a set
)

// placeFixed is place in narrow buckets of one length, with found before it where the
// filter is a set: of both buckets at once, in one call for each key.
func (t *table) placeFixed(i, j, fp uint64) outcome {
	l, mem := t.layout, t.mem
	w, ones := uint64(l.bits), l.ones
	at, to := i*w, j*w
	x, y := fetch(mem, at), fetch(mem, to)
	if pattern := fp * ones; !t.multiset && (t.anyZero(x^pattern)|t.anyZero(y^pattern)) != 0 {
		return there
	}
	x, y = t.zeros(x), t.zeros(y) // empty slots
	// Which one is emptier nobody foresees: no branch.
	_, more := bits.Sub64(uint64(bits.OnesCount64(x)), uint64(bits.OnesCount64(y)), 0)
	x ^= (x ^ y) & -more
	at ^= (at ^ to) & -more
	if x == 0 {
		return full
	}
	b := mem[at>>3 : at>>3+8 : at>>3+8]
	shift := uint(bits.TrailingZeros64(x)) - (l.f - 1) + uint(at&7)
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)|fp<<(shift&63))
	return placed
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
	p := t.read(i)
	p.add(q)
	t.write(i, &p)
	return true
}

// saved is a bucket as it was.
type saved struct {
	i    uint64
	bits [4]uint64
}

// journal is what undoes a number of changes.
type journal []saved

// note remembers bucket i before a change.
func (t *table) note(u *journal, i uint64) {
	if t.narrow {
		*u = append(*u, saved{i: i, bits: [4]uint64{t.word(i) & t.mask}})
		return
	}
	s := saved{i: i}
	at := i * uint64(t.bits)
	for k := uint(0); k < t.bits; k += 64 {
		s.bits[k/64] = t.get(at+uint64(k), min(64, t.bits-k))
	}
	*u = append(*u, s)
}

// undo puts all buckets back and forgets them.
func (t *table) undo(u *journal) {
	for n := len(*u) - 1; n >= 0; n-- {
		s := (*u)[n]
		at := s.i * uint64(t.bits)
		for k := uint(0); k < t.bits; k += 64 {
			t.put(at+uint64(k), min(64, t.bits-k), s.bits[k/64])
		}
	}
	*u = (*u)[:0]
}

// kick puts a fingerprint into one of two full buckets and moves one of those
// there to its other bucket: the one whose other bucket is the emptiest. Where
// all of those are full, it is any, and so on from there. Which ones move
// follows from the fingerprint and what the buckets hold, in whatever order. It
// reports false where MaxKicks moves were not enough; the changes are then to
// be undone. Fan et al. 2014, algorithm 1, moves any in each step.
func (t *table) kick(u *journal, i, j, fp uint64) bool {
	cur := fp & t.base
	salt := (cur + i + j + 1) * 0x9e3779b97f4a7c15 // the same for i, j and j, i
	if i, j = min(i, j), max(i, j); salt>>63 != 0 {
		i = j
	}
	for range MaxKicks {
		var all [MaxSlots]uint64
		bases := all[:t.b]
		t.readFull(i, bases)
		at, to, least := 0, uint64(0), ^uint64(0)
		for k, v := range bases {
			next := t.other(i, v)
			if d := uint64(t.count(next))<<t.f | (v^salt>>32)&t.base; d < least {
				at, to, least = k, next, d
			}
		}
		out := bases[at]
		bases[at] = cur
		t.note(u, i)
		t.writeFull(i, bases)
		if least>>t.f < uint64(t.b) {
			t.note(u, to)
			t.enterBase(to, out)
			return true
		}
		i, cur = to, out
		salt = salt*0xff51afd7ed558ccd + 0x2545f4914f6cdd1d
	}
	return false
}

// enterBase adds a fingerprint of f bits to a bucket that is not full.
func (t *table) enterBase(i, v uint64) {
	switch {
	case !t.narrow:
		p := t.read(i)
		p.add(fingerprint{v, uint8(t.f)})
		t.write(i, &p)
	case t.variable:
		x := t.word(i) & t.mask
		t.setWord(i, t.enter(x, &t.class[x>>t.codeShift&15], v, t.f))
	default:
		x := t.word(i) & t.mask
		t.setWord(i, x|v<<(uint(bits.TrailingZeros64(t.zeros(x)))-(t.f-1)))
	}
}

// readFull are the fingerprints of a full bucket.
func (t *table) readFull(i uint64, bases []uint64) {
	if t.narrow {
		t.basesOf(t.word(i), &t.class[0], bases)
		return
	}
	p := t.read(i)
	for k, q := range p.slice() {
		bases[k] = q.v
	}
}

// writeFull makes a full bucket.
func (t *table) writeFull(i uint64, bases []uint64) {
	if t.narrow {
		t.setWord(i, t.fill(bases))
		return
	}
	var p fingerprints
	for _, v := range bases {
		p.add(fingerprint{v, uint8(t.f)})
	}
	t.write(i, &p)
}

// basesOf are the low f bits of the fingerprints of a narrow bucket of class c
// where lengths vary, or of all slots.
func (t *table) basesOf(x uint64, c *class, bases []uint64) {
	if !t.variable {
		for k := range bases {
			bases[k] = x & t.base
			x >>= t.f
		}
		return
	}
	for k := range bases {
		bases[k] = x>>(uint(k)*t.lane)&t.laneMask | x>>c.start[k&7]&1<<t.lane
	}
}

// fill is the full narrow bucket of bases, which it orders where lengths vary.
func (t *table) fill(bases []uint64) (x uint64) {
	if !t.variable {
		for k, v := range bases {
			x |= v << (uint(k) * t.f)
		}
		return x
	}
	if len(bases) == 4 {
		return t.fullWord(bases[0], bases[1], bases[2], bases[3])
	}
	insertionSort(bases)
	c := &t.class[0]
	for k, v := range bases {
		x |= v&t.laneMask<<(uint(k)*t.lane) | v>>t.lane<<c.start[k&7]
	}
	return x
}
