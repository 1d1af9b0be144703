package simd

import "golang.org/x/sys/cpu"

var have = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// finishKernel is FinishHashes for a multiple of 8 keys.
//
//go:noescape
func finishKernel(h1s, h2s *uint64, n int)

// keysKernel is CellKeys for a multiple of 4 points. It stops before the first four of which one has
// no key. inv is q/p.
//
//go:noescape
func keysKernel(dst *uint64, xs, ys *float64, n int, inv, p, q float64) (done int)

// insideKernel is SumInside for a multiple of 4 cells, modulo 2^64. all is the bitwise or of all
// counts.
//
//go:noescape
func insideKernel(keys, counts *uint64, n int, box *Box) (sum, all uint64)

// startsKernel is Starts for a multiple of 8 keys and sizes from 2 to MaxSize. The argument rest is
// 2^36 modulo the size, and inverse is 1 / size.
//
//go:noescape
func startsKernel(at, step *uint32, h1, h2 *uint64, n int, size, rest uint64, float, inverse float64)

// foursKernel is LeastFours for a multiple of 8 keys. The argument above is the size of the second
// layer, which may be nil.
//
//go:noescape
func foursKernel(dst *uint64, left *uint8, at, step *uint32, n int, first, second *byte, size, above uint64, inverse float32)
