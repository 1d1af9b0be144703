package key

import "math/bits"

// start returns the initial state of the hash of every key of 8 bytes.
func start(seed uint64) uint64 { return state(seed) ^ 8 }

// hashFrom is HashUint64 with the start of its seed. It is short enough to be inlined.
func hashFrom(start, v uint64) (h1, h2 uint64) {
	h1 = start ^ bits.RotateLeft64(v*c1, 31)*c2 + start
	h2 = Mix(h1 + start)
	h1 = Mix(h1) + h2
	return h1, h1 + h2 | 1
}

// HashUint64 is Hash for the 8 little-endian bytes of v, without a buffer. It is the hash of every key
// of 8 bytes.
func HashUint64(seed, v uint64) (h1, h2 uint64) { return hashFrom(start(seed), v) }

// HashUint64s writes HashUint64 of every value to h1s and h2s, which are at
// least as long as vs.
func HashUint64s(seed uint64, vs, h1s, h2s []uint64) {
	h1s = h1s[:len(vs)]
	h2s = h2s[:len(vs)]
	first := start(seed)
	for i, v := range vs {
		h1s[i], h2s[i] = hashFrom(first, v)
	}
}
