package memory

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

var sweepMu sync.Mutex

// sweep reclaims pages until need bytes fit into the budget. As it looks at all pages, it frees at least
// a sixteenth of the budget. Pages that have made their results go first, then those that were not
// touched for longest. Pages that a running callback may have touched stay. It returns the bytes
// that it freed.
func sweep(need int64) (freed int64) {
	sweepMu.Lock()
	defer sweepMu.Unlock()
	limit := Limit()
	if need > limit {
		return 0
	}
	over := used.Load() + need - limit
	if over <= 0 {
		return 1 // another thread has made room meanwhile
	}
	target := max(over, limit/16)
	oldest := oldestRunning()

	type oldPage struct {
		*Lease
		at   uint32 // value of clock when it was touched
		rank uint64 // pages with a higher rank go first
	}
	var pages []oldPage
	eachLease(func(l *Lease) {
		at, final := l.touched.Load(), l.final.Load()
		if !before(at, oldest) {
			return
		}
		rank := uint64(oldest - at)
		if final != 0 && !before(final, at) {
			rank += 1 << 32
		}
		pages = append(pages, oldPage{l, at, rank})
	})
	slices.SortFunc(pages, func(p, q oldPage) int { return cmp.Compare(q.rank, p.rank) })
	for _, p := range pages {
		if freed >= target {
			break
		}
		if p.touched.Load() == p.at { // not touched meanwhile
			freed += forget(p.Lease)
		}
	}
	return freed
}

// freedSinceGC is the number of bytes that were given back since the last collection: they are
// still in the Go heap.
var freedSinceGC atomic.Int64

// collectGarbage notes that n bytes were given back, and starts a collection after a quarter of
// the budget. Go by itself waits until the heap has doubled, and the process would take more than
// the budget.
func collectGarbage(n int64) {
	if freed := freedSinceGC.Add(n); freed >= Limit()/4 && freedSinceGC.CompareAndSwap(freed, 0) {
		go runtime.GC()
	}
}
