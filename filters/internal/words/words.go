// Package words has tables of counters of one size: little-endian words of 1, 2,
// 4 or 8 bytes, in memory as in a BLOB, so that sketches and views of BLOBs are
// read by the same code. Count-Min Sketches and plain Spectral Bloom Filters are
// such tables.
//
// Three other layouts have their own code. A word of a
// Counting Bloom Filter (package cbf) is 64 bits, with counters of any width in
// it that are compared and added to by masks, several at once. A bucket of a
// cuckoo filter has fields of any width, which are found by a hash's bits and
// not by a number. The layers of a CascadeCBF have an overflow flag in every
// counter, and a carry from each to the next. Counters of different lengths,
// side by side, are package counters.
package words

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

// Saturated is the value of a counter that reached the end of 64 bits: it
// stays there whatever is added or removed.
const Saturated = math.MaxUint64

// Word is what a table consists of.
type Word interface {
	uint8 | uint16 | uint32 | uint64
}

// Get is word p. The size of W is known where this is compiled, so that one
// branch of four is left.
func Get[W Word](b []byte, p uint32) W {
	switch unsafe.Sizeof(W(0)) {
	case 1:
		return W(b[p])
	case 2:
		return W(binary.LittleEndian.Uint16(b[uint64(p)*2 : uint64(p)*2+2]))
	case 4:
		return W(binary.LittleEndian.Uint32(b[uint64(p)*4 : uint64(p)*4+4]))
	}
	return W(binary.LittleEndian.Uint64(b[uint64(p)*8 : uint64(p)*8+8]))
}

// Put makes word p v.
func Put[W Word](b []byte, p uint32, v W) {
	switch unsafe.Sizeof(W(0)) {
	case 1:
		b[p] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b[uint64(p)*2:uint64(p)*2+2], uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b[uint64(p)*4:uint64(p)*4+4], uint32(v))
	default:
		binary.LittleEndian.PutUint64(b[uint64(p)*8:uint64(p)*8+8], uint64(v))
	}
}

// Room is the largest sum that a word takes without the caller's help: at 8
// bytes the largest number of all says that the counter is saturated.
func Room[W Word]() uint64 {
	if m := uint64(^W(0)); m < math.MaxUint64 {
		return m
	}
	return Saturated - 1
}

// Shift is that of the smallest word that holds v.
func Shift(v uint64) uint8 {
	return uint8(bits.Len(uint(max(bits.Len64(v)-1, 0)) / 8))
}

// Table is words of 1 << Shift bytes each.
type Table struct {
	Shift uint8
	B     []byte
}

// Make is a table of n counters that are 0.
func Make(shift uint8, n int) Table { return Table{shift, make([]byte, n<<shift)} }

// Len is the number of counters.
func (t Table) Len() int { return len(t.B) >> t.Shift }

// At is counter i.
func (t Table) At(i int) uint64 {
	switch t.Shift {
	case 0:
		return uint64(t.B[i])
	case 1:
		return uint64(binary.LittleEndian.Uint16(t.B[i*2 : i*2+2]))
	case 2:
		return uint64(binary.LittleEndian.Uint32(t.B[i*4 : i*4+4]))
	}
	return binary.LittleEndian.Uint64(t.B[i*8 : i*8+8])
}

// Set makes counter i v, which fits.
func (t Table) Set(i int, v uint64) {
	switch t.Shift {
	case 0:
		t.B[i] = byte(v)
	case 1:
		binary.LittleEndian.PutUint16(t.B[i*2:i*2+2], uint16(v))
	case 2:
		binary.LittleEndian.PutUint32(t.B[i*4:i*4+4], uint32(v))
	default:
		binary.LittleEndian.PutUint64(t.B[i*8:i*8+8], v)
	}
}

// Unpack writes the counters from at on to dst.
func (t Table) Unpack(at int, dst []uint64) {
	switch t.Shift {
	case 0:
		unpack[uint8](t.B, at, dst)
	case 1:
		unpack[uint16](t.B, at, dst)
	case 2:
		unpack[uint32](t.B, at, dst)
	default:
		unpack[uint64](t.B, at, dst)
	}
}

func unpack[W Word](b []byte, at int, dst []uint64) {
	for k := range dst {
		dst[k] = uint64(Get[W](b, uint32(at+k)))
	}
}

// pack makes the counters from at on those of src, which fit.
func (t Table) pack(at int, src []uint64) {
	switch t.Shift {
	case 0:
		pack[uint8](t.B, at, src)
	case 1:
		pack[uint16](t.B, at, src)
	case 2:
		pack[uint32](t.B, at, src)
	default:
		pack[uint64](t.B, at, src)
	}
}

func pack[W Word](b []byte, at int, src []uint64) {
	for k, v := range src {
		Put(b, uint32(at+k), W(v))
	}
}

// BlockLen is the most counters that are taken together.
const BlockLen = 64

// Each calls f with all counters in order, in blocks that begin at at.
func (t Table) Each(f func(at int, block []uint64)) {
	var room [BlockLen]uint64
	for at, n := 0, t.Len(); at < n; at += BlockLen {
		block := room[:min(BlockLen, n-at)]
		t.Unpack(at, block)
		f(at, block)
	}
}

// Of is a table of n counters, which unpack copies from at on to dst.
func Of(n int, unpack func(at int, dst []uint64)) Table {
	t := Make(0, n)
	var room [BlockLen]uint64
	for at := 0; at < n; at += BlockLen {
		block := room[:min(BlockLen, n-at)]
		unpack(at, block)
		t.put(at, block)
	}
	return t
}

// put makes the counters from at on those of src. All get as wide as that takes.
func (t *Table) put(at int, src []uint64) {
	all := uint64(0)
	for _, v := range src {
		all |= v
	}
	if shift := Shift(all); shift > t.Shift {
		*t = t.Resize(shift)
	}
	t.pack(at, src)
}

// Merge gives every counter the value that f has for it and its like in another table. All
// counters get as wide as that takes. Unlike Each it allocates nothing else.
func (t *Table) Merge(other Table, f func(a, b uint64) uint64) {
	var mine, others [BlockLen]uint64
	for at, n := 0, t.Len(); at < n; at += BlockLen {
		block := mine[:min(BlockLen, n-at)]
		t.Unpack(at, block)
		other.Unpack(at, others[:len(block)])
		for i, v := range block {
			block[i] = f(v, others[i])
		}
		t.put(at, block)
	}
}

// Full reports whether a counter is saturated.
func (t Table) Full() bool {
	if t.Shift < 3 {
		return false
	}
	for i := range t.Len() {
		if t.At(i) == Saturated {
			return true
		}
	}
	return false
}

// Sum is the sum of all counters, a number of 128 bits. It has a loop of its own because the
// block of Each is allocated.
func (t Table) Sum() (hi, lo uint64) {
	var room [BlockLen]uint64
	for at, n := 0, t.Len(); at < n; at += BlockLen {
		block := room[:min(BlockLen, n-at)]
		t.Unpack(at, block)
		for _, v := range block {
			var carry uint64
			lo, carry = bits.Add64(lo, v, 0)
			hi += carry
		}
	}
	return hi, lo
}

// Resize copies the counters to words of another size, which hold them.
func (t Table) Resize(shift uint8) Table {
	to := Make(shift, t.Len())
	var room [BlockLen]uint64
	for at, n := 0, t.Len(); at < n; at += BlockLen {
		block := room[:min(BlockLen, n-at)]
		t.Unpack(at, block)
		to.pack(at, block)
	}
	return to
}

// Or is a number as long as the longest counter.
func (t Table) Or() uint64 {
	var all uint64
	rest := t.B
	for ; len(rest) >= 8; rest = rest[8:] {
		all |= binary.LittleEndian.Uint64(rest)
	}
	for i, c := range rest {
		all |= uint64(c) << (8 * i)
	}
	for lane := 32; lane >= 8<<t.Shift; lane /= 2 {
		all |= all >> lane
	}
	return all & (^uint64(0) >> (64 - 8<<t.Shift))
}
