// Package words keeps counters of one size in tables: little-endian words of 1, 2, 4 or 8 bytes. The
// layout in memory is the one in a BLOB, so the same code reads sketches and views of BLOBs. Count-Min
// Sketches and plain Spectral Bloom Filters are such tables.
//
// Other layouts have their own code. In a counting Bloom filter (package cbf), counters of any width
// share a word of 64 bits. Masks compare and add several at once. A bucket of a cuckoo filter has
// fields of any width, which the bits of a hash select. The layers of a CascadeCBF have an overflow
// flag in every counter, and a carry from each layer to the next. Package counters keeps counters of
// different lengths side by side.
package words

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Saturated is the value of a counter that reached the end of 64 bits. It stays there, whatever is
// added or removed.
const Saturated = math.MaxUint64

// Word is the type of a table's counters.
type Word interface {
	uint8 | uint16 | uint32 | uint64
}

// Get returns word p of b. The size of W is known when the function is compiled, so only one of its
// branches is left.
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

// Put sets word p to v.
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

// Room returns the largest sum that a word holds. At 8 bytes the largest number means that the counter
// is saturated, so the sum is one less.
func Room[W Word]() uint64 {
	if m := uint64(^W(0)); m < math.MaxUint64 {
		return m
	}
	return Saturated - 1
}

// Shift returns the shift of the smallest words that can hold v: see Table.Shift.
func Shift(v uint64) uint8 {
	return uint8(bits.Len(uint(max(bits.Len64(v)-1, 0)) / 8))
}

// Table is a table of words, each of 1 << Shift bytes.
type Table struct {
	Shift uint8
	B     []byte
}

// Make returns a table of n counters that are 0.
func Make(shift uint8, n int) Table { return Table{shift, make([]byte, n<<shift)} }

// Clone returns a copy.
func (t Table) Clone() Table { return Table{t.Shift, slices.Clone(t.B)} }

// Emptied returns a table of as many counters that are 0, of one byte each, in the memory of t.
func (t Table) Emptied() Table {
	t = Table{B: t.B[:t.Len()]}
	clear(t.B)
	return t
}

// Open returns the table of n counters in a body. It reports false if they are not in words of 1, 2, 4 or 8
// bytes.
func Open(n int, body []byte) (Table, bool) {
	for shift := range uint8(4) {
		if len(body) == n<<shift {
			return Table{shift, body}, true
		}
	}
	return Table{}, false
}

// Tight returns the counters in the smallest words that hold them.
func (t Table) Tight() Table {
	if shift := Shift(t.Or()); shift != t.Shift {
		return t.Resize(shift)
	}
	return t
}

// Len returns the number of counters.
func (t Table) Len() int { return len(t.B) >> t.Shift }

// At returns counter i.
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

// Set sets counter i to v, which must fit.
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

// Increase adds n to the counters at places. It reports whether one of them is saturated.
func (t *Table) Increase(places []uint32, n uint64) (saturated bool) {
	for _, p := range places {
		sum := saturate.Add(t.At(int(p)), n)
		t.raise(int(p), sum)
		saturated = saturated || sum == Saturated
	}
	return saturated
}

// IncreaseLeast is the conservative update, or minimal increase: it raises every counter at places to at
// least their minimum plus n. It reports whether one of them is saturated.
func (t *Table) IncreaseLeast(places []uint32, n uint64) (saturated bool) {
	least := uint64(Saturated)
	for _, p := range places {
		least = min(least, t.At(int(p)))
	}
	target := saturate.Add(least, n)
	for _, p := range places {
		if t.At(int(p)) < target {
			t.raise(int(p), target)
		}
	}
	return target == Saturated
}

// Decrease subtracts n from the counters at places, which are all at least n. Saturated counters stay.
func (t Table) Decrease(places []uint32, n uint64) {
	for _, p := range places {
		t.Set(int(p), saturate.Sub(t.At(int(p)), n))
	}
}

// raise sets counter i to v. If v does not fit, all counters become wider.
func (t *Table) raise(i int, v uint64) {
	if shift := Shift(v); shift > t.Shift {
		*t = t.Resize(shift)
	}
	t.Set(i, v)
}

// Unpack copies len(dst) counters to dst, beginning with counter at.
func (t Table) Unpack(at int, dst []uint64) {
	for k := range dst {
		dst[k] = t.At(at + k)
	}
}

// BlockLen is the number of counters in a block.
const BlockLen = 64

// Source is a list of counters that can be read, in any encoding.
type Source interface {
	// Len returns the number of counters.
	Len() int
	// Unpack copies counters to dst, beginning with counter at.
	Unpack(at int, dst []uint64)
}

// Blocks yields the counters of a source in order, in blocks of BlockLen counters, of which the last may
// be shorter. With each block it yields the index of its first counter. A block is overwritten by the
// next one. Blocks allocates memory for one block.
func Blocks(s Source) iter.Seq2[int, []uint64] {
	return func(yield func(at int, block []uint64) bool) {
		block := make([]uint64, BlockLen)
		for at, n := 0, s.Len(); at < n; at += BlockLen {
			block = block[:min(BlockLen, n-at)]
			if s.Unpack(at, block); !yield(at, block) {
				return
			}
		}
	}
}

// Collect returns a table of the counters of a source.
func Collect(s Source) Table {
	t := Make(0, s.Len())
	for at, block := range Blocks(s) {
		for i, v := range block {
			t.raise(at+i, v)
		}
	}
	return t
}

// Covers reports whether every counter of a is at least as large as the same counter of b. Both have the
// same number of counters.
func Covers(a, b Source) bool {
	var room [BlockLen]uint64
	for at, block := range Blocks(a) {
		others := room[:len(block)]
		b.Unpack(at, others)
		for i, v := range block {
			if v < others[i] {
				return false
			}
		}
	}
	return true
}

// Merge sets every counter to f(its value, the value of the same counter in other). All counters
// get as wide as the largest result needs. It reports whether a result is saturated.
func (t *Table) Merge(other Table, f func(a, b uint64) uint64) (saturated bool) {
	for i := range t.Len() {
		v := f(t.At(i), other.At(i))
		t.raise(i, v)
		saturated = saturated || v == Saturated
	}
	return saturated
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

// Used returns how many counters of a source are not 0, and the largest one.
func Used(s Source) (n int, largest uint64) {
	for _, block := range Blocks(s) {
		for _, v := range block {
			if v != 0 {
				n++
			}
			largest = max(largest, v)
		}
	}
	return n, largest
}

// Sum returns the sum of all counters, a number of 128 bits. It allocates nothing.
func (t Table) Sum() (hi, lo uint64) {
	for i := range t.Len() {
		var carry uint64
		lo, carry = bits.Add64(lo, t.At(i), 0)
		hi += carry
	}
	return hi, lo
}

// Resize copies the counters to a table with words of another size. They must fit.
func (t Table) Resize(shift uint8) Table {
	to := Make(shift, t.Len())
	for i := range t.Len() {
		to.Set(i, t.At(i))
	}
	return to
}

// Or returns a number that has as many bits as the largest counter.
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
