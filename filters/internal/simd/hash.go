package simd

// Mix is the finalizer of MurmurHash3: every bit of the result depends on every bit of h.
func Mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Finish completes the hash of a key of n bytes. h1 and h2 are the states after all its bytes.
func Finish(h1, h2, n uint64) (uint64, uint64) {
	h1 ^= n
	h2 ^= n
	h1 += h2
	h2 += h1
	h1 = Mix(h1)
	h2 = Mix(h2)
	h1 += h2
	h2 += h1
	return h1, h2 | 1
}

// FinishHashes completes many hashes. h1s and h2s have their states, which already contain the lengths of
// the keys. Both are equally long.
func FinishHashes(h1s, h2s []uint64) {
	h2s = h2s[:len(h1s)]
	done := 0
	if use && len(h1s) >= 8 {
		done = len(h1s) &^ 7
		finishKernel(&h1s[0], &h2s[0], done)
	}
	for i := done; i < len(h1s); i++ {
		h1s[i], h2s[i] = Finish(h1s[i], h2s[i], 0)
	}
}
