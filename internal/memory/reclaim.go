package memory

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

var (
	sweepMu sync.Mutex
	// emptySweepAt is the value of clock at the last sweep that found nothing. No sweep runs again until
	// another callback begins, because no page becomes older before that.
	emptySweepAt atomic.Uint32
)

// ageBuckets is the number of buckets for ages, 16 to each power of two. That is precise enough
// to choose the oldest sixteenth of the pages, without sorting a million leases.
const ageBuckets = 33 * 16

// ageBucket returns the bucket for pages of this age, a number of callbacks.
func ageBucket(age uint32) int {
	if age < 16 {
		return int(age)
	}
	n := bits.Len32(age)
	return (n-4)*16 + int(age>>(n-5)&15)
}

// sweep reclaims pages until need bytes fit into the budget. As it looks at all pages, it frees at least
// a sixteenth of the budget. Pages that have made their results go first, then those that were not
// touched for longest. Pages that a running callback may have touched stay. It returns the bytes
// that it freed.
func sweep(need int64) (freed int64) {
	sweepMu.Lock()
	defer sweepMu.Unlock()
	now := clock.Load()
	limit := Limit()
	if need > limit || now != 0 && emptySweepAt.Load() == now {
		return 0
	}
	over := used.Load() + need - limit
	if over <= 0 {
		return 1 // another thread has made room meanwhile
	}
	target := max(over, limit/16)
	oldest := oldestRunning(now)

	// place returns the number of a page's bucket, or -1 if the page must stay. Pages that have made
	// their results get higher numbers than all others. The buckets with the highest numbers go first.
	place := func(l *Lease) int {
		touched := l.touched.Load()
		age := now - touched
		if int32(age) < 0 || age <= now-oldest {
			return -1
		}
		b := ageBucket(age)
		if f := l.final.Load(); f != 0 && int32(f-touched) >= 0 {
			b += ageBuckets
		}
		return b
	}
	var bytes [2 * ageBuckets]int64
	eachLease(func(l *Lease) {
		if b := place(l); b >= 0 {
			// An empty page counts as 1 byte. Otherwise it would stay forever, as it frees nothing.
			bytes[b] += max(l.size.Load(), 1)
		}
	})
	from, sum := len(bytes), int64(0)
	for from > 0 && sum < target {
		from--
		sum += bytes[from]
	}
	if sum == 0 {
		emptySweepAt.Store(now)
		return 0
	}
	// Drop all pages of the buckets with numbers above from. In bucket from, drop pages until rest bytes
	// are free.
	rest := target - (sum - bytes[from])
	eachLease(func(l *Lease) {
		b := place(l)
		if b < from || b == from && rest <= 0 {
			return
		}
		if n, ok := forget(l); ok {
			freed += n
			if b == from {
				rest -= max(n, 1)
			}
		}
	})
	if freed == 0 {
		emptySweepAt.Store(now)
	}
	return freed
}

// freedSinceGC is the number of bytes that were given back since the last collection: they are
// still in the Go heap.
var (
	freedSinceGC atomic.Int64
	collecting   atomic.Bool
)

// collectGarbage notes that n bytes were given back, and starts a collection after a quarter of
// the budget. Go by itself waits until the heap has doubled, and the process would take more than
// the budget.
func collectGarbage(n int64) {
	if freedSinceGC.Add(n) < Limit()/4 {
		return
	}
	if !collecting.CompareAndSwap(false, true) {
		return
	}
	go func() {
		freedSinceGC.Store(0)
		runtime.GC()
		collecting.Store(false)
	}()
}
