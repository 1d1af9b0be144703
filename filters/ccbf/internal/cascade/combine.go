package cascade

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Mask sets every counter of d to 0 whose counterpart in o is 0. Layers above the first keep their
// digits, because other counters share them.
func (d *Counters) Mask(o *Counters) {
	l, m := &d.Layers[0], &o.Layers[0]
	for j := range l.Size {
		if m.Load(j) == 0 {
			l.store(j, 0)
		}
	}
}

// Subtract subtracts o's counters, which must be part of d's. If they are not, the error wraps
// sketch.ErrTooMany and d is unchanged.
func (d *Counters) Subtract(o *Counters) error {
	l := &d.Layers[0]
	for j := range l.Size {
		if d.Value(j) < o.Value(j) {
			return sketch.ErrTooMany
		}
	}
	before := append([]byte(nil), d.Body...)
	// Start at the last layer. A lower layer borrows from the layer above, which must hold enough after
	// o's digits are subtracted there.
	for x := d.Shape.Layers - 1; x >= 0; x-- {
		l := &o.Layers[x]
		for j := range l.Size {
			b := l.Load(j) & l.Mask
			if b == 0 {
				continue
			}
			if d.ValueFrom(x, j, 0) < b {
				copy(d.Body, before)
				return sketch.ErrTooMany
			}
			d.remove(x, j, b)
		}
	}
	d.ClearFlags()
	return nil
}

// ClearFlags clears the flag of each counter whose counter in the layer above is 0.
func (d *Counters) ClearFlags() {
	for x := d.Shape.Layers - 2; x >= 0; x-- {
		l, up := &d.Layers[x], &d.Layers[x+1]
		for j := range l.Size {
			if c := l.Load(j); c&l.Flag != 0 && up.Load(j%up.Size) == 0 {
				l.store(j, c&l.Mask)
			}
		}
	}
}

// Fold returns a copy of d with layer x halved, in the shape to. Counters j and j + size/2 become one
// counter: their sum if additive is set, otherwise their maximum. Both already share a counter in the
// layer above, so nothing else changes.
func (d *Counters) Fold(to Shape, x int, additive bool) *Counters {
	f := New(to)
	f.Saturated = d.Saturated
	half := to.Size[x]
	for y := d.Shape.Layers - 1; y >= 0; y-- {
		if y != x {
			copy(f.Layers[y].data, d.Layers[y].data)
		}
	}
	l, from := &f.Layers[x], &d.Layers[x]
	for j := range half {
		a, b := from.Load(j), from.Load(j+half)
		if additive {
			l.store(j, a|b&l.Flag)
			f.Add(x, j, b&l.Mask)
			continue
		}
		// The flag is the highest bit, so max prefers a counter with a flag.
		l.store(j, max(a, b))
	}
	return f
}

// Union adds the counters of o, of the same shape, to d's, layer by layer with carry. The order of unions
// does not matter. In mode standard the result is the array of all insertions, bit for bit. o is
// unchanged.
func (d *Counters) Union(o *Counters) {
	for x := range d.Shape.Layers {
		if 64%d.Layers[x].Width == 0 {
			d.unionWords(x, o.Layers[x].data)
		} else {
			d.unionLayer(x, &o.Layers[x])
		}
	}
	d.Saturated = d.Saturated || o.Saturated
}

// unionWords adds one layer, eight bytes at a time. It adds values without the flag bits, so that no carry
// leaves its counter. A flag bit in the sum shows a counter that overflowed, which is rare.
func (d *Counters) unionWords(x int, src []byte) {
	l := &d.Layers[x]
	flags := ^uint64(0) / (l.Flag<<1 - 1) * l.Flag // the flag bits of all counters in a word
	to := l.data[:len(src)]
	isLast := x == d.Shape.Layers-1
	for at := 0; at < len(src); at += 8 {
		b := binary.LittleEndian.Uint64(src[at:])
		// Most words of a sparse sketch are 0.
		if b == 0 {
			continue
		}
		a := binary.LittleEndian.Uint64(to[at:])
		sum := a&^flags + b&^flags
		all := sum | (a|b)&flags
		switch {
		case isLast && all&flags != 0:
			// A counter with a flag is at its ceiling.
			all |= (all & flags) >> (l.Width - 1) * l.Mask
			d.Saturated = true
		case !isLast && sum&flags != 0:
			d.carryWord(x, uint64(at/8), sum&flags)
		}
		binary.LittleEndian.PutUint64(to[at:], all)
	}
}

// carryWord adds 1 in the layer above for every counter of a word whose flag bit is in carry.
func (d *Counters) carryWord(x int, word, carry uint64) {
	width, up := uint64(d.Layers[x].Width), &d.Layers[x+1]
	first := up.mod(word * (64 / width))
	if width == 4 && up.Width == 8 && up.Size%16 == 0 {
		// carry has a flag bit per 4-bit counter. low gets a byte of 1 for each counter in the low half
		// of a byte, high for each in the high half. In the layer above, counters of low and high
		// alternate.
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

// spread moves the four low bytes of w to the even bytes.
func spread(w uint64) uint64 {
	w &= 1<<32 - 1
	w = (w | w<<16) & 0x0000ffff0000ffff
	return (w | w<<8) & 0x00ff00ff00ff00ff
}

// carryBytes adds a word of bytes, each 0 or 1, to eight counters of 8 bits from counter j of layer x on.
func (d *Counters) carryBytes(x int, j, ones uint64) {
	const flags = 0x8080808080808080
	word := d.Layers[x].data[j:]
	c := binary.LittleEndian.Uint64(word)
	sum := c&^flags + ones
	if sum&flags == 0 {
		binary.LittleEndian.PutUint64(word, sum|c&flags)
		return
	}
	for ; ones != 0; ones &= ones - 1 {
		d.Add(x, j+uint64(bits.TrailingZeros64(ones))/8, 1)
	}
}

// unionLayer is unionWords for widths that do not divide 64, so that counters cross the ends of words.
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

// RemoveKeys subtracts n from all counters of the keys with these hashes. If some counter holds too
// little, it changes nothing and returns false.
func (d *Counters) RemoveKeys(hashes [][2]uint64, n uint64) bool {
	type saved struct {
		layer *Layer
		at, c uint64
	}
	var before []saved // what counters held, in all layers, in the order of the removals
	first := &d.Layers[0]
	for _, h := range hashes {
		j, step := first.mod(h[0]), first.mod(h[1])
		for range d.Shape.K {
			j = next(j, step, first.Size)
			if d.Value(j) < n {
				for _, s := range slices.Backward(before) {
					s.layer.store(s.at, s.c)
				}
				return false
			}
			for x := range d.Shape.Layers {
				l := &d.Layers[x]
				before = append(before, saved{l, j % l.Size, l.Load(j % l.Size)})
			}
			d.remove(0, j, n)
		}
	}
	return true
}

// Counters from values that are known beforehand: for mode mi from exact counts, for intersections and for
// folds by maximum. Values are stored at positions of the first layer, in any order.
//
// Layers are filled from the last to the first, so that each layer finds the final digits above it. A
// counter that several flagged ones share holds the maximum of what they need. A flagged counter keeps a
// digit of its own unless something above already exceeds its value.

// setMax raises counter j of layer x until it holds the digit of value v there. The layers above must
// have all digits already.
func (d *Counters) setMax(x int, j, v uint64) {
	l := &d.Layers[x]
	j %= l.Size
	c := l.Load(j)
	if v <= l.Mask {
		// A counter with a flag holds more than any v here, and c is larger than v.
		if c < v {
			l.store(j, v)
		}
		return
	}
	if x == d.Shape.Layers-1 {
		l.store(j, l.Flag|l.Mask)
		d.Saturated = true
		return
	}
	digit := uint64(0)
	if c&l.Flag != 0 {
		digit = c & l.Mask
	}
	up := v >> (l.Width - 1)
	if d.ValueFrom(x+1, j%d.Layers[x+1].Size, 0) == up {
		digit = max(digit, v&l.Mask)
	}
	l.store(j, l.Flag|digit)
}

// FillMax sets every counter of an empty d to the maximum of the counts of the keys that map to it. It
// calls each once per layer. Every call must yield the same keys, by their hashes h1 and h2 and their
// counts n. Counts below least may be left out.
func (d *Counters) FillMax(each func(least uint64, yield func(h1, h2, n uint64))) {
	l := &d.Layers[0]
	for x := d.Shape.Layers - 1; x >= 0; x-- {
		shift := d.Shape.ShiftOf(x)
		each(1<<shift, func(h1, h2, n uint64) {
			if n >>= shift; n == 0 {
				return
			}
			j, step := l.mod(h1), l.mod(h2)
			for range d.Shape.K {
				j = next(j, step, l.Size)
				d.setMax(x, j, n)
			}
		})
	}
}

// FromValues returns counters of shape s with a value for each counter of the first layer. Counters that
// share digits may come out higher.
func FromValues(s Shape, values []uint64) *Counters {
	d := New(s)
	for x := s.Layers - 1; x >= 0; x-- {
		shift := s.ShiftOf(x)
		for j, v := range values {
			if v >>= shift; v != 0 {
				d.setMax(x, uint64(j), v)
			}
		}
	}
	return d
}

// Values returns the value of every counter of the first layer, in eight bytes each.
func (d *Counters) Values() []uint64 {
	vs := make([]uint64, 0, d.Layers[0].Size)
	d.EachValue(0, 0, func(v uint64) { vs = append(vs, v) })
	return vs
}
