package simd

// MaxSize is the largest number of counters in a layer that foursKernel supports.
const MaxSize = 1<<23 - 1

// Wrap returns j modulo size for a j below 2*size. It has no branch, because hashes make it unpredictable
// and a misprediction costs more than a store.
func Wrap(j, size uint64) uint64 {
	j -= size
	return j + size&uint64(int64(j)>>63)
}

// leastInverted is the least size of a layer for which foursKernel computes correct quotients.
const leastInverted = 16

// LeastFours reads the four counters of each key in a layer of 4-bit counters, two to a byte. The
// counters of key i begin at at[i] and are step[i] apart; size is the layer's. It writes the least
// counter, flag included, to dst. If a counter with a flag may be the least, more layers must be
// read. Then it sets the key's bit in left, eight to a byte.
//
// The argument second is the bytes of the second layer if its counters have 8 bits, and nil
// otherwise. The kernel reads it, so that fewer keys are left.
func LeastFours(dst []uint64, left []uint8, at, step []uint32, first, second []byte, size uint64) {
	at, step = at[:len(dst)], step[:len(dst)]
	clear(left[:(len(dst)+7)/8])
	done := 0
	if use && len(dst) >= 8 && size <= MaxSize {
		done = len(dst) &^ 7
		var above *byte
		n := uint64(leastInverted)
		if len(second) >= leastInverted {
			above, n = &second[0], uint64(len(second))
		}
		foursKernel(&dst[0], &left[0], &at[0], &step[0], done, &first[0], above, size, n, 1/float32(n))
	}
	for i := done; i < len(dst); i++ {
		j, by := uint64(at[i]), uint64(step[i])
		a := nibble(first, j)
		j = Wrap(j+by, size)
		b := nibble(first, j)
		j = Wrap(j+by, size)
		c := nibble(first, j)
		d := nibble(first, Wrap(j+by, size))
		low, digit := min(a, b, c, d), min(a&7, b&7, c&7, d&7)
		dst[i] = low
		// A counter with a flag is at least its digit. So low is the answer if no digit is lower.
		left[i/8] |= uint8((digit-low)>>63) << (i % 8)
	}
}

// nibble returns counter j of 4 bits.
func nibble(counters []byte, j uint64) uint64 { return uint64(counters[j/2] >> (j % 2 * 4) & 15) }
