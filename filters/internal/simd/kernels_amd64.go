package simd

import "golang.org/x/sys/cpu"

var have = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// finishKernel is FinishHashes for a multiple of 8 keys.
//
//go:noescape
func finishKernel(h1s, h2s *uint64, n int)

// keysKernel is CellKeys for n points, a multiple of 4. It stops before the first four points that
// include one without a key, and returns how many keys it wrote. inv is q/p.
//
//go:noescape
func keysKernel(dst *uint64, xs, ys *float64, n int, inv, p, q float64) (done int)

// startsKernel is Starts for n keys, a multiple of 8, and sizes from 2 to MaxSize. rest is 2^36 modulo
// size, float is size, and inverse is 1/size.
//
//go:noescape
func startsKernel(at, step *uint32, h1, h2 *uint64, n int, size, rest uint64, float, inverse float64)

// foursKernel is LeastFours for n keys, a multiple of 8. The parameter above is the size of the second
// layer, and inverse is 1/above. second is nil if the kernel must not read that layer.
//
//go:noescape
func foursKernel(dst *uint64, left *uint8, at, step *uint32, n int, first, second *byte, size, above uint64, inverse float32)
