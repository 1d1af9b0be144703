package cascade

// Some is for very many keys of which few have a count: it writes to which, as long as
// h1, the numbers of those of which none of the first four counters is 0, and returns these. The
// others have none. It has no branch on what it reads. Where counters do not have 4
// bits, or a key has fewer than four, it returns all.
func (d *Counters) Some(which []uint32, h1, h2 []uint64) []uint32 {
	which = which[:len(h1)]
	if l := &d.Layers[0]; d.Shape.K >= 4 && l.wordWidth() == 4 {
		return which[:fourNibbles(l, which, h1, h2)]
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

// fourNibbles sorts out a batch of keys by one counter after the other, each key that is left by
// the next: one in two has a 0 first, as a rule, and the others are not loaded then.
func fourNibbles(l *Layer, which []uint32, h1, h2 []uint64) (n int) {
	var s starts
	for from := 0; from < len(h1); from += keyBatch {
		to := min(from+keyBatch, len(h1))
		s.find(l, h1[from:to], h2[from:to])
		left := which[n:][:to-from]
		some := s.first(l.data, left)
		for range 3 {
			some = s.next(l.data, l.Size, left[:some])
		}
		for i := range left[:some] {
			left[i] += uint32(from)
		}
		n += some
	}
	return n
}

// first writes the numbers of the keys whose first counter is not 0, of as many as which has room
// for, and returns how many these are. It is a function of its own so that the loop has the
// registers for itself, as next is.
//
//go:noinline
func (s *starts) first(l0 []byte, which []uint32) (some int) {
	for i, j := range s.at[:len(which)] {
		which[some] = uint32(i)
		some += noneIs0(isNibble(l0, uint64(j)))
	}
	return some
}

// next goes to the next counters of the keys with these numbers, and keeps those of which it is
// not 0.
//
//go:noinline
func (s *starts) next(l0 []byte, size uint64, which []uint32) (some int) {
	for _, i := range which {
		j := next(uint64(s.at[i%keyBatch]), uint64(s.step[i%keyBatch]), size)
		s.at[i%keyBatch] = uint32(j)
		which[some] = i
		some += noneIs0(isNibble(l0, j))
	}
	return some
}

// noneIs0 is 1 where all are negative of which this has the common bits.
func noneIs0(common uint64) int { return int(common >> 63) }
