package cascade

// Building counters from values that are known beforehand: the maximum form of
// mode mi, intersection and maximum folds. Values go in at
// positions of the first layer; the result does not depend on their order.
//
// The layers are filled from the last to the first, so that each layer finds
// the digits above it final: a counter shared by several flagged ones holds
// the maximum of what they need, and a flagged counter keeps a digit of its
// own only where nothing above already exceeds it.

// setMax raises counter j of layer x to hold its part of value v, the layers
// above being final.
func (d *Counters) setMax(x int, j, v uint64) {
	l := &d.Layers[x]
	j %= l.Size
	c := l.Load(j)
	if v <= l.Mask {
		if c < v { // a flagged counter is above any value
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
	if d.ValueFrom(x+1, j%d.Layers[x+1].Size) == up {
		digit = max(digit, v&l.Mask)
	}
	l.store(j, l.Flag|digit)
}

// FillMax sets every counter of an empty d to the maximum of the counts of the
// keys that map to it. each is called once per layer and must yield the same
// keys every time, h1 and h2 their hashes, n their counts; least is the
// smallest count that the layer needs to see.
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

// FillValues sets every counter of an empty d to the values given, one per
// counter of the first layer, or above where digits are shared.
func (d *Counters) FillValues(values []uint64) {
	for x := d.Shape.Layers - 1; x >= 0; x-- {
		shift := d.Shape.ShiftOf(x)
		for j, v := range values {
			if v >>= shift; v != 0 {
				d.setMax(x, uint64(j), v)
			}
		}
	}
}

// Values reconstructs every counter of the first layer, from the last layer
// down. Eight bytes each.
func (d *Counters) Values() []uint64 {
	const full = ^uint64(0) // no counter holds so much
	var above []uint64
	for x := d.Shape.Layers - 1; x >= 0; x-- {
		l := &d.Layers[x]
		vs := make([]uint64, l.Size)
		up := 0 // j modulo the size of the layer above
		for j := range vs {
			c := l.Load(uint64(j))
			v := c & l.Mask
			if c&l.Flag != 0 {
				if above == nil || above[up] == full {
					v = full
				} else {
					v += above[up] << (l.Width - 1)
				}
			}
			vs[j] = v
			if up++; up == len(above) {
				up = 0
			}
		}
		above = vs
	}
	if d.Saturated && d.Full != full {
		for j, v := range above {
			if v == full {
				above[j] = d.Full
			}
		}
	}
	return above
}
