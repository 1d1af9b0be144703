package bitio

import "golang.org/x/sys/cpu"

var eight = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ

//go:noescape
func readEight(s *eightState, base *byte, last uint64, out *uint64, steps int) int
