package memory

import "testing"

// TestCachesAreEmptiedFirst checks that caches leave a quarter of the budget free, and are emptied
// before pages are reclaimed.
func TestCachesAreEmptiedFirst(t *testing.T) {
	releaseAll()
	withLimit(t, 1<<20)
	var have int64
	RegisterCache(func() int64 {
		n := have
		have = 0
		UnreserveCache(n)
		return n
	})
	keep := func(n int64) bool {
		if !ReserveCache(n) {
			return false
		}
		have += n
		return true
	}
	if keep(0) || keep(-1) || keep(800<<10) || !keep(500<<10) || keep(300<<10) || !keep(200<<10) {
		t.Fatalf("%d bytes are kept of a budget of %d", have, Limit())
	}
	var s Ref
	l, err := newPage(&s, 700<<10)
	if err != nil || have != 0 || Used() != 700<<10 {
		t.Fatalf("%v, %d bytes are kept and %d used", err, have, Used())
	}
	if keep(100 << 10) {
		t.Error("memory is kept where little is free")
	}
	s.Drop()
	if l.Size() != 0 || !keep(100<<10) {
		t.Error("nothing can be kept any more")
	}
	if Cached() != have {
		t.Errorf("%d bytes are kept, and not %d", Cached(), have)
	}
	releaseAll()
	if have != 0 || Cached() != 0 || Used() != 0 {
		t.Errorf("%d bytes are kept and %d used after releaseAll", have, Used())
	}
	// Where no query runs, a thirty-second stays, and not a byte more.
	for _, n := range []int64{32 << 10, 32<<10 + 1} {
		if !keep(n) {
			t.Fatalf("%d bytes cannot be kept", n)
		}
		Release(0)
		if want := n % (32<<10 + 1); have != want {
			t.Errorf("%d bytes stay of %d while no query runs", have, n)
		}
		releaseAll()
	}
}
