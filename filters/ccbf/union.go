package ccbf

import "math/bits"

// union adds the counters of o, of the same shape, to d's, layer by layer with
// carry. The result does not depend on the order of unions; in mode standard
// it equals the array of all insertions together, bit for bit. o is unchanged.
func (d *dense) union(o *dense) {
	for x := range d.shape.layers {
		if 64%d.layers[x].width == 0 {
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
	from := words(src)
	to := words(l.data)[:len(from)]
	for i, b := range from {
		if b == 0 {
			continue
		}
		a := to[i]
		sum := a&^flags + b&^flags
		to[i] = sum | (a|b)&flags
		if last && to[i]&flags != 0 {
			to[i] = d.saturateWord(l, to[i], flags)
		} else if carry := sum & flags; carry != 0 && !last {
			d.carryWord(x, uint64(i), carry)
		}
	}
}

// carryWord counts one in the layer above for every counter of a word whose
// flag bit is in carry.
func (d *dense) carryWord(x int, word, carry uint64) {
	width := uint64(d.layers[x].width)
	for ; carry != 0; carry &= carry - 1 {
		j := word*(64/width) + uint64(bits.TrailingZeros64(carry))/width
		d.add(x+1, d.layers[x+1].mod(j), 1)
	}
}

// saturateWord is a word of the last layer with its flagged counters at their
// ceiling.
func (d *dense) saturateWord(l *layer, w, flags uint64) uint64 {
	d.saturated = true
	for f := w & flags; f != 0; f &= f - 1 {
		w |= (l.mask | l.flag) << (uint(bits.TrailingZeros64(f)) + 1 - l.width)
	}
	return w
}

// unionLayer is unionWords for widths whose counters lie across words.
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
