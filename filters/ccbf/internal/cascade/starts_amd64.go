package cascade

import "golang.org/x/sys/cpu"

var lanes = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// startsLanes is starts for a multiple of 8 keys, four at once, and sizes from 2 to
// maxLaneSize; rest is 2^36 modulo the size, of the size, and inverse 1 / size.
//
//go:noescape
func startsLanes(at, step *uint32, h1, h2 *uint64, n int, size, rest uint64, of, inverse float64)

// foursLanes is countFours for a multiple of 8 keys, eight at once: see there.
//
//go:noescape
func foursLanes(dst *uint64, left *uint8, at, step *uint32, n int, first, second *byte, size, above uint64, inverse float32)
