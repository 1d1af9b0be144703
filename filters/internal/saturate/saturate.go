// Package saturate has arithmetic that stops at the largest number instead of
// wrapping around.
package saturate

import "math/bits"

// Add returns a + b, at most 2^64-1.
func Add(a, b uint64) uint64 {
	if s := a + b; s >= a {
		return s
	}
	return ^uint64(0)
}

// Mul returns a * b, at most 2^64-1.
func Mul(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return ^uint64(0)
	}
	return low
}
