package ccbf

// Building counters from values that are known beforehand: the maximum form of
// mode mi (DESIGN section 5), intersection and maximum folds. Values go in at
// positions of the first layer; the result does not depend on their order.
//
// The layers are filled from the last to the first, so that each layer finds
// the digits above it final: a counter shared by several flagged ones holds
// the maximum of what they need, and a flagged counter keeps a digit of its
// own only where nothing above already exceeds it.

// setMax raises counter j of layer x to hold its part of value v, the layers
// above being final.
func (d *dense) setMax(x int, j, v uint64) {
	l := &d.layers[x]
	j %= l.size
	c := l.load(j)
	if v <= l.mask {
		if c < v { // a flagged counter is above any value
			l.store(j, v)
		}
		return
	}
	if x == d.shape.layers-1 {
		l.store(j, l.flag|l.mask)
		d.saturated = true
		return
	}
	digit := uint64(0)
	if c&l.flag != 0 {
		digit = c & l.mask
	}
	up := v >> (l.width - 1)
	if d.valueFrom(x+1, j%d.layers[x+1].size) == up {
		digit = max(digit, v&l.mask)
	}
	l.store(j, l.flag|digit)
}

// fillMax sets every counter of an empty d to the maximum of the counts of the
// keys that map to it. each is called once per layer and must yield the same
// keys every time, h1 and h2 their hashes, n their counts; least is the
// smallest count that the layer needs to see.
func (d *dense) fillMax(each func(least uint64, yield func(h1, h2, n uint64))) {
	l := &d.layers[0]
	for x := d.shape.layers - 1; x >= 0; x-- {
		shift := d.shape.shiftOf(x)
		each(1<<shift, func(h1, h2, n uint64) {
			if n >>= shift; n == 0 {
				return
			}
			j, step := l.mod(h1), l.mod(h2)
			for range d.shape.k {
				j = next(j, step, l.size)
				d.setMax(x, j, n)
			}
		})
	}
}

// fillValues sets every counter of an empty d to the values given, one per
// counter of the first layer, or above where digits are shared.
func (d *dense) fillValues(values []uint64) {
	for x := d.shape.layers - 1; x >= 0; x-- {
		shift := d.shape.shiftOf(x)
		for j, v := range values {
			if v >>= shift; v != 0 {
				d.setMax(x, uint64(j), v)
			}
		}
	}
}

// values reconstructs every counter of the first layer, from the last layer
// down. Eight bytes each.
func (d *dense) values() []uint64 {
	const full = ^uint64(0) // no counter holds so much
	var above []uint64
	for x := d.shape.layers - 1; x >= 0; x-- {
		l := &d.layers[x]
		vs := make([]uint64, l.size)
		up := 0 // j modulo the size of the layer above
		for j := range vs {
			c := l.load(uint64(j))
			v := c & l.mask
			if c&l.flag != 0 {
				if above == nil || above[up] == full {
					v = full
				} else {
					v += above[up] << (l.width - 1)
				}
			}
			vs[j] = v
			if up++; up == len(above) {
				up = 0
			}
		}
		above = vs
	}
	if d.saturated && d.full != full {
		for j, v := range above {
			if v == full {
				above[j] = d.full
			}
		}
	}
	return above
}
