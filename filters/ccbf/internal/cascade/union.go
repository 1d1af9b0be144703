package cascade

import "math/bits"

// Union adds the counters of o, of the same shape, to d's, layer by layer with
// carry. The result does not depend on the order of unions; in mode standard
// it equals the array of all insertions together, bit for bit. o is unchanged.
func (d *Counters) Union(o *Counters) {
	for x := range d.Shape.Layers {
		if inPlace && 64%d.Layers[x].Width == 0 {
			d.unionWords(x, o.Layers[x].data)
		} else {
			d.unionLayer(x, &o.Layers[x])
		}
	}
	d.Saturated = d.Saturated || o.Saturated
}

// unionWords adds one layer eight bytes at a time: values are added with the
// flag bits out of the way, so that no carry leaves its counter, and the rare
// counter that overflowed is seen by its flag bit alone.
func (d *Counters) unionWords(x int, src []byte) {
	l := &d.Layers[x]
	flags := ^uint64(0) / (l.Flag<<1 - 1) * l.Flag // the flag bit of every counter
	from := words(src)
	to := words(l.data)[:len(from)]
	if x == d.Shape.Layers-1 {
		for i, b := range from {
			if b == 0 {
				continue
			}
			a := to[i]
			to[i] = a&^flags + b&^flags | (a|b)&flags
			if to[i]&flags != 0 {
				to[i] = d.saturateWord(l, to[i], flags)
			}
		}
		return
	}
	// Four words at once: most of a sparse sketch are 0, and where they are not, or not all,
	// no branch asks each whether it is.
	i := 0
	for ; i+4 <= len(from); i += 4 {
		b := (*[4]uint64)(from[i:])
		if b[0]|b[1]|b[2]|b[3] == 0 {
			continue
		}
		a := (*[4]uint64)(to[i:])
		s0, s1 := a[0]&^flags+b[0]&^flags, a[1]&^flags+b[1]&^flags
		s2, s3 := a[2]&^flags+b[2]&^flags, a[3]&^flags+b[3]&^flags
		a[0], a[1] = s0|(a[0]|b[0])&flags, s1|(a[1]|b[1])&flags
		a[2], a[3] = s2|(a[2]|b[2])&flags, s3|(a[3]|b[3])&flags
		if (s0|s1|s2|s3)&flags == 0 {
			continue
		}
		for k, sum := range [4]uint64{s0, s1, s2, s3} {
			if carry := sum & flags; carry != 0 {
				d.carryWord(x, uint64(i+k), carry)
			}
		}
	}
	for ; i < len(from); i++ {
		a, b := to[i], from[i]
		sum := a&^flags + b&^flags
		to[i] = sum | (a|b)&flags
		if carry := sum & flags; carry != 0 {
			d.carryWord(x, uint64(i), carry)
		}
	}
}

// carryWord counts one in the layer above for every counter of a word whose
// flag bit is in carry.
func (d *Counters) carryWord(x int, word, carry uint64) {
	width, up := uint64(d.Layers[x].Width), &d.Layers[x+1]
	first := up.mod(word * (64 / width))
	if width == 4 && up.Width == 8 && up.Size%16 == 0 {
		// Bytes of 1 for the counters in the low halves of the word's bytes, and
		// for those in the high halves, which lie between them above.
		low, high := carry>>3&0x0101010101010101, carry>>7&0x0101010101010101
		d.carryBytes(x+1, first, spread(low)|spread(high)<<8)
		d.carryBytes(x+1, first+8, spread(low>>32)|spread(high>>32)<<8)
		return
	}
	for ; carry != 0; carry &= carry - 1 {
		j := first + uint64(bits.TrailingZeros64(carry))/width
		if j >= up.Size {
			j = up.mod(j)
		}
		d.Add(x+1, j, 1)
	}
}

// spread puts the four low bytes of w into the bytes of even position.
func spread(w uint64) uint64 {
	w &= 1<<32 - 1
	w = (w | w<<16) & 0x0000ffff0000ffff
	return (w | w<<8) & 0x00ff00ff00ff00ff
}

// carryBytes counts the bytes of ones, 0 or 1 each, in eight counters of 8 bits
// from counter j of layer x on.
func (d *Counters) carryBytes(x int, j, ones uint64) {
	const flags = 0x8080808080808080
	c := &words(d.Layers[x].data)[j/8]
	sum := *c&^flags + ones
	if sum&flags == 0 {
		*c = sum | *c&flags
		return
	}
	for ; ones != 0; ones &= ones - 1 {
		d.Add(x, j+uint64(bits.TrailingZeros64(ones))/8, 1)
	}
}

// saturateWord is a word of the last layer with its flagged counters at their
// ceiling.
func (d *Counters) saturateWord(l *Layer, w, flags uint64) uint64 {
	d.Saturated = true
	for f := w & flags; f != 0; f &= f - 1 {
		w |= (l.Mask | l.Flag) << (uint(bits.TrailingZeros64(f)) + 1 - l.Width)
	}
	return w
}

// unionLayer is unionWords for widths whose counters lie across words.
func (d *Counters) unionLayer(x int, o *Layer) {
	l := &d.Layers[x]
	for j := range l.Size {
		b := o.Load(j)
		if b == 0 {
			continue
		}
		flag := b & l.Flag
		if flag != 0 && x == d.Shape.Layers-1 {
			l.store(j, l.Flag|l.Mask)
			d.Saturated = true
			continue
		}
		if flag != 0 {
			l.store(j, l.Load(j)|flag)
		}
		d.Add(x, j, b&l.Mask)
	}
}
