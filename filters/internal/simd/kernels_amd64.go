package simd

import "golang.org/x/sys/cpu"

var have = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// finishKernel is FinishHashes of a multiple of 8 keys.
//
//go:noescape
func finishKernel(h1s, h2s *uint64, n int)

// keysKernel is CellKeys of a multiple of 4 points; it stops before four of which one has no key. inv is q/p.
//
//go:noescape
func keysKernel(dst *uint64, xs, ys *float64, n int, inv, p, q float64) (done int)

// insideKernel is SumInside of a multiple of 4 cells, modulo 2^64, and the bits that any of all counts has.
//
//go:noescape
func insideKernel(keys, counts *uint64, n int, box *Box) (sum, all uint64)

// startsKernel is Starts of a multiple of 8 keys, for sizes from 2 to MaxSize; rest is 2^36 modulo the size, of
// the size, and inverse 1 / size.
//
//go:noescape
func startsKernel(at, step *uint32, h1, h2 *uint64, n int, size, rest uint64, of, inverse float64)

// foursKernel is LeastFours of a multiple of 8 keys; above is the size of the second layer, which may be nil.
//
//go:noescape
func foursKernel(dst *uint64, left *uint8, at, step *uint32, n int, first, second *byte, size, above uint64, inverse float32)
