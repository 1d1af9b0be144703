package cuckoo

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// fingerprint is a fingerprint: known low bits of a key's hash, at least f.
type fingerprint struct {
	v     uint64 // the known bits; all others are 0
	known uint8  // number of low bits that are known
}

// matches reports whether the known bits of p equal those of fp, a key's longest fingerprint.
func (p fingerprint) matches(fp uint64) bool { return (p.v^fp)&(1<<p.known-1) == 0 }

// cut returns the fingerprint with at most n known bits.
func (p fingerprint) cut(n uint) fingerprint {
	if uint(p.known) <= n {
		return p
	}
	return fingerprint{p.v & (1<<n - 1), uint8(n)}
}

// compare orders fingerprints for the only form of a bucket: as numbers with their sentinels.
func (p fingerprint) compare(q fingerprint) int {
	return cmp.Compare(p.v|1<<p.known, q.v|1<<q.known)
}

// covers reports whether p matches every key that q matches.
func (p fingerprint) covers(q fingerprint) bool { return p.known <= q.known && p.matches(q.v) }

// fingerprints holds the fingerprints of a bucket, in no particular order. In a bucket of variable
// length, the last one's field may have another width than the others.
type fingerprints struct {
	n   int
	all [MaxSlots]fingerprint
}

// add appends the fingerprint q.
func (p *fingerprints) add(q fingerprint) {
	p.all[p.n] = q
	p.n++
}

// slice returns the fingerprints, in memory of p.
func (p *fingerprints) slice() []fingerprint { return p.all[:p.n] }

// table is a filter without its header: buckets in the memory of a Sketch or of a BLOB.
type table struct {
	*layout
	buckets  uint64
	half     uint64 // half of the buckets; Tagged computes the other bucket with it.
	words    bool   // buckets are narrow, and of fixed length: all of a bucket is compared or changed at once.
	tagged   bool
	multiset bool
	maxKicks uint64
	mem      []byte
}

// get reads n bits, at most 64, from bit at on.
func (t *table) get(at uint64, n uint) uint64 {
	i, shift := at>>3, uint(at&7)
	w := binary.LittleEndian.Uint64(t.mem[i:]) >> shift
	if shift+n > 64 {
		w |= uint64(t.mem[i+8]) << (64 - shift)
	}
	return w & (^uint64(0) >> (64 - n))
}

// put writes the low n bits of v, at most 64, to bit at on.
func (t *table) put(at uint64, n uint, v uint64) {
	i, shift := at>>3, uint(at&7)
	mask := ^uint64(0) >> (64 - n)
	v &= mask
	b := t.mem[i : i+8 : i+8]
	w := binary.LittleEndian.Uint64(b)
	binary.LittleEndian.PutUint64(b, w&^(mask<<shift)|v<<shift)
	if shift+n > 64 {
		high := t.mem[i+8]
		t.mem[i+8] = high&^byte(mask>>(64-shift)) | byte(v>>(64-shift))
	}
}

// word returns a narrow bucket. The bits above it belong to the next one.
func (t *table) word(i uint64) uint64 {
	at := i * uint64(t.bits)
	return fetch(t.mem, at)
}

// setWord writes a narrow bucket.
func (t *table) setWord(i, x uint64) {
	at := i * uint64(t.bits)
	b := t.mem[at>>3 : at>>3+8 : at>>3+8]
	shift := at & 7
	w := binary.LittleEndian.Uint64(b)
	binary.LittleEndian.PutUint64(b, w&^(t.mask<<shift)|x<<shift)
}

// classOf returns the class of a bucket, for a variable length. A code that no bucket has counts as
// that of an empty one.
func (l *layout) classOf(x *content) *class {
	return &l.class[x.get(l.codeShift, l.bits-l.codeShift)&15]
}

// count returns the number of fingerprints in bucket i.
func (t *table) count(i uint64) int {
	if t.words {
		return int(t.b) - bits.OnesCount64(t.zeros(t.word(i)))
	}
	if t.variable {
		code := t.get(i*uint64(t.bits)+uint64(t.codeShift), t.bits-t.codeShift)
		return int(t.class[code].n)
	}
	return t.read(i).n
}

// content is the bits of a bucket.
type content [4]uint64

// load returns the bits of bucket i.
func (t *table) load(i uint64) (x content) {
	at := i * uint64(t.bits)
	for k := uint(0); k < t.bits; k += 64 {
		x[k/64&3] = t.get(at+uint64(k), min(64, t.bits-k))
	}
	return x
}

// store writes the bits of bucket i.
func (t *table) store(i uint64, x *content) {
	at := i * uint64(t.bits)
	for k := uint(0); k < t.bits; k += 64 {
		t.put(at+uint64(k), min(64, t.bits-k), x[k/64&3])
	}
}

// get returns n bits, at most 63, from bit at on.
func (x *content) get(at, n uint) uint64 {
	v := x[at/64&3] >> (at & 63)
	if at&63+n > 64 {
		v |= x[(at/64+1)&3] << (-at & 63)
	}
	return v & (1<<(n&63) - 1)
}

// put sets n bits, at most 63, from bit at on to the low bits of v. They must be 0.
func (x *content) put(at, n uint, v uint64) {
	v &= 1<<(n&63) - 1
	x[at/64&3] |= v << (at & 63)
	if at&63+n > 64 {
		x[(at/64+1)&3] |= v >> (-at & 63)
	}
}

// read decodes bucket i.
func (t *table) read(i uint64) fingerprints {
	x := t.load(i)
	return t.decode(&x)
}

// decode returns the fingerprints of a bucket. It is safe on buckets that no filter wrote, whose fields
// without a sentinel know f bits.
func (l *layout) decode(x *content) (p fingerprints) {
	if !l.variable {
		for j := range l.b {
			if v := x.get(j*l.f, l.f); v != 0 {
				p.add(fingerprint{v, uint8(l.f)})
			}
		}
		return p
	}
	c := l.classOf(x)
	for j := range uint(c.n) {
		p.add(l.slot(x, c, j))
	}
	return p
}

// slot decodes fingerprint j of a bucket of variable length, whose class is c.
func (l *layout) slot(x *content, c *class, j uint) fingerprint {
	width := uint(c.width[j&7])
	field := x.get(uint(c.start[j&7]), width)
	if c.flag && x.get(uint(c.flagAt), 1) == 1 {
		width = sentinel(field)
		field &= 1<<width - 1
	}
	return fingerprint{x.get(j*l.lane, l.lane) | field<<l.lane, uint8(l.lane + width)}
}

// sentinel returns the number of bits below a field's highest one, at least 1: a field of one bit has
// no sentinel.
func sentinel(field uint64) uint { return uint(max(bits.Len64(field)-1, 1)) }

// canonical sorts the fingerprints p of a bucket for its only form. With fixed length the order is
// descending, so that empty slots, which are 0, come last. With variable length it is ascending. If the
// field of the last fingerprint has another width than the others, that fingerprint stays the last.
func (l *layout) canonical(p *fingerprints) {
	all := p.slice()
	if !l.variable {
		slices.SortFunc(all, func(p, q fingerprint) int { return q.compare(p) })
		return
	}
	if l.lastIsOwn(p.n) {
		all = all[:p.n-1]
	}
	slices.SortFunc(all, fingerprint.compare)
}

// write encodes bucket i. Fingerprints lose the bits for which there is no room.
func (t *table) write(i uint64, p *fingerprints) {
	x := t.encode(p)
	t.store(i, &x)
}

// encode returns the bits of a bucket with the fingerprints p.
func (l *layout) encode(p *fingerprints) (x content) {
	if !l.variable {
		for j, q := range p.slice() {
			x.put(uint(j)*l.f, l.f, q.v)
		}
		return x
	}
	if p.n == int(l.b) {
		for j := range p.slice() {
			p.all[j] = p.all[j].cut(l.f)
		}
		// Ascending order makes the marker bits ascending too, which is the code of a full bucket.
		l.canonical(p)
		c := &l.class[0]
		for j, q := range p.slice() {
			x.put(uint(j)*l.lane, l.lane, q.v)
			x.put(uint(c.start[j]), 1, q.v>>l.lane)
		}
		return x
	}
	code := l.code[p.n]
	x.put(l.codeShift, l.bits-l.codeShift, code)
	c := &l.class[code]
	short := false
	for j, q := range p.slice() {
		short = short || uint(q.known) < l.lane+uint(c.width[j])
	}
	if short {
		x.put(uint(c.flagAt), 1, 1)
	}
	for j, q := range p.slice() {
		x.put(uint(j)*l.lane, l.lane, q.v)
		field, width := q.v>>l.lane, uint(c.width[j])
		if short && width > 1 {
			k := min(uint(q.known)-l.lane, width-1)
			field = field&(1<<k-1) | 1<<k
		}
		x.put(uint(c.start[j]), width, field)
	}
	return x
}
