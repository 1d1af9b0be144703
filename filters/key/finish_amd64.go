package key

import "golang.org/x/sys/cpu"

var (
	lanes = cpu.X86.HasAVX2
	eight = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ
)

// finishLanes is finishAll of a multiple of 8 keys, four at once.
//
//go:noescape
func finishLanes(h1s, h2s *uint64, n int)

// rowLanes is HashRow of a multiple of 8 columns, four at once.
//
//go:noescape
func rowLanes(h1s, h2s, columns *uint64, n int, row uint64)

// finishEight is finishLanes, eight at once, and rowEight is rowLanes: AVX-512 multiplies numbers
// of 64 bits in one instruction, AVX2 in seven.
//
//go:noescape
func finishEight(h1s, h2s *uint64, n int)

//go:noescape
func rowEight(h1s, h2s, columns *uint64, n int, row uint64)

// squaresEight is HashSquares of a multiple of 8 squares, eight at once: first and second is what their
// level and length change in the states.
//
//go:noescape
func squaresEight(h1s, h2s *uint64, n int, seed, first, second uint64)

// wordsEight is HashUint64s of a multiple of 8 values, eight at once.
//
//go:noescape
func wordsEight(h1s, h2s, vs *uint64, n int, start uint64)
