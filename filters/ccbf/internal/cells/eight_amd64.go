package cells

import "golang.org/x/sys/cpu"

// haveEight reports whether the processor has what encodeEights is made of.
var haveEight = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512CD && cpu.X86.HasBMI1

// encodeEights makes n lists those of the words from each of begins on up to the next; those of no words,
// of more than MaxEight, or of some that come again get no cells.
//
//go:noescape
func encodeEights(all *Eight, words *uint64, begins *int, n int)
