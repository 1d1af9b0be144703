package simd

import "unsafe"

// Prefetch prefetches the cache lines at byte offsets from base. They must lie in allocated memory.
// A load stalls the processor until memory answers; prefetches overlap, as many as there are
// buffers for them. It changes nothing but the speed.
func Prefetch(base unsafe.Pointer, offsets []uint32) {
	if len(offsets) > 0 {
		lines(base, &offsets[0], len(offsets))
	}
}
