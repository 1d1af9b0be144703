package ccbf

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// layer is one array of counters in a body: counter i takes the bits from
// i*width on, least significant first, so that widths of 8, 16 and 32 bits are
// little-endian words. The high bit of a counter is its flag.
type layer struct {
	data  []byte // a multiple of 8 bytes long
	width uint
	size  uint64
	mask  uint64 // the value bits
	flag  uint64 // the flag bit
	recip uint64 // floor((2^64-1) / size), for mod
}

func newLayer(data []byte, width uint8, size uint64) layer {
	flag := uint64(1) << (width - 1)
	return layer{data: data, width: uint(width), size: size, mask: flag - 1, flag: flag, recip: ^uint64(0) / size}
}

// mod is h modulo the layer's size, by a multiplication: the quotient it
// estimates is at most one too small.
func (l *layer) mod(h uint64) uint64 {
	q, _ := bits.Mul64(h, l.recip)
	return wrap(h-q*l.size, l.size)
}

// load returns counter i, flag included.
func (l *layer) load(i uint64) uint64 {
	switch l.width {
	case 4:
		return uint64(l.data[i/2] >> (i % 2 * 4) & 15)
	case 8:
		return uint64(l.data[i])
	case 16:
		return uint64(binary.LittleEndian.Uint16(l.data[2*i:]))
	case 32:
		return uint64(binary.LittleEndian.Uint32(l.data[4*i:]))
	}
	bit := i * uint64(l.width)
	word, off := bit/64*8, bit%64
	v := binary.LittleEndian.Uint64(l.data[word:]) >> off
	if off+uint64(l.width) > 64 {
		v |= binary.LittleEndian.Uint64(l.data[word+8:]) << (64 - off)
	}
	return v & (l.mask | l.flag)
}

// store sets counter i, flag included.
func (l *layer) store(i, c uint64) {
	switch l.width {
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
	bit := i * uint64(l.width)
	word, off := bit/64*8, bit%64
	all := l.mask | l.flag
	low := binary.LittleEndian.Uint64(l.data[word:])
	binary.LittleEndian.PutUint64(l.data[word:], low&^(all<<off)|c<<off)
	if off+uint64(l.width) > 64 {
		high := binary.LittleEndian.Uint64(l.data[word+8:])
		binary.LittleEndian.PutUint64(l.data[word+8:], high&^(all>>(64-off))|c>>(64-off))
	}
}

// word is a counter width that the machine has.
type word interface{ uint8 | uint16 | uint32 }

// wordWidth is the layer's width where its counters are words that the machine
// reads in place, and 0 where the kernels for words must leave it alone. Counters
// of 4 bits are read by bytes, everywhere.
func (l *layer) wordWidth() uint {
	if inPlace || l.width <= 8 {
		return l.width
	}
	return 0
}

// counters views a layer of width W as a slice: only where wordWidth says so.
func counters[W word](l *layer) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(l.data))), l.size)
}

// words views bytes, a multiple of 8 of them, as words: only where inPlace.
func words(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// dense is the dense form: one array of counters per layer over one body.
type dense struct {
	shape     shape
	body      []byte
	layers    [MaxLayers]layer
	saturated bool // a counter of the last layer is at its ceiling
	// full is what a counter reads as that is at its ceiling, or continues in one
	// that is: what no key has more of. The total, or all that can be counted.
	full uint64
	// meet is the largest reading that has nothing of counters in which positions
	// of one key may meet, where those are to be told apart (meeting.go).
	meet uint64
}

// view lays a shape over a body, which must have shape.bytes() bytes.
func (d *dense) view(s shape, body []byte) {
	d.shape, d.body, d.saturated, d.full, d.meet = s, body, false, ^uint64(0), ^uint64(0)
	for x := range s.layers {
		n := s.layerBytes(x)
		d.layers[x] = newLayer(body[:n:n], s.width[x], s.size[x])
		body = body[n:]
	}
}

func newDense(s shape) *dense {
	d := &dense{}
	d.view(s, make([]byte, s.bytes()))
	return d
}

func (d *dense) clone() *dense {
	c := newDense(d.shape)
	copy(c.body, d.body)
	c.saturated = d.saturated
	return c
}

// value reconstructs counter j of the first layer (DESIGN: v0 + v1*2^(b0-1) +
// ... while flags are set). A counter at its ceiling holds an unknown number.
func (d *dense) value(j uint64) uint64 { return d.valueFrom(0, j) }

// valueFrom is value, counted from layer x on; j is an index of layer x.
func (d *dense) valueFrom(x int, j uint64) uint64 {
	v, known := d.digits(x, j)
	if !known {
		return d.fullFrom(x)
	}
	return v
}

// digits is valueFrom; false where a counter is at its ceiling.
func (d *dense) digits(x int, j uint64) (v uint64, known bool) {
	for shift := uint(0); ; x++ {
		l := &d.layers[x]
		c := l.load(j)
		v += (c & l.mask) << shift
		if c&l.flag == 0 {
			return v, true
		}
		if x == d.shape.layers-1 {
			return 0, false
		}
		shift += l.width - 1
		j = d.layers[x+1].mod(j)
	}
}

// fullFrom is full, counted from layer x on: rounded up.
func (d *dense) fullFrom(x int) uint64 {
	if x == 0 {
		return d.full
	}
	shift := d.shape.shiftOf(x)
	return min(d.full>>shift+1, ^uint64(0)>>shift)
}

// add counts n more in counter j of layer x and carries into the layers above.
func (d *dense) add(x int, j, n uint64) {
	for ; n != 0; x++ {
		l := &d.layers[x]
		c := l.load(j)
		if x == d.shape.layers-1 {
			if c&l.flag != 0 || n > l.mask-c&l.mask {
				l.store(j, l.flag|l.mask)
				d.saturated = true
				return
			}
			l.store(j, c+n)
			return
		}
		// c&mask + n may pass 2^64 only where n does nearly: add the parts.
		low := c&l.mask + n&l.mask
		carry := n>>(l.width-1) + low>>(l.width-1)
		c = c&l.flag | low&l.mask
		if carry != 0 {
			c |= l.flag
		}
		l.store(j, c)
		n = carry
		if n != 0 {
			j = d.layers[x+1].mod(j)
		}
	}
}

// remove counts n less in counter j of layer x, whose value must be at least
// n, and borrows from the layers above. A saturated counter stays: what it
// lost cannot be known.
func (d *dense) remove(x int, j, n uint64) {
	l := &d.layers[x]
	c := l.load(j)
	if x == d.shape.layers-1 {
		if c&l.flag == 0 {
			l.store(j, c-n)
		}
		return
	}
	if c&l.flag == 0 {
		l.store(j, c-n)
		return
	}
	v, up := c&l.mask, d.layers[x+1].mod(j)
	if v < n {
		borrow := (n - v + l.mask) >> (l.width - 1)
		d.remove(x+1, up, borrow)
		v += borrow << (l.width - 1)
	}
	c = l.flag | (v - n)
	if d.layers[x+1].load(up) == 0 {
		c &= l.mask
	}
	l.store(j, c)
}

// raise makes counter j of layer x at least v, upper digits by maximum: a
// digit shared with other flagged counters is raised only where it is below.
func (d *dense) raise(x int, j, v uint64) {
	l := &d.layers[x]
	c := l.load(j)
	if v <= l.mask {
		if c&l.flag == 0 && c < v {
			l.store(j, v)
		} else if c&l.flag != 0 && d.valueFrom(x, j) < v {
			l.store(j, l.flag|v)
		}
		return
	}
	if x == d.shape.layers-1 {
		l.store(j, l.flag|l.mask)
		d.saturated = true
		return
	}
	up, j2 := v>>(l.width-1), d.layers[x+1].mod(j)
	have := d.valueFrom(x+1, j2)
	digit := uint64(0)
	if have <= up {
		digit = v & l.mask
		if c&l.flag != 0 && have == up {
			digit = max(digit, c&l.mask)
		}
		d.raise(x+1, j2, up)
	} else if c&l.flag != 0 {
		digit = c & l.mask
	}
	l.store(j, l.flag|digit)
}
