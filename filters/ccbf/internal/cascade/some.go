package cascade

// Some is for very many keys of which few have a count: it writes to which, as long as
// h1, the numbers of those of which none of the first four counters is 0, or of the first
// two where a key has less than four, and returns these. The others have none. It has no
// branch on what it reads.
func (d *Counters) Some(which []uint32, h1, h2 []uint64) []uint32 {
	which = which[:len(h1)]
	if d.Shape.K < 2 {
		return every(which)
	}
	l, four := &d.Layers[0], d.Shape.K >= 4
	switch width := l.wordWidth(); {
	case width == 4 && four:
		return which[:fourNibbles(l, which, h1, h2)]
	case width == 8 && four:
		return which[:fourWords[uint8](l, which, h1, h2)]
	case width == 16 && four:
		return which[:fourWords[uint16](l, which, h1, h2)]
	case width == 32 && four:
		return which[:fourWords[uint32](l, which, h1, h2)]
	case width == 4:
		return which[:twoNibbles(l, which, h1, h2)]
	case width == 8:
		return which[:twoWords[uint8](l, which, h1, h2)]
	case width == 16:
		return which[:twoWords[uint16](l, which, h1, h2)]
	case width == 32:
		return which[:twoWords[uint32](l, which, h1, h2)]
	}
	return every(which)
}

func every(which []uint32) []uint32 {
	for i := range which {
		which[i] = uint32(i)
	}
	return which
}

// loadNibble is counter j of 4 bits.
func loadNibble(l0 []byte, j uint64) uint64 {
	at, shift := nibble(uint32(j))
	return uint64(l0[at] >> shift & (nibbleMask | nibbleFlag))
}

// someAtOnce is how many keys are sorted out at once: of those whose first two counters
// are not 0, what their next ones follow from is kept in the first-level cache.
const someAtOnce = 256

// pending is where the second counters of keys are, and how far it is from one to the next.
type pending struct{ at, step [someAtOnce]uint32 }

func fourNibbles(l *Layer, which []uint32, h1, h2 []uint64) (n int) {
	l0, size := l.data, l.Size
	var p pending
	for from := 0; from < len(h1); from += someAtOnce {
		some := h1[from:min(from+someAtOnce, len(h1))]
		steps := h2[from:][:len(some)]
		left := 0
		to := which[n:][:len(some)] // no more than were looked at before
		for i, h := range some {
			step := l.mod(steps[i])
			a := next(l.mod(h), step, size)
			b := next(a, step, size)
			k := left & (someAtOnce - 1)
			to[k], p.at[k], p.step[k] = uint32(from+i), uint32(b), uint32(step)
			left += noneIs0(-loadNibble(l0, a) & -loadNibble(l0, b))
		}
		found := 0
		for i, key := range to[:left] {
			step := uint64(p.step[i&(someAtOnce-1)])
			c := next(uint64(p.at[i&(someAtOnce-1)]), step, size)
			to[found] = key
			found += noneIs0(-loadNibble(l0, c) & -loadNibble(l0, next(c, step, size)))
		}
		n += found
	}
	return n
}

func twoNibbles(l *Layer, which []uint32, h1, h2 []uint64) (n int) {
	h2, l0, size := h2[:len(h1)], l.data, l.Size
	for i, h := range h1 {
		step := l.mod(h2[i])
		a := next(l.mod(h), step, size)
		which[n] = uint32(i)
		n += noneIs0(-loadNibble(l0, a) & -loadNibble(l0, next(a, step, size)))
	}
	return n
}

func fourWords[W word](l *Layer, which []uint32, h1, h2 []uint64) (n int) {
	h2, l0, size := h2[:len(h1)], counters[W](l), l.Size
	for i, h := range h1 {
		step := l.mod(h2[i])
		a := next(l.mod(h), step, size)
		b := next(a, step, size)
		c := next(b, step, size)
		which[n] = uint32(i)
		n += noneIs0(-uint64(l0[a]) & -uint64(l0[b]) & -uint64(l0[c]) & -uint64(l0[next(c, step, size)]))
	}
	return n
}

func twoWords[W word](l *Layer, which []uint32, h1, h2 []uint64) (n int) {
	h2, l0, size := h2[:len(h1)], counters[W](l), l.Size
	for i, h := range h1 {
		step := l.mod(h2[i])
		a := next(l.mod(h), step, size)
		which[n] = uint32(i)
		n += noneIs0(-uint64(l0[a]) & -uint64(l0[next(a, step, size)]))
	}
	return n
}

// noneIs0 is 1 where all are negative of which this has the common bits.
func noneIs0(common uint64) int { return int(common >> 63) }
