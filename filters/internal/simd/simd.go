// Package simd has all assembly of the repository: loops over many keys, cells or counters that
// AVX2 does several at a time. Each function here does the whole work: its kernel in assembly
// does the first keys where the processor has AVX2 and FMA, and a loop in Go the others, or all of
// them elsewhere. The results are the same; the tests hold each kernel against its loop.
package simd

// use is whether kernels are used: tests set it to see what the loops do.
var use = have
