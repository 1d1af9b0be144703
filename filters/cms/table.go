package cms

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
)

// position is the counter of a row for a hash: row i of a key takes
// h1 + (i+1)*h2, reduced to the width by the high half of a product (Lemire
// 2019, "Fast Random Integer Generation in an Interval"), which needs no
// division and no power of two. Part of the format: it never changes.
func position(h1, h2, row, width uint64) uint64 {
	p, _ := bits.Mul64(h1+(row+1)*h2, width)
	return p
}

// table is the counters, row after row, of a Sketch as of a View. What changes
// counters stops at the first one that a sum does not fit, with what came before
// it done, so that the caller widens the table and goes on from there.
type table struct {
	words.Table
	width, depth uint64
}

// size is the bytes of a counter.
func (t *table) size() int { return 1 << t.Shift }

// row is the table from a row on.
func (t *table) row(row uint64) words.Table {
	return words.Table{Shift: t.Shift, B: t.B[row*t.width<<t.Shift:][:t.width<<t.Shift]}
}

// putRow adds to one row: ns[k], or n where ns is nil, for every key. It returns
// the number of keys done.
func (t *table) putRow(row uint64, h1s, h2s, ns []uint64, n uint64) int {
	return t.row(row).AddRow(t.width, row+1, h1s, h2s, ns, n)
}

// putRows adds ns[k], or 1 where ns is nil, to a row and to the one after it for every
// key, and returns the number of keys done.
func (t *table) putRows(row uint64, h1s, h2s, ns []uint64) int {
	switch t.Shift {
	case 0:
		return putRows[uint8](t, row, h1s, h2s, ns)
	case 1:
		return putRows[uint16](t, row, h1s, h2s, ns)
	case 2:
		return putRows[uint32](t, row, h1s, h2s, ns)
	}
	return putRows[uint64](t, row, h1s, h2s, ns)
}

func putRows[W words.Word](t *table, row uint64, h1s, h2s, ns []uint64) int {
	limit := words.Room[W]()
	h2s = h2s[:len(h1s)]
	width, step := t.width, row+1
	size := width << t.Shift
	r := t.B[row*size:][:size:size]
	q := t.B[(row+1)*size:][:size:size]
	if ns != nil {
		ns = ns[:len(h1s)]
		for k, h1 := range h1s {
			h2, n := h2s[k], ns[k]
			x := h1 + step*h2
			i, _ := bits.Mul64(x, width)
			j, _ := bits.Mul64(x+h2, width)
			u, v := uint64(words.Get[W](r, uint32(i))), uint64(words.Get[W](q, uint32(j)))
			if n > limit || u > limit-n || v > limit-n {
				return k
			}
			words.Put(r, uint32(i), W(u+n))
			words.Put(q, uint32(j), W(v+n))
		}
		return len(h1s)
	}
	for k, h1 := range h1s {
		h2 := h2s[k]
		x := h1 + step*h2
		i, _ := bits.Mul64(x, width)
		j, _ := bits.Mul64(x+h2, width)
		u, v := words.Get[W](r, uint32(i)), words.Get[W](q, uint32(j))
		if uint64(u) >= limit || uint64(v) >= limit {
			return k
		}
		words.Put(r, uint32(i), u+1)
		words.Put(q, uint32(j), v+1)
	}
	return len(h1s)
}

// raise is the conservative update of every key in turn. It returns the number of
// keys done.
func (t *table) raise(h1s, h2s, ns []uint64, n uint64) int {
	switch t.Shift {
	case 0:
		return raise[uint8](t, h1s, h2s, ns, n)
	case 1:
		return raise[uint16](t, h1s, h2s, ns, n)
	case 2:
		return raise[uint32](t, h1s, h2s, ns, n)
	}
	return raise[uint64](t, h1s, h2s, ns, n)
}

func raise[W words.Word](t *table, h1s, h2s, ns []uint64, n uint64) int {
	h2s = h2s[:len(h1s)]
	for k, h1 := range h1s {
		if ns != nil {
			n = ns[k]
		}
		if !raiseOne[W](t, h1, h2s[k], n) {
			return k
		}
	}
	return len(h1s)
}

func (t *table) raiseOne(h1, h2, n uint64) bool {
	switch t.Shift {
	case 0:
		return raiseOne[uint8](t, h1, h2, n)
	case 1:
		return raiseOne[uint16](t, h1, h2, n)
	case 2:
		return raiseOne[uint32](t, h1, h2, n)
	}
	return raiseOne[uint64](t, h1, h2, n)
}

func raiseOne[W words.Word](t *table, h1, h2, n uint64) bool {
	var at [MaxDepth]uint32 // at most 2^27 counters
	b, width := t.B, t.width
	least := ^W(0)
	x, base := h1+h2, uint64(0)
	rows := at[:t.depth]
	for i := range rows {
		p, _ := bits.Mul64(x, width)
		p += base
		rows[i] = uint32(p)
		least = min(least, words.Get[W](b, uint32(p)))
		base += width
		x += h2
	}
	limit := words.Room[W]()
	if n > limit || uint64(least) > limit-n {
		return false
	}
	target := least + W(n)
	for _, p := range rows {
		words.Put(b, p, max(words.Get[W](b, p), target))
	}
	return true
}

// count is the least of a key's counters.
func (t *table) count(h1, h2 uint64) uint64 {
	switch t.Shift {
	case 0:
		return count[uint8](t, h1, h2)
	case 1:
		return count[uint16](t, h1, h2)
	case 2:
		return count[uint32](t, h1, h2)
	}
	return count[uint64](t, h1, h2)
}

func count[W words.Word](t *table, h1, h2 uint64) uint64 {
	b, width, depth := t.B, t.width, t.depth
	least := ^W(0)
	x := h1 + h2
	for base := uint64(0); depth > 0; depth-- {
		p, _ := bits.Mul64(x, width)
		least = min(least, words.Get[W](b, uint32(base+p)))
		base += width
		x += h2
	}
	return uint64(least)
}

// countHashes goes through the rows for a batch of keys at a time, so that the
// cache misses of a batch overlap.
func (t *table) countHashes(dst, h1s, h2s []uint64) {
	for i := 0; i < len(dst); i += batchLen {
		j := min(i+batchLen, len(dst))
		for k := i; k < j; k++ {
			dst[k] = saturated
		}
		t.countRows(dst[i:j], h1s[i:j], h2s[i:j])
	}
}

// countRows lowers dst to the keys' counters.
func (t *table) countRows(dst, h1s, h2s []uint64) {
	for row := range t.depth {
		t.row(row).LeastRow(t.width, row+1, h1s, h2s, dst)
	}
}

// touch reads the keys' counters, at most batchLen keys at once. It exists for what
// it does to the cache: reads of different keys do not wait for each other, as
// updates that compare and write do.
func (t *table) touch(h1s, h2s []uint64) {
	var least [batchLen]uint64
	t.countRows(least[:len(h1s)], h1s, h2s)
}

// addTable adds src to the counters from at on, and returns the first that it did
// not do: one that the sum does not fit, or one of the last few, that do not fill
// 8 bytes.
func (t *table) addTable(at int, src words.Table) int {
	switch t.Shift {
	case 0:
		return addTable[uint8](t.B, at, src)
	case 1:
		return addTable[uint16](t.B, at, src)
	case 2:
		return addTable[uint32](t.B, at, src)
	}
	return addTable[uint64](t.B, at, src)
}

func addTable[W words.Word](b []byte, at int, from words.Table) int {
	limit := words.Room[W]()
	lane := uint(8) << from.Shift
	mask := ^uint64(0) >> (64 - lane)
	per := 8 >> from.Shift
	eight := limit == 0xff && per == 8 // sums at once, where none can carry
	for src := from.B[at<<from.Shift:]; len(src) >= 8; src = src[8:] {
		x := binary.LittleEndian.Uint64(src)
		if x == 0 { // most of a sparse sketch
			at += per
			continue
		}
		if eight {
			d := b[at : at+8]
			if y := binary.LittleEndian.Uint64(d); (x|y)&0x8080808080808080 == 0 {
				binary.LittleEndian.PutUint64(d, x+y)
				at += 8
				continue
			}
		}
		for range per {
			n, v := x&mask, uint64(words.Get[W](b, uint32(at)))
			if n > limit || v > limit-n {
				return at
			}
			words.Put(b, uint32(at), W(v+n))
			x >>= lane & 63
			at++
		}
	}
	return at
}
