// Package bitio writes and reads streams of bits, least significant bit first. It has the class code, in
// which exact sketches (sorted lists of cells) write their numbers.
package bitio

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// Writer writes bits to its own byte slice.
type Writer struct {
	buf []byte
	pos int    // number of complete bytes in buf.
	acc uint64 // bits that are not in buf yet.
	n   uint   // number of bits in acc, below 8 after every write.
}

// MaxClassBytes is the most bytes of a number in the class code.
const MaxClassBytes = 24

// Reset makes w write from the start of its buffer. The buffer gets room for this many numbers in the
// class code, and is kept for the next use.
func (w *Writer) Reset(numbers int) { *w = WriterTo(w.buf[:0], numbers) }

// WriterTo returns a writer that appends to dst, with room for this many numbers in the class code.
func WriterTo(dst []byte, numbers int) Writer {
	n, room := len(dst), numbers*MaxClassBytes+8
	return Writer{buf: slices.Grow(dst, room)[:n+room], pos: n}
}

// Write appends the n lower bits of v. All other bits of v must be 0, and n is at most 56.
func (w *Writer) Write(v uint64, n uint) {
	w.acc |= v << (w.n & 63)
	w.n += n
	binary.LittleEndian.PutUint64(w.buf[w.pos:], w.acc)
	whole := w.n / 8
	w.pos += int(whole)
	w.acc >>= whole * 8 & 63
	w.n &= 7
}

// WriteLong is Write for n of at most 64.
func (w *Writer) WriteLong(v uint64, n uint) {
	if n > 32 {
		w.Write(v&(1<<32-1), 32)
		v >>= 32
		n -= 32
	}
	w.Write(v, n)
}

// Len returns the number of bits written since Reset.
func (w *Writer) Len() uint { return uint(w.pos)*8 + w.n }

// Bytes pads the last byte with zeros and returns the bytes written, which are valid until Reset.
func (w *Writer) Bytes() []byte {
	if w.n > 0 {
		return w.buf[:w.pos+1]
	}
	return w.buf[:w.pos]
}

// ClassBits returns how many bits a number with length bits takes in the class code of order k.
//
// The class code is an Elias gamma code that has an order, like a Golomb code. Class e of a number v is
// the bit length of v >> k. The code has e zeros and a one, and then the bits of v below its leading one.
// In class 0, the k lower bits of v follow. The length of a code depends only on the bit length of v. So
// the best order of a block follows from a histogram of bit lengths.
func ClassBits(length, k uint) uint {
	e, low := class(length, k)
	return e + 1 + low
}

// class returns the class of a number with length bits in order k, and how many of its lower bits follow.
// It has no branch, as numbers around 2^k would be mispredicted.
func class(length, k uint) (e, low uint) {
	e = uint(max(int(length)-int(k), 0))
	return e, k + e - min(e, 1)
}

// MaxOrder is the largest order.
const MaxOrder = simd.MaxOrder

// BestOrder returns the order in which the class codes of numbers with these bit lengths take the fewest
// bits. If there are several such orders, it returns the smallest.
func BestOrder(lengths *[65]uint32) uint {
	n := uint(0)
	for _, m := range lengths {
		n += uint(m)
	}
	return BestOrderOf(lengths, n)
}

// BestOrderOf is BestOrder of n numbers. By ClassBits, order k + 1 takes a bit more than order k for each
// number of up to k bits. It takes a bit less for each of more than k + 1. So the best order is the first
// one at which the latter numbers are no more than the former.
func BestOrderOf(lengths *[65]uint32, n uint) uint {
	upTo := uint(lengths[0])
	for k := range uint(MaxOrder) {
		next := upTo + uint(lengths[k+1])
		if upTo >= n-next {
			return k
		}
		upTo = next
	}
	return MaxOrder
}

// RunOrders returns the best orders for the gaps and for the counts of a run with up to simd.MaxRun keys. Gaps
// and counts are coded less one. If counts is nil, all counts are one.
func RunOrders(keys, counts []uint64) (gaps, ns uint) {
	n := len(keys)
	var lengths [65]uint32
	for i := 1; i < n; i++ {
		lengths[bits.Len64(keys[i]-keys[i-1]-1)]++
	}
	gaps = BestOrderOf(&lengths, uint(n-1))
	if counts == nil {
		return gaps, 0
	}
	lengths = [65]uint32{}
	for _, c := range counts[:n] {
		lengths[bits.Len64(c-1)]++
	}
	return gaps, BestOrderOf(&lengths, uint(n))
}

// ClassCode returns the class code of v in order k, least significant bit first, and its length. Codes
// longer than 64 bits come out wrong, but their length is right.
func ClassCode(v uint64, k uint) (code uint64, n uint) {
	e, low := class(uint(bits.Len64(v)), k)
	return (v&(1<<(low&63)-1)<<1 | 1) << (e & 63), e + 1 + low
}

// WriteClass appends v in the class code of order k, k at most 56.
func (w *Writer) WriteClass(v uint64, k uint) {
	if code, n := ClassCode(v, k); n <= 56 {
		w.Write(code, n)
	} else {
		w.writeClassParts(v, k)
	}
}

// WritePair appends u in the class code of order j, and v in that of order k.
func (w *Writer) WritePair(u, v uint64, j, k uint) {
	first, m := ClassCode(u, j)
	if second, n := ClassCode(v, k); m+n <= 56 {
		w.Write(first|second<<(m&63), m+n)
		return
	}
	w.WriteClass(u, j)
	w.WriteClass(v, k)
}

// writeClassParts writes the parts of a long code one by one.
func (w *Writer) writeClassParts(v uint64, k uint) {
	e, low := class(uint(bits.Len64(v)), k)
	for ; e >= 32; e -= 32 {
		w.Write(0, 32)
	}
	w.Write(1<<e, e+1)
	w.WriteLong(v&(1<<low-1), low)
}

// Reader reads bits from a byte slice. It never reads outside of the slice: behind the end it returns
// zeros and sets Overrun.
type Reader struct {
	buf  []byte
	pos  uint   // position in bits
	wide []byte // buf and the bytes after it, which ReadPairs may load but not use.
}

// NewReader returns a Reader of buf.
func NewReader(buf []byte) Reader { return Reader{buf: buf, wide: buf} }

// NewReaderIn returns a Reader of buf[from:to].
func NewReaderIn(buf []byte, from, to int) Reader {
	return Reader{buf: buf[:to], pos: uint(from) * 8, wide: buf}
}

// Overrun reports whether more bits were read than there are.
func (r *Reader) Overrun() bool { return r.pos > uint(len(r.buf))*8 }

// Done reports whether all bits were read, except for less than a byte of zeros.
func (r *Reader) Done() bool {
	return r.pos <= uint(len(r.buf))*8 && uint(len(r.buf))*8-r.pos < 8 && r.Peek() == 0
}

// Peek returns at least the next 57 bits. It does not move the position.
func (r *Reader) Peek() uint64 {
	i := r.pos / 8
	if i+8 <= uint(len(r.buf)) {
		return binary.LittleEndian.Uint64(r.buf[i:]) >> (r.pos & 7)
	}
	return r.tail(i)
}

// tail does the work of Peek near the end of the buffer. i is the index of the byte at the position.
func (r *Reader) tail(i uint) uint64 {
	var b [8]byte
	if i < uint(len(r.buf)) {
		copy(b[:], r.buf[i:])
	}
	return binary.LittleEndian.Uint64(b[:]) >> (r.pos & 7)
}

// ReadClass reads a number that WriteClass wrote with the same order.
func (r *Reader) ReadClass(k uint) uint64 {
	v, n := simd.OrderOf(uint64(k)).Read(r.Peek())
	if n > simd.Window {
		return r.readLongClass(k)
	}
	r.pos += uint(n)
	return v
}

// readLongClass reads a number whose code is longer than one window.
func (r *Reader) readLongClass(k uint) uint64 {
	e := uint(0)
	for ; e <= 64 && r.Peek()&1 == 0; e++ {
		r.pos++
	}
	r.pos++
	switch length := e + k; {
	case length > 64: // damaged, or behind the end, where all bits are 0
		r.pos = uint(len(r.buf))*8 + 1
		return 0
	case e == 0:
		return r.Read(k)
	default:
		return r.Read(length-1) | 1<<(length-1)
	}
}

// Skip moves the position by n bits.
func (r *Reader) Skip(n uint) { r.pos += n }

// Position returns how many bits were read.
func (r *Reader) Position() uint { return r.pos }

// Read reads n bits, at most 64.
func (r *Reader) Read(n uint) uint64 {
	if n <= 32 {
		v := r.Peek() & (1<<n - 1)
		r.pos += n
		return v
	}
	lo := r.Peek() & (1<<32 - 1)
	r.pos += 32
	hi := r.Peek() & (1<<(n-32) - 1)
	r.pos += n - 32
	return hi<<32 | lo
}
