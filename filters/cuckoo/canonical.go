package cuckoo

import "slices"

// arrange gives every bucket its one spelling, so that the order in which
// fingerprints came into a bucket does not show.
func (t *table) arrange() {
	for i := range t.buckets {
		if t.narrow {
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

// arrangeWord is canonical of a narrow bucket.
func (t *table) arrangeWord(x uint64) uint64 {
	if !t.variable {
		return t.arrangePlain(x)
	}
	c := &t.class[x>>t.codeShift&15]
	n := uint(c.n)
	if n < 2 || n == t.b {
		return x // full buckets are always in order
	}
	if !c.uniform {
		n--
	}
	var keys [MaxSlots]uint64
	rest := x
	for j := range n {
		keys[j] = t.key(x, c, j)
		rest &^= t.laneMask<<(j*t.lane) | c.mask[j]<<c.start[j]
	}
	slices.Sort(keys[:n])
	for j := range n {
		k := keys[j]
		rest |= k&t.laneMask<<(j*t.lane) | k>>t.lane<<c.start[j]
	}
	return rest
}

// key is what the order of a narrow bucket goes by: slot j's field, with its
// sentinel, then its low bits.
func (t *table) key(x uint64, c *class, j uint) uint64 {
	return x>>c.start[j&7]&c.mask[j&7]<<t.lane | x>>(j*t.lane)&t.laneMask
}

func (t *table) arrangePlain(x uint64) uint64 {
	f, m := t.f, t.base
	if t.b == 4 { // the default: in registers, without a branch on the order, which cannot be predicted
		a, b, c, d := x&m, x>>f&m, x>>(2*f)&m, x>>(3*f)
		a, b = max(a, b), min(a, b)
		c, d = max(c, d), min(c, d)
		a, c = max(a, c), min(a, c)
		b, d = max(b, d), min(b, d)
		b, c = max(b, c), min(b, c)
		return a | b<<f | c<<(2*f) | d<<(3*f)
	}
	var keys [MaxSlots]uint64
	for j := range t.b {
		keys[j] = x >> (j * f) & m
	}
	slices.Sort(keys[:t.b])
	var y uint64
	for _, k := range keys[:t.b] {
		y = y<<f | k
	}
	return y
}

// proper reports whether bucket i is as a filter writes it, and how many
// fingerprints it has.
func (t *table) proper(i uint64) (n int, ok bool) {
	if t.narrow && t.variable {
		return t.properWord(t.word(i) & t.mask)
	}
	if t.narrow {
		x := t.word(i) & t.mask
		return t.count(i), t.arrangePlain(x) == x
	}
	var room [4*8 + 8]byte
	one := *t
	one.mem = room[:]
	p := t.read(i)
	q := p
	one.canonical(&q)
	one.write(0, &q)
	at := i * uint64(t.bits)
	for k := uint(0); k < t.bits; k += 64 {
		if w := min(64, t.bits-k); t.get(at+uint64(k), w) != one.get(uint64(k), w) {
			return p.n, false
		}
	}
	return p.n, true
}

func (t *table) properWord(x uint64) (int, bool) {
	code := x >> t.codeShift
	c := &t.class[code&15]
	n := uint(c.n)
	if n == t.b {
		for j := range n - 1 {
			if t.key(x, c, j) > t.key(x, c, j+1) {
				return 0, false
			}
		}
		return int(n), true
	}
	if code != t.code[n&7] {
		return 0, false
	}
	rest := x &^ (code << t.codeShift)
	if c.flag {
		rest &^= 1 << c.flagAt
	}
	short := c.flag && x>>c.flagAt&1 == 1
	for j := range n {
		rest &^= t.laneMask<<(j*t.lane) | c.mask[j]<<c.start[j]
		if short && c.width[j] > 1 && x>>c.start[j]&c.mask[j] < 2 {
			return 0, false // no sentinel
		}
	}
	return int(n), rest == 0 && t.arrangeWord(x) == x
}
