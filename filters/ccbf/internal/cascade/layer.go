package cascade

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Layer is one array of counters in a body: counter i takes the bits from
// i*width on, least significant first, so that widths of 8, 16 and 32 bits are
// little-endian words. The high bit of a counter is its flag.
type Layer struct {
	data  []byte // a multiple of 8 bytes long
	Width uint
	Size  uint64
	Mask  uint64 // the value bits
	Flag  uint64 // the flag bit
	recip uint64 // floor((2^64-1) / size), for mod
}

func newLayer(data []byte, width uint8, size uint64) Layer {
	flag := uint64(1) << (width - 1)
	return Layer{data: data, Width: uint(width), Size: size, Mask: flag - 1, Flag: flag, recip: ^uint64(0) / size}
}

// mod is h modulo the layer's size, by a multiplication: the quotient it
// estimates is at most one too small.
func (l *Layer) mod(h uint64) uint64 {
	q, _ := bits.Mul64(h, l.recip)
	return wrap(h-q*l.Size, l.Size)
}

// Load returns counter i, flag included.
func (l *Layer) Load(i uint64) uint64 {
	switch l.Width {
	case 4:
		return uint64(l.data[i/2] >> (i % 2 * 4) & 15)
	case 8:
		return uint64(l.data[i])
	case 16:
		return uint64(binary.LittleEndian.Uint16(l.data[2*i:]))
	case 32:
		return uint64(binary.LittleEndian.Uint32(l.data[4*i:]))
	}
	bit := i * uint64(l.Width)
	word, off := bit/64*8, bit%64
	v := binary.LittleEndian.Uint64(l.data[word:]) >> off
	if off+uint64(l.Width) > 64 {
		v |= binary.LittleEndian.Uint64(l.data[word+8:]) << (64 - off)
	}
	return v & (l.Mask | l.Flag)
}

// store sets counter i, flag included.
func (l *Layer) store(i, c uint64) {
	switch l.Width {
	case 4:
		b, shift := &l.data[i/2], i%2*4
		*b = *b&^(15<<shift) | byte(c)<<shift
		return
	case 8:
		l.data[i] = byte(c)
		return
	case 16:
		binary.LittleEndian.PutUint16(l.data[2*i:], uint16(c))
		return
	case 32:
		binary.LittleEndian.PutUint32(l.data[4*i:], uint32(c))
		return
	}
	bit := i * uint64(l.Width)
	word, off := bit/64*8, bit%64
	all := l.Mask | l.Flag
	low := binary.LittleEndian.Uint64(l.data[word:])
	binary.LittleEndian.PutUint64(l.data[word:], low&^(all<<off)|c<<off)
	if off+uint64(l.Width) > 64 {
		high := binary.LittleEndian.Uint64(l.data[word+8:])
		binary.LittleEndian.PutUint64(l.data[word+8:], high&^(all>>(64-off))|c>>(64-off))
	}
}

// word is a counter width that the machine has.
type word interface{ uint8 | uint16 | uint32 }

// wordWidth is the layer's width where its counters are words that the machine
// reads in place, and 0 where the kernels for words must leave it alone. Counters
// of 4 bits are read by bytes, everywhere.
func (l *Layer) wordWidth() uint {
	if inPlace || l.Width <= 8 {
		return l.Width
	}
	return 0
}

// counters views a layer of width W as a slice: only where wordWidth says so.
func counters[W word](l *Layer) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(l.data))), l.Size)
}

// words views bytes, a multiple of 8 of them, as words: only where inPlace.
func words(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}
