package cascade

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

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
		h, l := d.Layers[x].sum()
		shift := d.Shape.ShiftOf(x)
		var carry uint64
		lo, carry = bits.Add64(lo, l<<shift, 0)
		// If shift is 0, l>>64 is 0 in Go.
		hi += h<<shift + l>>(64-shift) + carry
	}
	return hi, lo
}

// sum returns the sum of the values of a layer.
func (l *Layer) sum() (hi, lo uint64) {
	if l.Width != 4 && l.Width != 8 && l.Width != 16 {
		for j := range l.Size {
			var carry uint64
			lo, carry = bits.Add64(lo, l.Load(j)&l.Mask, 0)
			hi += carry
		}
		return hi, lo
	}
	w := l.Width
	values := ^uint64(0) / (l.Flag<<1 - 1) * l.Mask // masks the values of all counters in a word, without flags
	lanes := ^uint64(0) / (1<<w + 1)                // masks every second counter of a word
	// A lane is twice as wide as a counter. The counters of this many bytes can be added up in lanes
	// without overflow.
	most := 8 * int((1<<(2*w)-1)/(2*l.Mask))
	for b := l.data; len(b) > 0; {
		block, sum := b[:min(len(b), most)], uint64(0)
		b = b[len(block):]
		for ; len(block) >= 8; block = block[8:] {
			v := binary.LittleEndian.Uint64(block) & values
			sum += v&lanes + v>>w&lanes
		}
		for ; sum != 0; sum >>= 2 * w {
			lo += sum & (1<<(2*w) - 1)
		}
	}
	return 0, lo
}
