package udf

import "testing"

// What is remembered has the number that it was remembered with, in its own sketch; as many
// values as there are entries are, and then each takes the place of another.
func TestMemoEntries(t *testing.T) {
	var ways [memoWays]memoEntry
	value := func(i int) *[2]uint64 { return &[2]uint64{uint64(i), 0} }
	if _, ok := numberIn(&ways, value(0), 1); ok {
		t.Fatal("an empty entry has a value")
	}
	for n := range 10 * memoWays {
		*wayFor(&ways, n%memoWays) = memoEntry{*value(n), 7, uint32(100 + n)}
		for i := range 10 * memoWays {
			number, ok := numberIn(&ways, value(i), 7)
			if ok != (i <= n && i > n-memoWays) || ok && number != uint32(100+i) {
				t.Fatalf("after %d values, the number of %d is %d, %v", n+1, i, number, ok)
			}
			if _, ok := numberIn(&ways, value(i), 8); ok {
				t.Fatalf("value %d has a number in another sketch", i)
			}
		}
	}
}
