package bitio

import "golang.org/x/sys/cpu"

// eight reports whether the processor has what is used here to work on eight numbers at once.
var eight = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512CD &&
	cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasBMI2

// readSixteen reads so many pairs of each of sixteen readers, and returns how many it read: at least 8 are asked
// for, and out is the first cell of Runs, of four.
//
//go:noescape
func readSixteen(s *sixteenState, out *uint64, steps int) int

// codeEight is WriteRun of n pairs, with another key and count before them, up to where codes are written:
// codes, and how long they are and the longest of them is. Codes longer than 64 bits come out wrong.
//
//go:noescape
func codeEight(codes, lengths, keys, counts *uint64, n int, j, k uint64) (longest uint64)

// joinCodes writes codes of up to 56 bits behind the bits that are used of acc, and returns how many bits
// there are then, and what is behind the bytes that are complete.
//
//go:noescape
func joinCodes(dst *byte, codes, lengths *uint64, n int, acc, used uint64) (bits, rest uint64)

// orderEight is BestOrder of up to MaxRun numbers: what a is above b, less one.
//
//go:noescape
func orderEight(a, b *uint64, n int) (order uint64)
