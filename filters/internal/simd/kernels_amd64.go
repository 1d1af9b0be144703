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

// foursKernel is LeastFours for n keys, a multiple of 8. The parameter above is the size of the second
// layer, and inverse is 1/above. second is nil if the kernel must not read that layer.
//
//go:noescape
func foursKernel(dst *uint64, left *uint8, at, step *uint32, n int, first, second *byte, size, above uint64, inverse float32)

// runsKernel is Runs.Read. All runs have a window at their positions.
//
//go:noescape
func runsKernel(r *Runs, buf *byte, from, to int) int
