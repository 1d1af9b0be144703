package conform

import "testing"

// Allocations is how many allocations a call of f makes that finds every pool filled:
// the least of several calls, for the race detector and the collector of garbage empty
// pools at random.
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
