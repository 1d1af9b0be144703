package simd

import (
	"testing"
	"unsafe"
)

// Prefetching changes nothing that can be seen but must not fault, at the
// first and the last byte of what is there.
func TestPrefetchLeavesMemoryAlone(t *testing.T) {
	b := make([]byte, 1<<16)
	for i := range b {
		b[i] = byte(i)
	}
	Prefetch(unsafe.Pointer(&b[0]), nil)
	Prefetch(unsafe.Pointer(&b[0]), []uint32{0, 1, 63, 64, 4096, uint32(len(b) - 1)})
	for i := range b {
		if b[i] != byte(i) {
			t.Fatalf("byte %d changed", i)
		}
	}
}
