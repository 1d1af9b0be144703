// Package cascade has the counters of a sketch: layers of counting Bloom filters. Each layer has fewer and
// wider counters than the one before. A counter that overflows carries into the layer above (Laass,
// Walther, Mansour and Werner, "CascadeCBF: Probabilistic Counting for Sparse Spatial Point Clouds").
//
// A counter of b bits counts to 2^(b-1)-1. The next increment sets its flag, wraps its value to 0 and
// carries 1 into the next layer, at the index modulo that layer's size. Its value is v0 + v1*2^(b0-1) +
// v2*2^(b0-1+b1-1) + ... as long as flags are set. The last layer saturates and never wraps.
//
// Keys come as hashes. The package does not know whether a key is a cell or a square, with a category or
// without.
package cascade

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Counters has an array of counters for each layer. All arrays lie in one body.
type Counters struct {
	Shape     Shape
	Body      []byte
	Layers    [MaxLayers]Layer
	Saturated bool // a counter of the last layer is at its ceiling
	// Full is the largest possible count of a key: the total, or the most that can be counted. A counter
	// at its ceiling counts as Full. So does one that continues in a counter at its ceiling.
	Full uint64
	// meet bounds the counts that have no digit in a layer where two positions of one key may fall on the
	// same counter (see apart). It is the largest uint64 if such positions need not be told apart.
	meet uint64
}

// View makes d the counters of shape s in body, which must have s.Bytes() bytes.
func (d *Counters) View(s Shape, body []byte) {
	d.Shape, d.Body, d.Saturated, d.Full, d.meet = s, body, false, ^uint64(0), ^uint64(0)
	for x := range s.Layers {
		n := s.layerBytes(x)
		d.Layers[x] = newLayer(body[:n:n], s.Width[x], s.Size[x])
		body = body[n:]
	}
}

// Limit limits counts to the total, if it is known. sums says that counters are sums of points.
func (d *Counters) Limit(total uint64, known, sums bool) {
	if known {
		d.Full = total
	}
	if sums {
		d.meet = d.Shape.meeting()
	}
}

// New returns counters of shape s that are all 0.
func New(s Shape) *Counters {
	d := &Counters{}
	d.View(s, make([]byte, s.Bytes()))
	return d
}

// Clone returns a copy.
func (d *Counters) Clone() *Counters {
	c := New(d.Shape)
	copy(c.Body, d.Body)
	c.Saturated = d.Saturated
	return c
}

// Value returns the value of counter j of the first layer. It adds up digits, each shifted by the bits of
// the layers below, as long as flags are set. The value of a counter at its ceiling is Full.
func (d *Counters) Value(j uint64) uint64 { return d.ValueFrom(0, j, 0) }

// ValueFrom is Value, but begins in layer x, and as if the flags of the first class layers were set. So it is by how much
// a key that carries out of these layers raises the counter too high. j is an index of layer x.
func (d *Counters) ValueFrom(x int, j uint64, class int) uint64 {
	v, known := d.digits(x, j, class)
	if !known {
		return d.fullFrom(x)
	}
	return v
}

// digits is ValueFrom, but returns false if a counter is at its ceiling.
func (d *Counters) digits(x int, j uint64, class int) (v uint64, known bool) {
	for shift := uint(0); ; x++ {
		l := &d.Layers[x]
		c := l.Load(j)
		v += (c & l.Mask) << shift
		if c&l.Flag == 0 && x >= class {
			return v, true
		}
		if x == d.Shape.Layers-1 {
			return 0, false
		}
		shift += l.Width - 1
		j = d.Layers[x+1].mod(j)
	}
}

// EachValue calls f with ValueFrom of each counter of layer x, in order.
func (d *Counters) EachValue(x, class int, f func(v uint64)) {
	for j := range d.Layers[x].Size {
		f(d.ValueFrom(x, j, class))
	}
}

// fullFrom returns Full in units of layer x, rounded up.
func (d *Counters) fullFrom(x int) uint64 {
	if x == 0 {
		return d.Full
	}
	shift := d.Shape.ShiftOf(x)
	return min(d.Full>>shift+1, ^uint64(0)>>shift)
}

// Add adds n to counter j of layer x and carries into the layers above.
func (d *Counters) Add(x int, j, n uint64) {
	for ; n != 0; x++ {
		l := &d.Layers[x]
		c := l.Load(j)
		if x == d.Shape.Layers-1 {
			if c&l.Flag != 0 || n > l.Mask-c&l.Mask {
				l.store(j, l.Flag|l.Mask)
				d.Saturated = true
				return
			}
			l.store(j, c+n)
			return
		}
		// For a very large n, c&l.Mask + n may exceed a uint64. So add the digits first, and then the
		// rest of n to the carry.
		low := c&l.Mask + n&l.Mask
		carry := n>>(l.Width-1) + low>>(l.Width-1)
		c = c&l.Flag | low&l.Mask
		if carry != 0 {
			c |= l.Flag
		}
		l.store(j, c)
		n = carry
		if n != 0 {
			j = d.Layers[x+1].mod(j)
		}
	}
}

// remove subtracts n from counter j of layer x, whose value must be at least n, and borrows from the
// layers above. A saturated counter stays, as its value is unknown.
func (d *Counters) remove(x int, j, n uint64) {
	l := &d.Layers[x]
	c := l.Load(j)
	if x == d.Shape.Layers-1 {
		if c&l.Flag == 0 {
			l.store(j, c-n)
		}
		return
	}
	if c&l.Flag == 0 {
		l.store(j, c-n)
		return
	}
	v, up := c&l.Mask, d.Layers[x+1].mod(j)
	if v < n {
		borrow := (n - v + l.Mask) >> (l.Width - 1)
		d.remove(x+1, up, borrow)
		v += borrow << (l.Width - 1)
	}
	c = l.Flag | (v - n)
	if d.Layers[x+1].Load(up) == 0 {
		c &= l.Mask
	}
	l.store(j, c)
}

// Raise raises counter j of layer x to at least v, and returns its value before. The value is unknown if
// a counter is at its ceiling. In the layers above, Raise raises digits by maximum. Other counters with
// flags share these digits, so a digit changes only if it is lower.
func (d *Counters) Raise(x int, j, v uint64) (before uint64, known bool) {
	l := &d.Layers[x]
	c := l.Load(j)
	flag, digit := c&l.Flag, c&l.Mask
	if x == d.Shape.Layers-1 {
		switch {
		case flag != 0:
			return d.fullFrom(x), false
		case v > l.Mask:
			l.store(j, l.Flag|l.Mask)
			d.Saturated = true
		case c < v:
			l.store(j, v)
		}
		return c, true
	}
	up, above := v>>(l.Width-1), uint64(0)
	before = digit
	if flag != 0 || up > 0 {
		above, known = d.Raise(x+1, d.Layers[x+1].mod(j), up)
		if flag != 0 {
			if !known {
				return d.fullFrom(x), false
			}
			before += above << (l.Width - 1)
		}
	}
	if before >= v {
		return before, true
	}
	if up > 0 {
		flag = l.Flag
	}
	digit = v & l.Mask
	// If the counters above hold more than v needs there, a digit of 0 suffices.
	if above > up {
		digit = 0
	}
	l.store(j, flag|digit)
	return before, true
}

// Fill returns the fraction of the counters of the first layer that are not 0.
func (d *Counters) Fill() float64 {
	l, used := &d.Layers[0], uint64(0)
	for j := range l.Size {
		if l.Load(j) != 0 {
			used++
		}
	}
	return float64(used) / float64(l.Size)
}

// Layer is an array of counters in a body. Counter i takes the bits from i*width on, least significant
// first. So counters of 8, 16 and 32 bits are little-endian words. The high bit of a counter is its flag.
type Layer struct {
	data  []byte // a multiple of 8 bytes long
	Width uint
	Size  uint64
	Mask  uint64 // a mask for the digit of a counter, without the flag.
	Flag  uint64 // a mask for the flag of a counter.
	recip uint64 // floor((2^64-1) / size), for mod
}

// newLayer returns a layer of size counters, each with width bits, in data.
func newLayer(data []byte, width uint8, size uint64) Layer {
	flag := uint64(1) << (width - 1)
	return Layer{data: data, Width: uint(width), Size: size, Mask: flag - 1, Flag: flag, recip: ^uint64(0) / size}
}

// mod returns h modulo the size of the layer. It multiplies instead of dividing, and corrects the
// quotient, which may be one too small.
func (l *Layer) mod(h uint64) uint64 {
	q, _ := bits.Mul64(h, l.recip)
	return simd.Wrap(h-q*l.Size, l.Size)
}

// Load returns counter i, flag included.
func (l *Layer) Load(i uint64) uint64 {
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

// CheckBits checks that the bits after each layer are 0. It also checks that flagged counters of the last
// layer are full, and that Saturated says whether there are any.
func (d *Counters) CheckBits() error {
	for x := range d.Shape.Layers {
		l := &d.Layers[x]
		used := l.Size * uint64(l.Width)
		if n := used % 64; n != 0 && binary.LittleEndian.Uint64(l.data[len(l.data)-8:])>>n != 0 {
			return sketch.Invalidf("bits are set after the last counter of layer %d", x)
		}
	}
	l, full := &d.Layers[d.Shape.Layers-1], false
	for j := range l.Size {
		if c := l.Load(j); c&l.Flag != 0 {
			if c != l.Flag|l.Mask {
				return sketch.Invalidf("counter %d of the last layer is %#x: at its ceiling, but not full", j, c)
			}
			full = true
		}
	}
	if full != d.Saturated {
		return sketch.Invalidf("the flag for counters at their ceiling is wrong")
	}
	return nil
}

// CheckMaxima checks that counters that are no sums match the total. most is the number of keys of all
// points.
func (d *Counters) CheckMaxima(total, most uint64) error {
	l := &d.Layers[0]
	anything := slices.ContainsFunc(d.Body, func(c byte) bool { return c != 0 })
	if anything != (total > 0) {
		return sketch.Invalidf("a total of %d, but counters do not match it", total)
	}
	// A counter may have any digit and a flag, so there is nothing to check.
	if most > l.Mask {
		return nil
	}
	for j := range l.Size {
		if c := l.Load(j); c > most {
			return sketch.Invalidf("a total of %d, but counter %d is %#x", total, j, c)
		}
	}
	return nil
}

// Sum returns the sum of all increments of all counters, a number of 128 bits. A digit counts in units of
// its layer, so a carry changes nothing.
func (d *Counters) Sum() (hi, lo uint64) {
	for x := range d.Shape.Layers {
		l, shift := &d.Layers[x], d.Shape.ShiftOf(x)
		for j := range l.Size {
			var carry uint64
			lo, carry = bits.Add64(lo, l.Load(j)&l.Mask<<shift, 0)
			hi += carry
		}
	}
	return hi, lo
}
