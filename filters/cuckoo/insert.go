package cuckoo

import "math/bits"

// place puts a key's fingerprint into the emptier one of its buckets, the
// first where they are alike, which leaves more buckets with room, and with
// longer fingerprints, than the first that has room. It reports false where
// both are full.
func (t *table) place(i, j, fp uint64) bool {
	switch {
	case !t.narrow:
		return t.placeWide(i, j, print{fp, t.knownBits()}.tidy())
	case t.variable:
		return t.placeVariable(i, j, fp)
	}
	x, y := t.word(i), t.word(j)
	zx, zy := t.zeros(x), t.zeros(y)
	if bits.OnesCount64(zy) > bits.OnesCount64(zx) {
		i, x, zx = j, y, zy
	}
	if zx == 0 {
		return false
	}
	at := uint(bits.TrailingZeros64(zx)) - (t.f - 1)
	t.setWord(i, x&t.mask|fp<<at)
	return true
}

// knownBits is the length of a new key's fingerprint.
func (t *table) knownBits() uint8 {
	if t.variable {
		return hashBits
	}
	return uint8(t.f)
}

// tidy has no bits but the known ones.
func (p print) tidy() print { return print{p.v & (1<<p.known - 1), p.known} }

func (t *table) placeVariable(i, j, fp uint64) bool {
	x, y := t.word(i)&t.mask, t.word(j)&t.mask
	c, d := &t.class[x>>t.codeShift&15], &t.class[y>>t.codeShift&15]
	if d.n < c.n {
		i, x, c = j, y, d
	}
	switch {
	case uint(c.n) == t.b:
		return false
	case c.flag && x>>c.flagAt&1 == 1:
		p := t.read(i)
		p.add(print{fp, hashBits})
		t.write(i, &p)
	case uint(c.n) == t.b-1 && t.b == 4:
		t.setWord(i, t.fill4(x, c, fp))
	case uint(c.n) == t.b-1:
		p := t.read(i)
		p.add(print{fp, hashBits})
		t.write(i, &p)
	default:
		t.setWord(i, t.push(x, c, fp))
	}
	return true
}

// push adds a fingerprint to a word of class c, whose fields have no
// sentinels, that will not be full.
func (t *table) push(x uint64, c *class, fp uint64) uint64 {
	n := uint(c.n) & 7
	code := t.code[(n+1)&7]
	d := &t.class[code&15]
	r := code<<t.codeShift | x&(1<<(n*t.lane)-1) | (fp&t.laneMask)<<(n*t.lane)
	r |= (fp >> t.lane & d.mask[n]) << d.start[n]
	for j := range n {
		r |= (x >> c.start[j] & d.mask[j]) << d.start[j]
	}
	return r
}

// fill4 makes a word of three fingerprints, without sentinels, a full one: its
// bases in ascending order.
func (t *table) fill4(x uint64, c *class, fp uint64) uint64 {
	lane, laneMask := t.lane, t.laneMask
	v := fp & t.base
	a := x&laneMask | (x>>c.start[0]&1)<<lane
	b := x>>lane&laneMask | (x>>c.start[1]&1)<<lane
	e := x>>(2*lane)&laneMask | (x>>c.start[2]&1)<<lane
	a, b = min(a, b), max(a, b)
	e, v = min(e, v), max(e, v)
	a, e = min(a, e), max(a, e)
	b, v = min(b, v), max(b, v)
	b, e = min(b, e), max(b, e)
	r := a&laneMask | (b&laneMask)<<lane | (e&laneMask)<<(2*lane) | (v&laneMask)<<(3*lane)
	return r | (v>>lane|a>>lane<<1|b>>lane<<2|e>>lane<<3)<<(4*lane)
}

// placeWide is place for any bucket and a fingerprint of any length.
func (t *table) placeWide(i, j uint64, q print) bool {
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

// kick puts a fingerprint into one of two full buckets, moves one of those
// there to its other bucket, and so on until one has room. Which ones move
// follows from the fingerprint and what the buckets hold, in whatever order. It
// reports false where MaxKicks moves were not enough; the changes are then to
// be undone. Fan et al. 2014, algorithm 1.
func (t *table) kick(u *journal, i, j, fp uint64) bool {
	cur := fp & t.base
	salt := (cur + i + j + 1) * 0x9e3779b97f4a7c15 // the same for i, j and j, i
	if i, j = min(i, j), max(i, j); salt>>63 != 0 {
		i = j
	}
	for range MaxKicks {
		t.note(u, i)
		cur = t.exchange(i, cur, salt>>32)
		i = t.other(i, cur)
		if t.count(i) < int(t.b) {
			p := t.read(i)
			p.add(print{cur, uint8(t.f)})
			t.note(u, i)
			t.write(i, &p)
			return true
		}
		salt = salt*0xff51afd7ed558ccd + 0x2545f4914f6cdd1d
	}
	return false
}

// exchange puts a base into a full bucket, for the one there that is nearest to
// salt, which it returns.
func (t *table) exchange(i, v, salt uint64) uint64 {
	var all [MaxSlots]uint64
	bases := all[:t.b]
	if t.narrow {
		t.basesOf(t.word(i), bases)
	} else {
		p := t.read(i)
		for k, q := range p.slice() {
			bases[k] = q.v
		}
	}
	at, least := 0, ^uint64(0)
	for k, q := range bases {
		if d := (q ^ salt) & t.base; d < least {
			at, least = k, d
		}
	}
	out := bases[at]
	bases[at] = v
	if t.narrow {
		t.setWord(i, t.fill(bases))
		return out
	}
	var p prints
	for _, q := range bases {
		p.add(print{q, uint8(t.f)})
	}
	t.write(i, &p)
	return out
}

// basesOf are the fingerprints of a full narrow bucket.
func (t *table) basesOf(x uint64, bases []uint64) {
	if !t.variable {
		for k := range bases {
			bases[k] = x & t.base
			x >>= t.f
		}
		return
	}
	c := &t.class[0]
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
	insertionSort(bases)
	c := &t.class[0]
	for k, v := range bases {
		x |= v&t.laneMask<<(uint(k)*t.lane) | v>>t.lane<<c.start[k&7]
	}
	return x
}
