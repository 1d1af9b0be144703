package cascade

import "github.com/ccbfsql/ccbfsql/filters/sketch"

// Intersect sets every counter to the smaller of its own value and o's,
// reconstructed, never digit by digit. A counter at its ceiling holds more than
// any other. Counters are no sums any more.
func (d *Counters) Intersect(o *Counters) {
	vs := d.Values()
	for j := range vs {
		if vs[j] != 0 {
			vs[j] = min(vs[j], o.Value(uint64(j)))
		}
	}
	clear(d.Body)
	d.Saturated = false // less than a full counter fits
	d.FillValues(vs)
}

// Mask zeroes the counters that are zero in o. What the layers above hold for
// other counters stays.
func (d *Counters) Mask(o *Counters) {
	l, m := &d.Layers[0], &o.Layers[0]
	for j := range l.Size {
		if m.Load(j) == 0 {
			l.store(j, 0)
		}
	}
}

// Subtract takes o's counters, which must be part of d's, out of d's. Where
// they are not, it returns an error that wraps sketch.ErrTooMany and d is
// unchanged.
func (d *Counters) Subtract(o *Counters) error {
	l := &d.Layers[0]
	for j := range l.Size {
		if d.Value(j) < o.Value(j) {
			return sketch.ErrTooMany
		}
	}
	if d.Saturated || o.Saturated {
		return sketch.ErrNotAdditive
	}
	before := append([]byte(nil), d.Body...)
	// Layer by layer from the last: what a lower layer borrows must still be
	// there after o's own digits are gone.
	for x := d.Shape.Layers - 1; x >= 0; x-- {
		if !d.subtractLayer(x, &o.Layers[x]) {
			copy(d.Body, before)
			return sketch.ErrTooMany
		}
	}
	d.ClearFlags()
	return nil
}

// subtractLayer takes one layer out, borrowing from the layers above; false
// where those hold too little.
func (d *Counters) subtractLayer(x int, o *Layer) bool {
	l := &d.Layers[x]
	for j := range l.Size {
		b := o.Load(j) & l.Mask
		if b == 0 {
			continue
		}
		if d.ValueFrom(x, j) < b {
			return false
		}
		d.remove(x, j, b)
	}
	return true
}

// ClearFlags clears the flags of counters whose upper counter is zero.
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

// Fold returns d with layer x halved: counters j and j + size/2 become one,
// their sum where counters are sums, their maximum otherwise. Both share their
// upper counter already, so that nothing else changes.
func (d *Counters) Fold(to Shape, x int, additive bool) *Counters {
	f := New(to)
	f.Saturated = d.Saturated
	half := to.Size[x]
	for y := d.Shape.Layers - 1; y >= 0; y-- {
		if y != x {
			copy(f.Layers[y].data, d.Layers[y].data)
		}
	}
	l := &f.Layers[x]
	copy(l.data, d.Layers[x].data[:len(l.data)])
	if half*uint64(l.Width)%64 != 0 { // bits of the upper half in the last word
		clear(l.data)
		for j := range half {
			l.store(j, d.Layers[x].Load(j))
		}
	}
	for j := range half {
		a, b := l.Load(j), d.Layers[x].Load(j+half)
		if additive {
			l.store(j, a|b&l.Flag)
			f.Add(x, j, b&l.Mask)
			continue
		}
		l.store(j, max(a, b)) // a flagged counter is above any other
	}
	return f
}
