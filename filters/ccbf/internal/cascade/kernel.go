package cascade

// The hot loops: k counters of the first layer, generic over its width, with
// the layers above reached only through the flags. Positions are
// j_i = h1 + (i+1)*h2 without wrapping, modulo the layer's size: one addition
// and one conditional subtraction each.

// Count is the minimum over the k counters of the key with hashes h1 and h2, or
// less where positions of the key meet (meeting.go), and no more than the total.
// O(k * layers).
func (d *Counters) Count(h1, h2 uint64) uint64 {
	n := d.Least(h1, h2)
	if n > d.Meet {
		n = d.Apart(h1, h2, n)
	}
	return min(n, d.Full)
}

// Least is the minimum over the k counters of a key.
func (d *Counters) Least(h1, h2 uint64) uint64 {
	l := &d.Layers[0]
	switch l.wordWidth() {
	case 8:
		return countKey(d, counters[uint8](l), h1, h2)
	case 16:
		return countKey(d, counters[uint16](l), h1, h2)
	case 32:
		return countKey(d, counters[uint32](l), h1, h2)
	}
	step := l.mod(h2)
	at := next(l.mod(h1), step, l.Size)
	if d.byFours() {
		return d.leastFour(at, step)
	}
	return d.leastFrom(at, step)
}

// leastFrom is Least by the first position and what is between them.
func (d *Counters) leastFrom(j, step uint64) uint64 {
	least := ^uint64(0)
	for range d.Shape.K {
		if least = min(least, d.Value(j)); least == 0 {
			return 0
		}
		j = next(j, step, d.Layers[0].Size)
	}
	return least
}

// next is the position after j.
func next(j, step, size uint64) uint64 { return wrap(j+step, size) }

// wrap is j modulo size for a j below 2*size, without a branch: which way it
// goes is as random as the hash, and each wrong guess costs more than a put.
func wrap(j, size uint64) uint64 {
	j -= size
	return j + size&uint64(int64(j)>>63)
}

func countKey[W word](d *Counters, l0 []W, h1, h2 uint64) uint64 {
	l := &d.Layers[0]
	size, flag := uint64(len(l0)), W(l.Flag)
	j, step := l.mod(h1), l.mod(h2)
	least := ^uint64(0)
	for range d.Shape.K {
		j = next(j, step, size)
		c := l0[j]
		v := uint64(c)
		if c&flag != 0 {
			v = d.Value(j)
		}
		if v < least {
			if v == 0 {
				return 0
			}
			least = v
		}
	}
	return least
}

// Counts is count for many keys, whose counters are asked for together: quicker
// where most keys have a count, as count ends at the first counter of 0.
func (d *Counters) Counts(dst, h1, h2 []uint64) {
	width := d.Layers[0].wordWidth()
	if len(h1) <= Few || width != 4 && width != 8 && width != 16 && width != 32 {
		for i := range h1 {
			dst[i] = d.Count(h1[i], h2[i])
		}
		return
	}
	if d.byFours() && !d.far() {
		d.countFours(dst, h1, h2)
		d.limit(dst, h1, h2)
		return
	}
	var room [batchPositions]uint32
	for batch := batchPositions / d.Shape.K; len(h1) > 0; {
		m := min(batch, len(h1))
		at := d.positions(room[:], h1[:m], h2, d.far())
		switch width { // calls by name: what is called by a variable takes room to the heap
		case 4:
			countNibbles(d, dst[:m], at)
		case 8:
			countKeys[uint8](d, dst[:m], at)
		case 16:
			countKeys[uint16](d, dst[:m], at)
		case 32:
			countKeys[uint32](d, dst[:m], at)
		}
		d.limit(dst[:m], h1, h2)
		dst, h1, h2 = dst[m:], h1[m:], h2[m:]
	}
}

// Few is up to how many keys Counts counts one by one, as that takes less.
const Few = 3

// limit makes of the least counters of keys what Count says.
func (d *Counters) limit(dst, h1, h2 []uint64) {
	for i, n := range dst {
		if n > d.Meet {
			n = d.Apart(h1[i], h2[i], n)
		}
		dst[i] = min(n, d.Full)
	}
}

// lowestAt is the least counter at positions, and the flags of all of them. It is a
// function of its own so that the loop has the registers for itself: within another
// loop its variables go through memory at each step.
//
//go:noinline
func lowestAt[W word](l0 []W, at []uint32) (low, flags W) {
	low = ^W(0)
	for _, j := range at {
		c := l0[j]
		low, flags = min(low, c), flags|c
	}
	return low, flags
}

// countKeys counts keys by their positions, k each.
func countKeys[W word](d *Counters, dst []uint64, at []uint32) {
	l0, k, flag := counters[W](&d.Layers[0]), d.Shape.K, W(d.Layers[0].Flag)
	for i := range dst {
		key := at[i*k:][:k]
		low, flags := lowestAt(l0, key)
		if dst[i] = uint64(low); flags&flag != 0 {
			dst[i] = d.leastValue(key)
		}
	}
}

// leastValue is the minimum over the counters at positions. Those without a flag
// are read first: they are nearly always the least, and upper layers take longer.
func (d *Counters) leastValue(at []uint32) uint64 {
	l, least := &d.Layers[0], ^uint64(0)
	for _, j := range at {
		if c := l.Load(uint64(j)); c&l.Flag == 0 {
			least = min(least, c)
		}
	}
	for _, j := range at {
		if c := l.Load(uint64(j)); c&l.Flag != 0 && c&l.Mask < least {
			least = min(least, d.Value(uint64(j)))
		}
	}
	return least
}

// batchPositions is how many positions are computed before the first of them is used.
const batchPositions = 96

// cached is the size in bytes up to which a first layer is taken to be in the
// caches anyway; the counters of larger ones are asked for a batch ahead.
const cached = 4 << 20

// far reports whether counters are asked for ahead.
func (d *Counters) far() bool { return len(d.Layers[0].data) > cached }
