package cascade

import "unsafe"

// The hot loops of kernel.go where the first layer is in the caches and its size is a
// power of two: positions are so cheap then that keeping them costs more than it
// helps, and the hashes of the next keys are at work while counters are waited for.
// What loops over the k counters of a key is a function of its own, as lowestAt is.

// near reports whether they are for these counters.
func (d *Counters) near() bool {
	size := d.Layers[0].Size
	return size&(size-1) == 0 && !d.far()
}

// countsNear is Counts.
func (d *Counters) countsNear(width uint, dst, h1, h2 []uint64) {
	switch width {
	case 4:
		countNear(d, d.Layers[0].data, lowestNibble, dst, h1, h2)
	case 8:
		countNear(d, counters[uint8](&d.Layers[0]), lowestOf[uint8](d.Shape.K), dst, h1, h2)
	case 16:
		countNear(d, counters[uint16](&d.Layers[0]), lowestOf[uint16](d.Shape.K), dst, h1, h2)
	case 32:
		countNear(d, counters[uint32](&d.Layers[0]), lowestOf[uint32](d.Shape.K), dst, h1, h2)
	}
}

// lowestOf is lowest, or what does the same for k counters in less time.
func lowestOf[W word](k int) func(l0 []W, mask, j, step uint64, k int) (low, flags W) {
	if k == 8 {
		return lowestOfEight[W]
	}
	return lowest[W]
}

func countNear[W word](d *Counters, l0 []W, lowest func(l0 []W, mask, j, step uint64, k int) (low, flags W), dst, h1, h2 []uint64) {
	k, flag := d.Shape.K, W(d.Layers[0].Flag)
	mask, meet, full := d.Layers[0].Size-1, d.Meet, d.Full
	h2, dst = h2[:len(h1)], dst[:len(h1)]
	for i, j := range h1 {
		low, flags := lowest(l0, mask, j, h2[i], k)
		n := uint64(low)
		if flags&flag != 0 {
			n = d.Least(j, h2[i])
		}
		if n > meet {
			n = d.Apart(j, h2[i], n)
		}
		dst[i] = min(n, full)
	}
}

// lowest is the least of a key's counters, and the flags of all of them.
//
//go:noinline
func lowest[W word](l0 []W, mask, j, step uint64, k int) (low, flags W) {
	low = ^W(0)
	for range k {
		j += step
		c := l0[j&mask]
		low, flags = min(low, c), flags|c
	}
	return low, flags
}

// lowestOfEight is lowest for eight counters, whose loads then wait for nothing but the
// hash: not for the position before, nor for a count of those that are left.
//
//go:noinline
func lowestOfEight[W word](l0 []W, mask, j, step uint64, _ int) (low, flags W) {
	_ = l0[mask] // the largest index that there is
	first, size := unsafe.Pointer(unsafe.SliceData(l0)), unsafe.Sizeof(low)
	at := func(j uint64) W { return *(*W)(unsafe.Add(first, uintptr(j&mask)*size)) }
	two := 2 * step
	j += step
	a, b, c, d := at(j), at(j+step), at(j+two), at(j+step+two)
	j += 2 * two
	e, f, g, h := at(j), at(j+step), at(j+two), at(j+step+two)
	return min(a, b, c, d, e, f, g, h), a | b | c | d | e | f | g | h
}

// lowestNibble is lowest for counters of 4 bits, two to a byte.
//
//go:noinline
func lowestNibble(l0 []byte, mask, j, step uint64, k int) (low, flags byte) {
	low = nibbleMask | nibbleFlag
	for range k {
		j += step
		at, shift := nibble(uint32(j & mask))
		c := l0[at] >> shift & (nibbleMask | nibbleFlag)
		low, flags = min(low, c), flags|c
	}
	return low, flags
}

// insertNear is Insert for one occurrence of each key; false where it is not for
// counters of this width.
func (d *Counters) insertNear(sums bool, h1, h2 []uint64) bool {
	switch d.Layers[0].wordWidth() {
	case 8:
		insertNear[uint8](d, sums, h1, h2)
	case 16:
		insertNear[uint16](d, sums, h1, h2)
	case 32:
		insertNear[uint32](d, sums, h1, h2)
	default:
		return false
	}
	return true
}

func insertNear[W word](d *Counters, sums bool, h1, h2 []uint64) {
	if sums {
		addNear[W](d, h1, h2)
		return
	}
	raiseNear[W](d, h1, h2)
}

// addNear is addKeys.
func addNear[W word](d *Counters, h1, h2 []uint64) {
	l0, k, digits := counters[W](&d.Layers[0]), d.Shape.K, W(d.Layers[0].Mask)
	mask := d.Layers[0].Size - 1
	h2 = h2[:len(h1)]
	for i, j := range h1 {
		step := h2[i]
		for rest := k; ; {
			done := increment(l0, digits, mask, j, step, rest)
			if rest -= done; rest == 0 {
				break
			}
			// The counter after those that are done carries.
			j += uint64(done+1) * step
			d.Add(0, j&mask, 1)
			rest--
		}
	}
}

// increment adds 1 to a key's counters up to the first that carries, and returns how
// many it did.
//
//go:noinline
func increment[W word](l0 []W, digits W, mask, j, step uint64, k int) (done int) {
	for done = range k {
		j += step
		c := l0[j&mask] + 1
		if c&digits == 0 {
			return done
		}
		l0[j&mask] = c
	}
	return k
}

// raiseNear is raiseKeys.
func raiseNear[W word](d *Counters, h1, h2 []uint64) {
	l0, k := counters[W](&d.Layers[0]), d.Shape.K
	digits, flag, mask := W(d.Layers[0].Mask), W(d.Layers[0].Flag), d.Layers[0].Size-1
	h2 = h2[:len(h1)]
	lowest := lowestOf[W](k)
	for i, j := range h1 {
		step := h2[i]
		// A flagged counter is above all others, and as a number too.
		least, _ := lowest(l0, mask, j, step, k)
		if least&flag == 0 && least < digits {
			raise(l0, least+1, mask, j, step, k)
			continue
		}
		var room [MaxK]uint32
		at := room[:k]
		for x := range at {
			j += step
			at[x] = uint32(j & mask)
		}
		d.raiseKey(at, 1)
	}
}

// raise makes a key's counters at least to.
//
//go:noinline
func raise[W word](l0 []W, to W, mask, j, step uint64, k int) {
	for range k {
		j += step
		l0[j&mask] = W(max(uint64(l0[j&mask]), uint64(to)))
	}
}
