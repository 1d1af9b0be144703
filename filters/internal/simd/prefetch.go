package simd

import "unsafe"

// Prefetch asks for the cache lines at the given byte offsets from base, which
// must lie in memory that is there, ahead of their use. A load occupies the
// machine until it is answered; a prefetch does not, so that as many misses
// overlap as there are buffers for them. It changes nothing but the speed.
func Prefetch(base unsafe.Pointer, offsets []uint32) {
	if len(offsets) > 0 {
		lines(base, &offsets[0], len(offsets))
	}
}
