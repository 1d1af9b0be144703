package ccbf

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// checkBits holds the bits after each layer and the counters at their ceiling
// against the flag for them.
func (d *dense) checkBits() error {
	for x := range d.shape.layers {
		l := &d.layers[x]
		used := l.size * uint64(l.width)
		if n := used % 64; n != 0 && binary.LittleEndian.Uint64(l.data[len(l.data)-8:])>>n != 0 {
			return sketch.Invalidf("bits are set after the last counter of layer %d", x)
		}
	}
	l, full := &d.layers[d.shape.layers-1], false
	for j := range l.size {
		if c := l.load(j); c&l.flag != 0 {
			if c != l.flag|l.mask {
				return sketch.Invalidf("counter %d of the last layer is %#x: at its ceiling, and not full", j, c)
			}
			full = true
		}
	}
	if full != d.saturated {
		return sketch.Invalidf("the flag for counters at their ceiling is wrong")
	}
	return nil
}

// checkMaxima holds a total against counters that are no sums; most is the number
// of keys of all points.
func (d *dense) checkMaxima(total, most uint64) error {
	l := &d.layers[0]
	anything := false
	for _, c := range d.body {
		if c != 0 {
			anything = true
			break
		}
	}
	if anything != (total > 0) {
		return sketch.Invalidf("a total of %d, and counters that say otherwise", total)
	}
	if most > l.mask { // so flags may be set as well
		return nil
	}
	for j := range l.size {
		if c := l.load(j); c > most {
			return sketch.Invalidf("a total of %d, and counter %d is %#x", total, j, c)
		}
	}
	return nil
}

// sum is the sum of what all counters were counted up by, a number of 128 bits:
// a carry is as much as left the counter below.
func (d *dense) sum() (hi, lo uint64) {
	for x := range d.shape.layers {
		h, l := d.layers[x].sum()
		shift := d.shape.shiftOf(x)
		var carry uint64
		lo, carry = bits.Add64(lo, l<<shift, 0)
		hi += h<<shift + l>>(64-shift) + carry // l>>64 is 0
	}
	return hi, lo
}

// sum is the sum of the values of a layer.
func (l *layer) sum() (hi, lo uint64) {
	const (
		pairs  = 0x00ff00ff00ff00ff
		halves = 0x0000ffff0000ffff
		low    = 0x00000000ffffffff
	)
	if l.width != 4 && l.width != 8 && l.width != 16 {
		for j := range l.size {
			var carry uint64
			lo, carry = bits.Add64(lo, l.load(j)&l.mask, 0)
			hi += carry
		}
		return hi, lo
	}
	// Sums of neighbours, in lanes of twice the width, until they are one number:
	// at most 2^32 values below 2^15.
	values := ^uint64(0) / (l.flag<<1 - 1) * l.mask
	for b := l.data; len(b) > 0; b = b[8:] {
		w := binary.LittleEndian.Uint64(b) & values
		if l.width == 4 {
			const nibbles = 0x0f0f0f0f0f0f0f0f
			w = w&nibbles + w>>4&nibbles
		}
		if l.width <= 8 {
			w = w&pairs + w>>8&pairs
		}
		w = w&halves + w>>16&halves
		lo += w&low + w>>32
	}
	return 0, lo
}
