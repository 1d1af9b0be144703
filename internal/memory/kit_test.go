package memory

import "testing"

// withLimit sets the budget for one test.
func withLimit(t testing.TB, n int64) {
	t.Helper()
	before := Limit()
	if err := SetLimit(n); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := SetLimit(before); err != nil {
			t.Error(err)
		}
	})
}

// newPage gives a state a page of size bytes, and returns its lease.
func newPage(r *Ref, size int64) (*Lease, error) {
	l := new(Lease)
	return l, r.NewPage(l, size)
}

// releaseAll drops every page and empties the caches.
func releaseAll() {
	EmptyCaches()
	eachLease(func(l *Lease) { forget(l) })
}
