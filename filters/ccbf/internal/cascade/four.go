package cascade

// Counts where a key has four counters of 4 bits, as it has by default. There is no
// branch on what is read but one for keys with flags, and these come later, together:
// where a guess is wrong, what the processor has begun for the keys after it is lost.

// fourBatch is how many keys are looked at before those with flags are.
const fourBatch = 256

// byFours reports whether countFours is for these counters.
func (d *Counters) byFours() bool { return d.Shape.K == 4 && d.Layers[0].Width == 4 }

// countFours is Counts, but for what depends on Meet and Full.
func (d *Counters) countFours(dst, h1, h2 []uint64) {
	var flagged [fourBatch]uint32
	for len(h1) > 0 {
		n := min(fourBatch, len(h1))
		for _, i := range flagged[:d.leastFours(&flagged, dst[:n], h1[:n], h2[:n])] {
			dst[i] = d.flaggedFour(h1[i], h2[i])
		}
		dst, h1, h2 = dst[n:], h1[n:], h2[n:]
	}
}

// leastFours writes the least counter of each key, flag included, and the numbers of the
// keys of which a counter with a flag may be the least, and returns how many these are:
// see countNibbles.
func (d *Counters) leastFours(flagged *[fourBatch]uint32, dst, h1, h2 []uint64) (n uint64) {
	l := Layer{Size: d.Layers[0].Size, recip: d.Layers[0].recip}
	h2, dst, l0, size := h2[:len(h1)], dst[:len(h1)], d.Layers[0].data, l.Size
	for i, h := range h1 {
		step := l.mod(h2[i])
		j := next(l.mod(h), step, size)
		a := loadNibble(l0, j)
		j = next(j, step, size)
		b := loadNibble(l0, j)
		j = next(j, step, size)
		c := loadNibble(l0, j)
		e := loadNibble(l0, next(j, step, size))
		low := min(a, b, c, e)
		digit := min(a&nibbleMask, b&nibbleMask, c&nibbleMask, e&nibbleMask)
		dst[i] = low
		flagged[n%fourBatch] = uint32(i)
		n += (digit - low) >> 63
	}
	return n
}

// flaggedFour is the least of a key's counters. Where those of the second layer have
// 8 bits, all four go on there, whether they have a flag or not, and what those without
// one find there is left out.
func (d *Counters) flaggedFour(h1, h2 uint64) uint64 {
	if d.Shape.Layers < 2 || d.Layers[1].Width != 8 {
		return d.Least(h1, h2)
	}
	l, up := &d.Layers[0], &d.Layers[1]
	l0, l1 := l.data, up.data
	j, step := l.mod(h1), l.mod(h2)
	least, above := ^uint64(0), uint64(0)
	for range 4 {
		j = next(j, step, l.Size)
		c := loadNibble(l0, j)
		goesOn := -(c >> 3) // all ones where it does
		u := uint64(l1[up.mod(j)]) & goesOn
		above |= u
		least = min(least, c&nibbleMask+u<<3)
	}
	if above&up.Flag != 0 {
		return d.Least(h1, h2)
	}
	return least
}
