package ccbf

import "github.com/ccbfsql/ccbfsql/filters/sketch"

// intersect sets every counter to the smaller of its own value and o's,
// reconstructed, never digit by digit. A counter at its ceiling holds more than
// any other. Counters are no sums any more.
func (d *dense) intersect(o *dense) {
	vs := d.values()
	for j := range vs {
		if vs[j] != 0 {
			vs[j] = min(vs[j], o.value(uint64(j)))
		}
	}
	clear(d.body)
	d.saturated = false // less than a full counter fits
	d.fillValues(vs)
}

// mask zeroes the counters that are zero in o. What the layers above hold for
// other counters stays.
func (d *dense) mask(o *dense) {
	l, m := &d.layers[0], &o.layers[0]
	for j := range l.size {
		if m.load(j) == 0 {
			l.store(j, 0)
		}
	}
}

// subtract takes o's counters, which must be part of d's, out of d's. Where
// they are not, it returns an error that wraps sketch.ErrTooMany and d is
// unchanged.
func (d *dense) subtract(o *dense) error {
	l := &d.layers[0]
	for j := range l.size {
		if d.value(j) < o.value(j) {
			return sketch.ErrTooMany
		}
	}
	if d.saturated || o.saturated {
		return sketch.ErrNotAdditive
	}
	before := append([]byte(nil), d.body...)
	// Layer by layer from the last: what a lower layer borrows must still be
	// there after o's own digits are gone.
	for x := d.shape.layers - 1; x >= 0; x-- {
		if !d.subtractLayer(x, &o.layers[x]) {
			copy(d.body, before)
			return sketch.ErrTooMany
		}
	}
	d.clearFlags()
	return nil
}

// subtractLayer takes one layer out, borrowing from the layers above; false
// where those hold too little.
func (d *dense) subtractLayer(x int, o *layer) bool {
	l := &d.layers[x]
	for j := range l.size {
		b := o.load(j) & l.mask
		if b == 0 {
			continue
		}
		if d.valueFrom(x, j) < b {
			return false
		}
		d.remove(x, j, b)
	}
	return true
}

// clearFlags clears the flags of counters whose upper counter is zero.
func (d *dense) clearFlags() {
	for x := d.shape.layers - 2; x >= 0; x-- {
		l, up := &d.layers[x], &d.layers[x+1]
		for j := range l.size {
			if c := l.load(j); c&l.flag != 0 && up.load(j%up.size) == 0 {
				l.store(j, c&l.mask)
			}
		}
	}
}

// fold returns d with layer x halved: counters j and j + size/2 become one,
// their sum where counters are sums, their maximum otherwise. Both share their
// upper counter already, so that nothing else changes.
func (d *dense) fold(to shape, x int, additive bool) *dense {
	f := newDense(to)
	f.saturated = d.saturated
	half := to.size[x]
	for y := d.shape.layers - 1; y >= 0; y-- {
		if y != x {
			copy(f.layers[y].data, d.layers[y].data)
		}
	}
	l := &f.layers[x]
	copy(l.data, d.layers[x].data[:len(l.data)])
	if half*uint64(l.width)%64 != 0 { // bits of the upper half in the last word
		clear(l.data)
		for j := range half {
			l.store(j, d.layers[x].load(j))
		}
	}
	for j := range half {
		a, b := l.load(j), d.layers[x].load(j+half)
		if additive {
			l.store(j, a|b&l.flag)
			f.add(x, j, b&l.mask)
			continue
		}
		l.store(j, max(a, b)) // a flagged counter is above any other
	}
	return f
}
