package nh

import "golang.org/x/sys/cpu"

var carryless = cpu.X86.HasAVX && cpu.X86.HasPCLMULQDQ

// carrylessSums is Sums with products without carries.
//
//go:noescape
func carrylessSums(dst *[2 * Parts]uint64, b *byte, stride, size int, keys *Keys)
