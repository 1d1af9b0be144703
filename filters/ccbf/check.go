package ccbf

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// check holds all of a BLOB but the cells of an exact body against
// docs/FORMAT.md, the checksum first: what Reset leaves out because lookups have
// no time for it. O(len(blob)).
func (v *View) check() error {
	if err := sketch.Verify(v.blob); err != nil {
		return err
	}
	if v.form == formExact {
		return nil
	}
	if err := v.dense.checkBits(); err != nil {
		return err
	}
	if total, known := v.Total(); known {
		if v.Bounds == cells.NoBounds && total > 0 {
			return sketch.Invalidf("a total of %d without bounds", total)
		}
		return v.checkTotal(total)
	}
	return nil
}

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

// checkTotal holds a total against the counters.
//
// Where they are sums, every point adds one to k counters for each key that it
// has: for its cell and each level, with and without its category. A coarsened
// sketch counted levels that it no longer has. What is beyond a ceiling is lost,
// as is what passed 2^64-1 points.
//
// Where they are not, the total says little: maxima of many cells can be small.
// But without points there is nothing, and with points there is something, and a
// counter that never left the first layer has been raised by every key of every
// point at most.
func (v *View) checkTotal(total uint64) error {
	d, keys, coarse := &v.dense, uint64(v.Levels)+1, uint64(v.Base)
	if v.Totals {
		keys, coarse = 2*keys, 2*coarse
	}
	if !v.additive() {
		over, most := bits.Mul64(total, keys+coarse)
		if over != 0 {
			most = ^uint64(0)
		}
		return d.checkMaxima(total, most)
	}
	if v.saturated() || total == ^uint64(0) {
		return nil
	}
	keys *= uint64(v.shape.k)
	hi, lo := bits.Mul64(total, keys)
	sumHi, sumLo := d.sum()
	if over := sumHi > hi || sumHi == hi && sumLo > lo; sumHi < hi || sumHi == hi && sumLo < lo || over && v.Base == 0 {
		return sketch.Invalidf("counters that do not add up to %d times the total %d", keys, total)
	}
	return nil
}

// checkMaxima is checkTotal of counters that are no sums; most is the number of
// keys of all points.
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
