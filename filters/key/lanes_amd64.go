package key

import "golang.org/x/sys/cpu"

var lanes = cpu.X86.HasAVX2

// finishLanes is finishAll of a multiple of 8 keys, four at once.
//
//go:noescape
func finishLanes(h1s, h2s *uint64, n int)

// rowLanes is HashRow of a multiple of 8 columns, four at once.
//
//go:noescape
func rowLanes(h1s, h2s, columns *uint64, n int, row uint64)
