package ccbf

import "testing"

// Nothing is left of what was there, however many values there are.
func TestZero(t *testing.T) {
	for _, n := range []int{0, 1, zeroAtOnce - 1, zeroAtOnce, zeroAtOnce + 1, 3*zeroAtOnce + 5} {
		values := make([]uint64, n+1)
		for i := range values {
			values[i] = 7
		}
		zero(values[:n])
		for i, v := range values {
			if (v == 0) != (i < n) {
				t.Fatalf("%d of %d values: value %d is %d", n, n+1, i, v)
			}
		}
	}
}
