package conform

import "testing"

// Allocations returns the number of allocations of a call of f that finds every pool filled. It is the
// smallest of several calls, because the race detector and the garbage collector empty pools at random.
func Allocations(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for range 20 {
		if least == 0 {
			break
		}
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}
