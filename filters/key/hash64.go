package key

import "math/bits"

// HashUint64 is Hash of the 8 little-endian bytes of v, without a buffer: the
// hash of every key of 8 bytes.
func HashUint64(seed, v uint64) (h1, h2 uint64) {
	seed = state(seed)
	return finish(seed^bits.RotateLeft64(v*c1, 31)*c2, seed, 8)
}

// HashUint64s writes HashUint64 of every value to h1s and h2s, which are at
// least as long as vs.
func HashUint64s(seed uint64, vs, h1s, h2s []uint64) {
	h1s = h1s[:len(vs)]
	h2s = h2s[:len(vs)]
	seed = state(seed)
	for i, v := range vs { // finish, without a call
		h1, h2 := seed^bits.RotateLeft64(v*c1, 31)*c2^8, seed^8
		h1 += h2
		h2 += h1
		h1, h2 = Mix(h1), Mix(h2)
		h1 += h2
		h1s[i], h2s[i] = h1, h1+h2|1
	}
}
