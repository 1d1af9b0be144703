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

// Sub returns a - b for b up to a. 2^64-1 stands for any larger number too, so it stays.
func Sub(a, b uint64) uint64 {
	if a == ^uint64(0) {
		return a
	}
	return a - b
}

// Mul returns a * b, at most 2^64-1.
func Mul(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return ^uint64(0)
	}
	return low
}
