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

// isNibble is negative, as a signed number, where counter j of 4 bits is not 0. A shift by what is
// not known beforehand would take longer than what else there is to do.
func isNibble(l0 []byte, j uint64) uint64 {
	return -uint64(l0[uint32(j)>>1] & (0x0f ^ -byte(j&1)))
}

// someAtOnce is how many keys are sorted out at once: of those whose first two counters
// are not 0, what their next ones follow from is kept in the first-level cache.
const someAtOnce = 256

// pending is the keys that are left, by their numbers among those that are sorted out at once, where
// their second counters are, and how far it is from one to the next.
type pending struct{ key, at, step [someAtOnce]uint32 }

func fourNibbles(l *Layer, which []uint32, h1, h2 []uint64) (n int) {
	var p pending
	for from := 0; from < len(h1); from += someAtOnce {
		to := min(from+someAtOnce, len(h1))
		left := p.first(l.data, l.Size, l.recip, h1[from:to], h2[from:to])
		n += p.second(l.data, l.Size, left, uint32(from), which[n:])
	}
	return n
}

// first leaves the keys of which the first two counters are not 0, and returns how many these are. It is a
// function of its own so that the loop has the registers for itself.
//
//go:noinline
func (p *pending) first(l0 []byte, size, recip uint64, h1, h2 []uint64) (left int) {
	l := Layer{Size: size, recip: recip}
	h2 = h2[:len(h1)]
	for i, h := range h1 {
		step := l.mod(h2[i])
		a := next(l.mod(h), step, size)
		b := next(a, step, size)
		k := left & (someAtOnce - 1)
		p.key[k], p.at[k], p.step[k] = uint32(i), uint32(b), uint32(step)
		left += noneIs0(isNibble(l0, a) & isNibble(l0, b))
	}
	return left
}

// second writes the numbers, from from on, of the keys that are left and of which the next two counters are
// not 0 either, and returns how many these are: no more than were looked at before.
//
//go:noinline
func (p *pending) second(l0 []byte, size uint64, left int, from uint32, which []uint32) (found int) {
	which = which[:left]
	for i := range which {
		key, step := p.key[i&(someAtOnce-1)], uint64(p.step[i&(someAtOnce-1)])
		c := next(uint64(p.at[i&(someAtOnce-1)]), step, size)
		which[found] = from + key
		found += noneIs0(isNibble(l0, c) & isNibble(l0, next(c, step, size)))
	}
	return found
}

func twoNibbles(l *Layer, which []uint32, h1, h2 []uint64) (n int) {
	h2, l0, size := h2[:len(h1)], l.data, l.Size
	for i, h := range h1 {
		step := l.mod(h2[i])
		a := next(l.mod(h), step, size)
		which[n] = uint32(i)
		n += noneIs0(isNibble(l0, a) & isNibble(l0, next(a, step, size)))
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
