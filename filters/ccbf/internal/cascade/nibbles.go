package cascade

// The hot loops of kernel.go for counters of 4 bits, two to a byte, the one of
// even position in the low half.

const (
	nibbleMask = 1<<3 - 1
	nibbleFlag = 1 << 3
)

// nibble is where counter j is: its byte, and by how many bits it is shifted.
func nibble(j uint32) (at, shift uint32) { return j >> 1, j & 1 * 4 }

// countNibbles is countKeys. A flagged counter has no less than its digit, so that where no
// digit is below the least of the counters without a flag, that is the key's: then there is
// nothing to look up above, and no branch on where flags are.
func countNibbles(d *Counters, dst []uint64, at []uint32) {
	l0, k := d.Layers[0].data, d.Shape.K
	for i := range dst {
		key := at[i*k:][:k]
		low, digit := byte(nibbleMask|nibbleFlag), byte(nibbleMask)
		for _, j := range key {
			b, shift := nibble(j)
			c := l0[b] >> shift & (nibbleMask | nibbleFlag)
			low, digit = min(low, c), min(digit, c&nibbleMask)
		}
		if dst[i] = uint64(low); digit != low {
			dst[i] = d.leastNibbles(key, low)
		}
	}
}

// leastNibbles is leastValue, of positions of which low is the least counter, for less
// where the counters of the second layer have 8 bits, as they have by default: where most
// cells have many points, most counters go on there and end there.
func (d *Counters) leastNibbles(at []uint32, low byte) uint64 {
	if d.Shape.Layers < 2 || d.Layers[1].Width != 8 {
		return d.leastValue(at)
	}
	l0, up := d.Layers[0].data, &d.Layers[1]
	l1, least := up.data[:up.Size], ^uint64(0)
	if low&nibbleFlag == 0 {
		least = uint64(low)
	}
	for _, j := range at {
		b, shift := nibble(j)
		c := uint64(l0[b] >> shift & (nibbleMask | nibbleFlag))
		v := c & nibbleMask
		if c&nibbleFlag == 0 || v >= least {
			continue
		}
		u := uint64(l1[up.mod(uint64(j))])
		if v += u << 3; u&up.Flag != 0 {
			v = d.Value(uint64(j))
		}
		least = min(least, v)
	}
	return least
}

// addNibbles is addKeys.
func addNibbles(d *Counters, at []uint32, n []uint64) {
	l0, k, w := d.Layers[0].data, d.Shape.K, uint64(1)
	for i := 0; len(at) > 0; i++ {
		if n != nil {
			w = n[i]
		}
		for _, j := range at[:k] {
			b, shift := nibble(j)
			if c := uint64(l0[b] >> shift & nibbleMask); w <= nibbleMask-c {
				l0[b] += byte(w) << shift
			} else {
				d.Add(0, uint64(j), w)
			}
		}
		at = at[k:]
	}
}

// raiseNibbles is raiseKeys.
func raiseNibbles(d *Counters, at []uint32, n []uint64) {
	l0, k, w := d.Layers[0].data, d.Shape.K, uint64(1)
	for i := 0; len(at) > 0; i++ {
		if n != nil {
			w = n[i]
		}
		key := at[:k]
		at = at[k:]
		least := uint64(nibbleMask | nibbleFlag)
		for _, j := range key {
			least = min(least, loadNibble(l0, uint64(j)))
		}
		if least&nibbleFlag != 0 || w > nibbleMask-least {
			d.raiseKey(key, w)
			continue
		}
		for _, j := range key {
			raiseNibble(l0, uint64(j), least+w)
		}
	}
}
