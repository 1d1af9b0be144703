//go:build amd64 || arm64

package simd

import "unsafe"

//go:noescape
func lines(base unsafe.Pointer, offsets *uint32, n int)
