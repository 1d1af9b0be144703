package ccbf

// The hot loops: k counters of the first layer, generic over its width, with
// the layers above reached only through the flags. Positions are
// j_i = h1 + (i+1)*h2 without wrapping, modulo the layer's size: one addition
// and one conditional subtraction each.

// count is the minimum over the k counters of the key with hashes h1 and h2.
// O(k * layers).
func (d *dense) count(h1, h2 uint64) uint64 {
	l := &d.layers[0]
	switch l.width {
	case 8:
		return countKey(d, counters[uint8](l), h1, h2)
	case 16:
		return countKey(d, counters[uint16](l), h1, h2)
	case 32:
		return countKey(d, counters[uint32](l), h1, h2)
	}
	j, step := l.mod(h1), l.mod(h2)
	least := ^uint64(0)
	for range d.shape.k {
		j = next(j, step, l.size)
		least = min(least, d.value(j))
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

func countKey[W word](d *dense, l0 []W, h1, h2 uint64) uint64 {
	l := &d.layers[0]
	size, flag := uint64(len(l0)), W(l.flag)
	j, step := l.mod(h1), l.mod(h2)
	least := ^uint64(0)
	for range d.shape.k {
		j = next(j, step, size)
		c := l0[j]
		v := uint64(c)
		if c&flag != 0 {
			v = d.value(j)
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

// insert counts n[i] occurrences (one each where n is nil) of the keys with
// hashes h1[i] and h2[i], in order.
func (d *dense) insert(mode Mode, h1, h2, n []uint64) {
	l := &d.layers[0]
	switch l.width {
	case 8:
		insertKeys(d, mode, counters[uint8](l), h1, h2, n)
	case 16:
		insertKeys(d, mode, counters[uint16](l), h1, h2, n)
	case 32:
		insertKeys(d, mode, counters[uint32](l), h1, h2, n)
	default:
		for i := range h1 {
			w := uint64(1)
			if n != nil {
				w = n[i]
			}
			d.insertSlow(mode, h1[i], h2[i], w)
		}
	}
}

// insertSlow is insert for one key and any width.
func (d *dense) insertSlow(mode Mode, h1, h2, n uint64) {
	l := &d.layers[0]
	j, step := l.mod(h1), l.mod(h2)
	if mode == Standard {
		for range d.shape.k {
			j = next(j, step, l.size)
			d.add(0, j, n)
		}
		return
	}
	to := saturatingAdd(d.count(h1, h2), n)
	for range d.shape.k {
		j = next(j, step, l.size)
		if d.value(j) < to {
			d.raise(0, j, to)
		}
	}
}

func saturatingAdd(a, b uint64) uint64 {
	if s := a + b; s >= a {
		return s
	}
	return ^uint64(0)
}

func insertKeys[W word](d *dense, mode Mode, l0 []W, h1, h2, n []uint64) {
	switch {
	case mode == Standard && n == nil:
		for i := range h1 {
			addOne(d, l0, h1[i], h2[i])
		}
	case mode == Standard:
		for i := range h1 {
			addMany(d, l0, h1[i], h2[i], n[i])
		}
	case n == nil:
		for i := range h1 {
			raiseMany(d, l0, h1[i], h2[i], 1)
		}
	default:
		for i := range h1 {
			raiseMany(d, l0, h1[i], h2[i], n[i])
		}
	}
}

func addOne[W word](d *dense, l0 []W, h1, h2 uint64) {
	l := &d.layers[0]
	size, mask := uint64(len(l0)), W(l.mask)
	j, step := l.mod(h1), l.mod(h2)
	for range d.shape.k {
		j = next(j, step, size)
		if c := l0[j] + 1; c&mask != 0 { // no carry
			l0[j] = c
		} else {
			d.add(0, j, 1)
		}
	}
}

func addMany[W word](d *dense, l0 []W, h1, h2, n uint64) {
	l := &d.layers[0]
	size, mask := uint64(len(l0)), l.mask
	j, step := l.mod(h1), l.mod(h2)
	for range d.shape.k {
		j = next(j, step, size)
		if c := uint64(l0[j]); n <= mask-c&mask {
			l0[j] = W(c + n)
		} else {
			d.add(0, j, n)
		}
	}
}

func raiseMany[W word](d *dense, l0 []W, h1, h2, n uint64) {
	l := &d.layers[0]
	size, mask, flag := uint64(len(l0)), l.mask, W(l.flag)
	first, step := l.mod(h1), l.mod(h2)

	// One pass for the minimum, flagged counters apart: they are above all
	// others, so they matter only where there is nothing else.
	least, flagged := W(mask), W(0)
	plain := 0
	j := first
	for range d.shape.k {
		j = next(j, step, size)
		c := l0[j]
		flagged |= c
		if c&flag == 0 {
			plain++
			least = min(least, c)
		}
	}
	if to := uint64(least) + n; plain > 0 && to >= n && to <= mask {
		t := W(to)
		j = first
		if flagged&flag == 0 {
			for range d.shape.k {
				j = next(j, step, size)
				l0[j] = max(l0[j], t)
			}
			return
		}
		for range d.shape.k {
			j = next(j, step, size)
			if l0[j] < t {
				l0[j] = t
			}
		}
		return
	}
	d.insertSlow(MinimalIncrement, h1, h2, n)
}
