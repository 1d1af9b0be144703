package cascade

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// CheckBits holds the bits after each layer and the counters at their ceiling
// against the flag for them.
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

// CheckMaxima holds a total against counters that are no sums; most is the number
// of keys of all points.
func (d *Counters) CheckMaxima(total, most uint64) error {
	l := &d.Layers[0]
	anything := false
	for _, c := range d.Body {
		if c != 0 {
			anything = true
			break
		}
	}
	if anything != (total > 0) {
		return sketch.Invalidf("a total of %d, but counters do not match it", total)
	}
	if most > l.Mask { // so flags may be set as well
		return nil
	}
	for j := range l.Size {
		if c := l.Load(j); c > most {
			return sketch.Invalidf("a total of %d, but counter %d is %#x", total, j, c)
		}
	}
	return nil
}

// Sum is the sum of what all counters were counted up by, a number of 128 bits:
// a carry is as much as left the counter below.
func (d *Counters) Sum() (hi, lo uint64) {
	for x := range d.Shape.Layers {
		h, l := d.Layers[x].sum()
		shift := d.Shape.ShiftOf(x)
		var carry uint64
		lo, carry = bits.Add64(lo, l<<shift, 0)
		hi += h<<shift + l>>(64-shift) + carry // l>>64 is 0
	}
	return hi, lo
}

// Every second lane of 8, 16 and 32 bits.
const (
	pairs  = 0x00ff00ff00ff00ff
	halves = 0x0000ffff0000ffff
	low    = 0x00000000ffffffff
)

// sum is the sum of the values of a layer.
func (l *Layer) sum() (hi, lo uint64) {
	if l.Width != 4 && l.Width != 8 && l.Width != 16 {
		for j := range l.Size {
			var carry uint64
			lo, carry = bits.Add64(lo, l.Load(j)&l.Mask, 0)
			hi += carry
		}
		return hi, lo
	}
	// Sums of neighbours, in lanes of twice the width and for counters of 4 bits four
	// times, so wide that those of sumBlock bytes fit, and then of the lanes.
	for b := l.data; len(b) > 0; {
		block := b[:min(len(b), sumBlock)]
		b = b[len(block):]
		w := uint64(0)
		switch l.Width {
		case 4:
			w = sumNibbles(block)
		case 8:
			w = sumBytes(block)
		default:
			for ; len(block) >= 8; block = block[8:] {
				v := binary.LittleEndian.Uint64(block) & 0x7fff7fff7fff7fff
				w += v&halves + v>>16&halves
			}
		}
		if l.Width <= 8 {
			w = w&halves + w>>16&halves
		}
		lo += w&low + w>>32
	}
	return 0, lo
}

// sumBlock is how many bytes are added up in lanes: 256 words, of which each adds no
// more than 254 to a lane of 16 bits, 2*(2^15-1) to one of 32.
const sumBlock = 256 * 8

// sumNibbles is the sum of counters of 4 bits in four lanes.
func sumNibbles(block []byte) (w uint64) {
	const values, nibbles = 0x7777777777777777, 0x0f0f0f0f0f0f0f0f
	for ; len(block) >= 8; block = block[8:] {
		v := binary.LittleEndian.Uint64(block) & values
		v = v&nibbles + v>>4&nibbles
		w += v&pairs + v>>8&pairs
	}
	return w
}

// sumBytes is the sum of counters of 8 bits in four lanes.
func sumBytes(block []byte) (w uint64) {
	for ; len(block) >= 8; block = block[8:] {
		v := binary.LittleEndian.Uint64(block) & 0x7f7f7f7f7f7f7f7f
		w += v&pairs + v>>8&pairs
	}
	return w
}
