// Package simd has all assembly of the repository: loops over many keys, cells or counters that
// AVX2 handles several at a time. If the processor has AVX2 and FMA, the kernel of a function
// handles the first keys. A loop in Go handles the others, or all keys elsewhere. The results are
// equal; tests compare each kernel with its loop.
package simd

// use is true if kernels are used. Tests set it to test the loops.
var use = have
