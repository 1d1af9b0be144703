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
	params  Params
	tagged  bool // whether the Variant is Tagged, for other, which is inlined
	buckets uint64
	mem     []byte
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

// classOf returns the class of bucket i, for a variable length. A code that no bucket has counts as
// that of an empty one.
func (t *table) classOf(i uint64) *class {
	at := i * uint64(t.bits)
	code := t.get(at+uint64(t.codeShift), t.bits-t.codeShift)
	return &t.class[code]
}

// count returns the number of fingerprints in bucket i.
func (t *table) count(i uint64) int {
	if t.variable {
		return int(t.classOf(i).n)
	}
	if t.narrow {
		return int(t.b) - bits.OnesCount64(t.zeros(t.word(i)))
	}
	p := t.read(i)
	return p.n
}

// read decodes a bucket. It is safe on buckets that no filter wrote, whose fields without a sentinel
// know f bits.
func (t *table) read(i uint64) (p fingerprints) {
	at := i * uint64(t.bits)
	if !t.variable {
		for range t.b {
			if v := t.get(at, t.f); v != 0 {
				p.add(fingerprint{v, uint8(t.f)})
			}
			at += uint64(t.f)
		}
		return p
	}
	c := t.classOf(i)
	short := c.flag && t.get(at+uint64(c.flagAt), 1) == 1
	for j := range int(c.n) {
		width := c.width(j)
		v := t.get(at+uint64(uint(j)*t.lane), t.lane)
		field := t.get(at+uint64(c.start[j]), width)
		if short {
			width = sentinel(field)
			field &= 1<<width - 1
		}
		p.add(fingerprint{v | field<<t.lane, uint8(t.lane + width)})
	}
	return p
}

// sentinel returns the number of bits below a field's highest one, at least 1: a field of one bit has
// no sentinel.
func sentinel(field uint64) uint { return uint(max(bits.Len64(field)-1, 1)) }

// canonical sorts the fingerprints p of a bucket for its only form. With fixed length the order is
// descending, so that empty slots, which are 0, come last. With variable length it is ascending. If the
// field of the last fingerprint has another width than the others, that fingerprint stays the last.
func (t *table) canonical(p *fingerprints) {
	all := p.slice()
	if !t.variable {
		slices.SortFunc(all, func(p, q fingerprint) int { return q.compare(p) })
		return
	}
	if t.lastIsOwn(p.n) {
		all = all[:p.n-1]
	}
	slices.SortFunc(all, fingerprint.compare)
}

// write encodes a bucket. Fingerprints lose the bits for which there is no room.
func (t *table) write(i uint64, p *fingerprints) {
	at := i * uint64(t.bits)
	for from, n := at, t.bits; n > 0; {
		k := min(n, 64)
		t.put(from, k, 0)
		from, n = from+uint64(k), n-k
	}
	if !t.variable {
		for _, q := range p.slice() {
			t.put(at, t.f, q.v)
			at += uint64(t.f)
		}
		return
	}
	code := uint64(0) // 0 is a code of a full bucket
	if p.n == int(t.b) {
		for j := range p.slice() {
			p.all[j] = p.all[j].cut(t.f)
		}
		// Ascending order makes the marker bits ascending too, which is the code of a full bucket.
		t.canonical(p)
	} else {
		code = t.code[p.n]
		t.put(at+uint64(t.codeShift), t.bits-t.codeShift, code)
	}
	c, short := &t.class[code], false
	for j, q := range p.slice() {
		short = short || uint(q.known) < t.lane+c.width(j)
	}
	if short {
		t.put(at+uint64(c.flagAt), 1, 1)
	}
	for j, q := range p.slice() {
		t.put(at+uint64(uint(j)*t.lane), t.lane, q.v)
		field, width := q.v>>t.lane, c.width(j)
		if short && width > 1 {
			k := min(uint(q.known)-t.lane, width-1)
			field = field&(1<<k-1) | 1<<k
		}
		t.put(at+uint64(c.start[j]), width, field)
	}
}
