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

// newCallback stands for DuckDB calling: time passes for the store.
func newCallback(f func()) {
	var c Callback
	c.Begin()
	f()
	c.End()
}

// nothingLeft checks that no page and no byte of the budget is held.
func nothingLeft(t *testing.T) {
	t.Helper()
	if Used() != 0 || store.live.Load() != 0 {
		t.Errorf("%d bytes in %d pages are left", Used(), store.live.Load())
	}
}
