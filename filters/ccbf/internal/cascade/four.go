package cascade

import "math/bits"

// Counts where a key has four counters of 4 bits, as it has by default. There is no
// branch on what is read but one for keys with flags, and these come later, together:
// where a guess is wrong, what the processor has begun for the keys after it is lost.

// byFours reports whether countFours is for these counters.
func (d *Counters) byFours() bool { return d.Shape.K == 4 && d.Layers[0].Width == 4 }

// countFours is Counts, but for what depends on Meet and Full.
func (d *Counters) countFours(dst, h1, h2 []uint64) {
	var s starts
	var flagged [keyBatch]uint32
	for len(h1) > 0 {
		n := min(keyBatch, len(h1))
		s.find(&d.Layers[0], h1[:n], h2[:n])
		done := d.foursInLanes(dst[:n], &s)
		for _, i := range flagged[:d.leastFours(&flagged, dst[:n], &s, done)] {
			dst[i] = d.flaggedFour(uint64(s.at[i]), uint64(s.step[i]))
		}
		dst, h1, h2 = dst[n:], h1[n:], h2[n:]
	}
}

// leastInverted is the least size of a layer of which the quotients in foursLanes are right.
const leastInverted = 16

// foursInLanes counts the first keys, eight at once where the processor can, and returns how many.
func (d *Counters) foursInLanes(dst []uint64, s *starts) (done int) {
	l := &d.Layers[0]
	if !lanes || len(dst) < 8 || l.Size > maxLaneSize {
		return 0
	}
	var left [keyBatch / 8]uint8
	var second *byte
	above := uint64(leastInverted)
	if d.Shape.Layers > 1 && d.Layers[1].Width == 8 && d.Layers[1].Size >= leastInverted {
		second, above = &d.Layers[1].data[0], d.Layers[1].Size
	}
	done = len(dst) &^ 7
	foursLanes(&dst[0], &left[0], &s.at[0], &s.step[0], done, &l.data[0], second, l.Size, above, 1/float32(above))
	for i, which := range left[:done/8] {
		for ; which != 0; which &= which - 1 {
			key := 8*i + bits.TrailingZeros8(which)
			dst[key] = d.leastFrom(uint64(s.at[key]), uint64(s.step[key]))
		}
	}
	return done
}

// leastFours writes the least counter of each key, flag included, and the numbers of the
// keys of which a counter with a flag may be the least, and returns how many these are:
// see countNibbles. It begins with key from.
func (d *Counters) leastFours(flagged *[keyBatch]uint32, dst []uint64, s *starts, from int) (n uint64) {
	l := &d.Layers[0]
	at, steps := s.at[:len(dst)], s.step[:len(dst)]
	for i := from; i < len(dst); i++ {
		low, digit := l.four(uint64(at[i]), uint64(steps[i]))
		dst[i] = low
		flagged[n%keyBatch] = uint32(i)
		n += (digit - low) >> 63
	}
	return n
}

// four is the least of a key's four counters of 4 bits, flag included, and of their digits.
func (l *Layer) four(j, step uint64) (low, digit uint64) {
	a := loadNibble(l.data, j)
	j = next(j, step, l.Size)
	b := loadNibble(l.data, j)
	j = next(j, step, l.Size)
	c := loadNibble(l.data, j)
	e := loadNibble(l.data, next(j, step, l.Size))
	return min(a, b, c, e), min(a&nibbleMask, b&nibbleMask, c&nibbleMask, e&nibbleMask)
}

// leastFour is leastFrom. It reads all counters before it looks at one, so that they need not
// be waited for one after the other.
func (d *Counters) leastFour(at, step uint64) uint64 {
	low, digit := d.Layers[0].four(at, step)
	if digit < low {
		return d.flaggedFour(at, step)
	}
	return low
}

// flaggedFour is the least of a key's counters, from the first on. Where those of the second
// layer have 8 bits, all four go on there, whether they have a flag or not, and what those
// without one find there is left out. Whether one that goes on from there may be the least is
// seen as in leastFours.
func (d *Counters) flaggedFour(at, step uint64) uint64 {
	if d.Shape.Layers < 2 || d.Layers[1].Width != 8 {
		return d.leastFrom(at, step)
	}
	l, up := &d.Layers[0], &d.Layers[1]
	l0, l1 := l.data, up.data
	j, low, digits := at, ^uint64(0), ^uint64(0)
	for range 4 {
		c := loadNibble(l0, j)
		goesOn := -(c >> 3) // all ones where it does
		u := uint64(l1[up.mod(j)]) & goesOn
		low = min(low, c&nibbleMask+u<<3)
		digits = min(digits, c&nibbleMask+u&up.Mask<<3)
		j = next(j, step, l.Size)
	}
	if digits < low {
		return d.leastFrom(at, step)
	}
	return low
}
