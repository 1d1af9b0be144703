package ccbf

import (
	"encoding/binary"
	"math/bits"
)

// union adds the counters of o, of the same shape, to d's, layer by layer with
// carry. The result does not depend on the order of unions; in mode standard
// it equals the array of all insertions together, bit for bit. o is unchanged.
func (d *dense) union(o *dense) {
	for x := range d.shape.layers {
		if w := d.layers[x].width; w == 8 || w == 16 || w == 32 {
			d.unionWords(x, o.layers[x].data)
		} else {
			d.unionLayer(x, &o.layers[x])
		}
	}
	d.saturated = d.saturated || o.saturated
}

// unionWords adds one layer eight bytes at a time: values are added with the
// flag bits out of the way, so that no carry leaves its counter, and the rare
// counter that overflowed is seen by its flag bit alone.
func (d *dense) unionWords(x int, src []byte) {
	l := &d.layers[x]
	last := x == d.shape.layers-1
	flags := ^uint64(0) / (l.flag<<1 - 1) * l.flag // the flag bit of every counter
	perWord := uint64(64 / l.width)
	dst := l.data[:len(src)]
	for i := 0; i+8 <= len(src); i += 8 {
		b := binary.LittleEndian.Uint64(src[i:])
		if b == 0 {
			continue
		}
		a := binary.LittleEndian.Uint64(dst[i:])
		sum := a&^flags + b&^flags
		carry := sum & flags
		binary.LittleEndian.PutUint64(dst[i:], sum|(a|b)&flags)
		if last && (carry|a|b)&flags != 0 {
			d.saturateWord(l, dst[i:], carry|(a|b)&flags)
		} else if carry != 0 {
			first := uint64(i) / 8 * perWord
			for c := carry; c != 0; c &= c - 1 {
				j := first + uint64(bits.TrailingZeros64(c))/uint64(l.width)
				d.add(x+1, j%d.layers[x+1].size, 1)
			}
		}
	}
}

// saturateWord sets the counters whose flags are given to their ceiling.
func (d *dense) saturateWord(l *layer, dst []byte, flags uint64) {
	w := binary.LittleEndian.Uint64(dst)
	for f := flags; f != 0; f &= f - 1 {
		low := uint(bits.TrailingZeros64(f)) + 1 - l.width
		w |= (l.mask | l.flag) << low
	}
	binary.LittleEndian.PutUint64(dst, w)
	d.saturated = true
}

// unionLayer is unionWords for widths that are no machine words.
func (d *dense) unionLayer(x int, o *layer) {
	l := &d.layers[x]
	for j := range l.size {
		b := o.load(j)
		if b == 0 {
			continue
		}
		flag := b & l.flag
		if flag != 0 && x == d.shape.layers-1 {
			l.store(j, l.flag|l.mask)
			d.saturated = true
			continue
		}
		if flag != 0 {
			l.store(j, l.load(j)|flag)
		}
		d.add(x, j, b&l.mask)
	}
}
