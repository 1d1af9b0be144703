package nh

import "golang.org/x/sys/cpu"

var (
	carryless = cpu.X86.HasAVX && cpu.X86.HasPCLMULQDQ
	// wide is whether four products are made at a time: of large pieces that takes 0.3 of the time.
	wide = cpu.X86.HasAVX512VPCLMULQDQ
)

// carrylessSums is Sums with products without carries.
func carrylessSums(dst *[2 * Parts]uint64, b *byte, stride, size int, keys *Keys) {
	if wide {
		wideSums(dst, b, stride, size, keys)
		return
	}
	narrowSums(dst, b, stride, size, keys)
}

//go:noescape
func narrowSums(dst *[2 * Parts]uint64, b *byte, stride, size int, keys *Keys)

//go:noescape
func wideSums(dst *[2 * Parts]uint64, b *byte, stride, size int, keys *Keys)
