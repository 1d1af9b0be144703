package cms

import (
	"encoding/binary"
	"math/bits"
)

// position is the counter of a row for a hash: row i of a key takes
// h1 + (i+1)*h2, reduced to the width by the high half of a product (Lemire
// 2019, "Fast Random Integer Generation in an Interval"), which needs no
// division and no power of two. Part of the format: it never changes.
func position(h1, h2, row, width uint64) uint64 {
	p, _ := bits.Mul64(h1+(row+1)*h2, width)
	return p
}

type word interface {
	uint8 | uint16 | uint32 | uint64
}

// counters is a table of any word width, row after row. Its methods stop at
// the first counter that a sum does not fit, with what came before it done, so
// that the caller widens the table and goes on from there.
type counters interface {
	size() int // bytes per counter
	len() int
	get(at uint64) uint64
	set(at, v uint64) // v fits
	// resize copies the counters to a table of another word width; they fit.
	resize(size int) counters
	// or is the bitwise or of all counters.
	or() uint64
	// put adds n to the key's counters in rows from..depth-1 and returns the
	// row that it reached.
	put(width, from, depth, h1, h2, n uint64) uint64
	// putRow adds to one row: ns[k], or n where ns is nil, for every key. It
	// returns the number of keys done.
	putRow(width, row uint64, h1s, h2s, ns []uint64, n uint64) int
	// putRows adds 1 to a row and to the one after it for every key, and returns
	// the number of keys done.
	putRows(width, row uint64, h1s, h2s []uint64) int
	// raise is the conservative update of every key in turn. It returns the
	// number of keys done.
	raise(width, depth uint64, h1s, h2s, ns []uint64, n uint64) int
	raiseOne(width, depth, h1, h2, n uint64) bool
	// touch reads the keys' counters, at most block keys at once.
	touch(width, depth uint64, h1s, h2s []uint64)
	count(width, depth, h1, h2 uint64) uint64
	// countRow lowers dst to the keys' counters of one row.
	countRow(width, row uint64, h1s, h2s, dst []uint64)
	// addTable adds src to the counters from at on and returns the first that
	// it did not do.
	addTable(at int, src counters) int
	// addBytes is addTable of little-endian counters of size bytes, by 8 bytes:
	// it may leave the last few.
	addBytes(at int, src []byte, size int) int
	unpack(at int, dst []uint64)
	encode(dst []byte)
	decode(src []byte)
}

type table[W word] []W

func newTable(size, n int) counters {
	switch size {
	case 1:
		return make(table[uint8], n)
	case 2:
		return make(table[uint16], n)
	case 4:
		return make(table[uint32], n)
	}
	return make(table[uint64], n)
}

// limit is the largest value that a counter may reach without the caller's
// help: at 8 bytes the largest of all says that the counter is saturated.
func (t table[W]) limit() uint64 {
	if m := uint64(^W(0)); m < 1<<63 {
		return m
	}
	return saturated - 1
}

func (t table[W]) size() int            { return bits.Len64(uint64(^W(0))) / 8 }
func (t table[W]) len() int             { return len(t) }
func (t table[W]) get(at uint64) uint64 { return uint64(t[at]) }
func (t table[W]) set(at, v uint64)     { t[at] = W(v) }

func (t table[W]) resize(size int) counters {
	switch size {
	case 1:
		return convert[uint8](t)
	case 2:
		return convert[uint16](t)
	case 4:
		return convert[uint32](t)
	}
	return convert[uint64](t)
}

func convert[D, S word](src table[S]) table[D] {
	dst := make(table[D], len(src))
	for i, v := range src {
		dst[i] = D(v)
	}
	return dst
}

func (t table[W]) or() uint64 {
	var a, b, c, d W
	i := 0
	for ; i+4 <= len(t); i += 4 {
		q := t[i : i+4 : i+4]
		a |= q[0]
		b |= q[1]
		c |= q[2]
		d |= q[3]
	}
	for ; i < len(t); i++ {
		a |= t[i]
	}
	return uint64(a | b | c | d)
}

func (t table[W]) put(width, from, depth, h1, h2, n uint64) uint64 {
	limit := t.limit()
	if n > limit {
		return from
	}
	room := limit - n
	x := h1 + (from+1)*h2
	for base := from * width; from < depth; from++ {
		p, _ := bits.Mul64(x, width)
		c := &t[base+p]
		v := uint64(*c)
		if v > room {
			break
		}
		*c = W(v + n)
		base += width
		x += h2
	}
	return from
}

func (t table[W]) putRow(width, row uint64, h1s, h2s, ns []uint64, n uint64) int {
	limit := t.limit()
	h2s = h2s[:len(h1s)]
	r := t[row*width:][:width]
	step := row + 1
	if ns != nil {
		ns = ns[:len(h1s)]
		for k, h1 := range h1s {
			p, _ := bits.Mul64(h1+step*h2s[k], width)
			v, n := uint64(r[p]), ns[k]
			if n > limit || v > limit-n {
				return k
			}
			r[p] = W(v + n)
		}
		return len(h1s)
	}
	if n > limit {
		return 0
	}
	room := limit - n
	for k, h1 := range h1s {
		p, _ := bits.Mul64(h1+step*h2s[k], width)
		v := uint64(r[p])
		if v > room {
			return k
		}
		r[p] = W(v + n)
	}
	return len(h1s)
}

func (t table[W]) putRows(width, row uint64, h1s, h2s []uint64) int {
	room := t.limit() - 1
	h2s = h2s[:len(h1s)]
	r := t[row*width:][:width]
	q := t[(row+1)*width:][:width]
	step := row + 1
	for k, h1 := range h1s {
		h2 := h2s[k]
		x := h1 + step*h2
		i, _ := bits.Mul64(x, width)
		j, _ := bits.Mul64(x+h2, width)
		u, v := r[i], q[j]
		if uint64(u) > room || uint64(v) > room {
			return k
		}
		r[i] = u + 1
		q[j] = v + 1
	}
	return len(h1s)
}

func (t table[W]) raise(width, depth uint64, h1s, h2s, ns []uint64, n uint64) int {
	h2s = h2s[:len(h1s)]
	for k, h1 := range h1s {
		if ns != nil {
			n = ns[k]
		}
		if !t.raiseOne(width, depth, h1, h2s[k], n) {
			return k
		}
	}
	return len(h1s)
}

func (t table[W]) raiseOne(width, depth, h1, h2, n uint64) bool {
	var at [MaxDepth]uint32 // at most 2^27 counters
	least := ^W(0)
	x, base := h1+h2, uint64(0)
	rows := at[:depth]
	for i := range rows {
		p, _ := bits.Mul64(x, width)
		p += base
		rows[i] = uint32(p)
		least = min(least, t[p])
		base += width
		x += h2
	}
	limit := t.limit()
	if n > limit || uint64(least) > limit-n {
		return false
	}
	target := least + W(n)
	for _, p := range rows {
		t[p] = max(t[p], target)
	}
	return true
}

func (t table[W]) count(width, depth, h1, h2 uint64) uint64 {
	least := ^W(0)
	x := h1 + h2
	for base := uint64(0); depth > 0; depth-- {
		p, _ := bits.Mul64(x, width)
		least = min(least, t[base+p])
		base += width
		x += h2
	}
	return uint64(least)
}

func (t table[W]) countRow(width, row uint64, h1s, h2s, dst []uint64) {
	h1s = h1s[:len(dst)]
	h2s = h2s[:len(dst)]
	r := t[row*width:][:width]
	step := row + 1
	for k, least := range dst {
		p, _ := bits.Mul64(h1s[k]+step*h2s[k], width)
		dst[k] = min(least, uint64(r[p]))
	}
}

// touch exists for what it does to the cache: reads of different keys do not
// wait for each other, as updates that compare and write do.
func (t table[W]) touch(width, depth uint64, h1s, h2s []uint64) {
	var least [block]uint64
	for row := range depth {
		t.countRow(width, row, h1s, h2s, least[:len(h1s)])
	}
}

func (t table[W]) addTable(at int, src counters) int {
	switch src := src.(type) {
	case table[uint8]:
		return addWords(t, src, at)
	case table[uint16]:
		return addWords(t, src, at)
	case table[uint32]:
		return addWords(t, src, at)
	case table[uint64]:
		return addWords(t, src, at)
	}
	return at
}

func addWords[D, S word](dst table[D], src table[S], at int) int {
	limit := dst.limit()
	src = src[:len(dst)]
	for ; at < len(dst); at++ {
		n, v := uint64(src[at]), uint64(dst[at])
		if n > limit || v > limit-n {
			break
		}
		dst[at] = D(v + n)
	}
	return at
}

func (t table[W]) addBytes(at int, src []byte, size int) int {
	limit := t.limit()
	lane := uint(size) * 8
	mask := ^uint64(0) >> (64 - lane)
	per := 8 / size
	narrow, _ := any(t).(table[uint8])
	for src = src[at*size:]; len(src) >= 8 && at+per <= len(t); src = src[8:] {
		x := binary.LittleEndian.Uint64(src)
		if x == 0 { // most of a sparse sketch
			at += per
			continue
		}
		if size == 1 && narrow != nil {
			// Eight sums at once where none can carry.
			d := narrow[at : at+8]
			if y := binary.LittleEndian.Uint64(d); (x|y)&0x8080808080808080 == 0 {
				binary.LittleEndian.PutUint64(d, x+y)
				at += 8
				continue
			}
		}
		for range per {
			n, v := x&mask, uint64(t[at])
			if n > limit || v > limit-n {
				return at
			}
			t[at] = W(v + n)
			x >>= lane & 63
			at++
		}
	}
	return at
}

func (t table[W]) unpack(at int, dst []uint64) {
	for i, v := range t[at:][:len(dst)] {
		dst[i] = uint64(v)
	}
}

func (t table[W]) encode(dst []byte) {
	switch t := any(t).(type) {
	case table[uint8]:
		copy(dst, t)
	case table[uint16]:
		for i, v := range t {
			binary.LittleEndian.PutUint16(dst[2*i:], v)
		}
	case table[uint32]:
		for i, v := range t {
			binary.LittleEndian.PutUint32(dst[4*i:], v)
		}
	case table[uint64]:
		for i, v := range t {
			binary.LittleEndian.PutUint64(dst[8*i:], v)
		}
	}
}

func (t table[W]) decode(src []byte) {
	switch t := any(t).(type) {
	case table[uint8]:
		copy(t, src)
	case table[uint16]:
		for i := range t {
			t[i] = binary.LittleEndian.Uint16(src[2*i:])
		}
	case table[uint32]:
		for i := range t {
			t[i] = binary.LittleEndian.Uint32(src[4*i:])
		}
	case table[uint64]:
		for i := range t {
			t[i] = binary.LittleEndian.Uint64(src[8*i:])
		}
	}
}
