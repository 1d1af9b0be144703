package simd

import "math/bits"

// MaxSize is the largest size of a layer of counters that kernels are for.
const MaxSize = 1<<23 - 1

// Starts writes where the counters of keys begin in a layer of so many, below 2^32, by the keys' hashes: the first of
// each key, and how far it is from one to the next. All slices are as long as h1.
func Starts(at, step []uint32, h1, h2 []uint64, size uint64) {
	at, step, h2 = at[:len(h1)], step[:len(h1)], h2[:len(h1)]
	done := 0
	if use && len(h1) >= 8 && 2 <= size && size <= MaxSize {
		done = len(h1) &^ 7
		startsKernel(&at[0], &step[0], &h1[0], &h2[0], done, size, 1<<36%size, float64(size), 1/float64(size))
	}
	reciprocal := ^uint64(0) / size
	mod := func(h uint64) uint64 { // the quotient is at most one too small
		q, _ := bits.Mul64(h, reciprocal)
		return wrap(h-q*size, size)
	}
	for i := done; i < len(h1); i++ {
		j := mod(h2[i])
		at[i], step[i] = uint32(wrap(mod(h1[i])+j, size)), uint32(j)
	}
}

// wrap is j modulo size for a j below 2*size, without a branch.
func wrap(j, size uint64) uint64 {
	j -= size
	return j + size&uint64(int64(j)>>63)
}

// leastInverted is the least size of a layer of which the quotients in foursKernel are right.
const leastInverted = 16

// LeastFours is for keys with four counters of 4 bits each, two to a byte, in the layer first, which begin at at[i]
// and are step[i] apart; size is the layer's. It writes the least counter of each key to dst, flag included, and
// the bits of those keys to left, eight to a byte, of which a counter with a flag may be the least: for these more
// layers must be read. second is the bytes of the second layer where its counters have 8 bits, nil elsewhere: the kernel
// reads it, so that fewer keys are left.
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
		j = wrap(j+by, size)
		b := nibble(first, j)
		j = wrap(j+by, size)
		c := nibble(first, j)
		d := nibble(first, wrap(j+by, size))
		low, digit := min(a, b, c, d), min(a&7, b&7, c&7, d&7)
		dst[i] = low
		left[i/8] |= uint8((digit-low)>>63) << (i % 8) // a flagged counter has no less than its digit
	}
}

// nibble is counter j of 4 bits.
func nibble(counters []byte, j uint64) uint64 { return uint64(counters[j/2] >> (j % 2 * 4) & 15) }
