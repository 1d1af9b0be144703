package duck

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

var (
	sweepMu sync.Mutex
	// A sweep that found nothing is not repeated until another callback has
	// begun: nothing can have become older before that.
	barrenAt atomic.Uint32
	sweeps   atomic.Int64
)

// Ages are sorted into buckets whose widths grow with the age, 16 to a power of
// two: precise enough to choose the oldest sixteenth, without sorting a million
// leases.
const ageBuckets = 33 * 16

func ageBucket(age uint32) int {
	if age < 16 {
		return int(age)
	}
	n := bits.Len32(age)
	return (n-4)*16 + int(age>>(n-5)&15)
}

// sweep gives up pages until need bytes are free, or a sixteenth of the limit,
// whichever is more, so that looking through all of them pays. Those that have
// made their results go first, then those untouched for longest. Pages that a
// running callback may have touched stay.
func sweep(need int64) (freed int64) {
	sweepMu.Lock()
	defer sweepMu.Unlock()
	now := clock.Load()
	most := most()
	if need > most || now != 0 && barrenAt.Load() == now {
		return 0
	}
	over := used.Load() + need - most
	if over <= 0 {
		return 1 // another thread has made room meanwhile
	}
	target := max(over, most/16)
	sweeps.Add(1)
	oldest := oldestRunning(now)

	// index of the bucket, finalized ones above all the others
	place := func(l *Lease) int {
		touched := l.touched.Load()
		old := func() bool { age := now - touched; return int32(age) >= 0 && age > now-oldest }
		if !old() {
			return -1
		}
		if sl, ok := l.obj.(*slab); ok {
			if touched = sl.touched(); !old() {
				return -1
			}
		}
		age := now - touched
		b := ageBucket(age)
		if f := l.final.Load(); f != 0 && int32(f-touched) >= 0 {
			b += ageBuckets
		}
		return b
	}
	var bytes [2 * ageBuckets]int64
	eachLease(func(l *Lease) bool {
		if b := place(l); b >= 0 {
			// An empty page frees nothing, but must not stay forever.
			bytes[b] += max(l.size.Load(), 1)
		}
		return true
	})
	from, sum := len(bytes), int64(0)
	for from > 0 && sum < target {
		from--
		sum += bytes[from]
	}
	if sum == 0 {
		barrenAt.Store(now)
		return 0
	}
	// Whole buckets above the last; of the last one only what is needed.
	rest := target - (sum - bytes[from])
	eachLease(func(l *Lease) bool {
		b := place(l)
		if b < from || b == from && rest <= 0 {
			return true
		}
		if n, ok := forget(l); ok {
			freed += n
			if b == from {
				rest -= max(n, 1)
			}
		}
		return true
	})
	if freed == 0 {
		barrenAt.Store(now)
	}
	return freed
}

// freedSinceGC is what was dropped and is still in the Go heap.
var (
	freedSinceGC atomic.Int64
	collecting   atomic.Bool
)

// noteFreed has the garbage collected when a quarter of the budget has been
// dropped: Go by itself would wait until the heap has doubled, and a budget is
// meant to say what the process takes.
func noteFreed(n int64) {
	if freedSinceGC.Add(n) < most()/4 {
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
