// Package saturate has arithmetic that stops at the largest number instead of
// wrapping around.
package saturate

// Add is a + b, at most 2^64-1.
func Add(a, b uint64) uint64 {
	if s := a + b; s >= a {
		return s
	}
	return ^uint64(0)
}
