package key

import "golang.org/x/sys/cpu"

// eight says that eight keys at once can be hashed.
var eight = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ

// finishEight is finishLanes, eight at once.
//
//go:noescape
func finishEight(h1s, h2s *uint64, n int)

// rowEight is rowLanes, eight at once.
//
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
