package sqltest

import "testing"

// Ten thousand queries are asked in minutes, as most are small; and each of the
// sizes that matter is among them, whatever the seed.
func TestWindowSizes(t *testing.T) {
	for seed := range uint64(4) {
		work, most, rows, threads, both := 0, 0, 0, 0, 0
		for number := range 10000 {
			q := randomWindow(seed, number)
			work += q.functions * q.rows
			whole := q.rows == windowRows && q.groups == 1
			if q.functions == 64 {
				most++
			}
			if whole {
				rows++
			}
			if q.threads == 8 {
				threads++
			}
			if whole && q.functions == 64 && q.threads == 8 {
				both++
			}
		}
		t.Logf("seed %d: %d values in all; %d times 64 functions, %d times 5,000 rows a group, %d times 8 threads, %d times all three", seed, work, most, rows, threads, both)
		if both < 10000/largeOf || most <= both || rows <= both || threads < 500 {
			t.Errorf("seed %d: large queries are missing", seed)
		}
		if work > 30e6 {
			t.Errorf("seed %d: %d values in functions", seed, work)
		}
	}
}
