package duck

import (
	"sync"
	"sync/atomic"
)

// What functions keep from chunk to chunk and from query to query, so as not to make it
// again, counts against the budget and is the first to go: it can be made again.

var kept struct {
	sync.Mutex
	giveUp []func() int64
	bytes  atomic.Int64
}

// idleParts is which part of the budget may stay kept while no query runs: the next one
// often asks the same, and others need the memory.
const idleParts = 32

// OnNeed registers a function that gives up everything that was kept, and returns the
// bytes of it. It is called where the budget is needed, where no query runs and much is
// kept, and where a database is closed, from any goroutine.
func OnNeed(giveUp func() (bytes int64)) {
	kept.Lock()
	defer kept.Unlock()
	kept.giveUp = append(kept.giveUp, giveUp)
}

// Keep counts n bytes that are kept; false where a quarter of the budget would no
// longer be free. Call it before allocating.
func Keep(n int64) bool {
	if n <= 0 {
		return false
	}
	limit := most()
	for {
		u := used.Load()
		if n > limit-limit/4-u {
			return false
		}
		if used.CompareAndSwap(u, u+n) {
			kept.bytes.Add(n)
			return true
		}
	}
}

// GiveUp gives n bytes back that Keep counted.
func GiveUp(n int64) {
	kept.bytes.Add(-n)
	giveBack(n)
}

// MemoryKept is how many bytes are kept.
func MemoryKept() int64 { return kept.bytes.Load() }

// giveUpMuch gives up everything that is kept, where that is more than may stay while no
// query runs.
func giveUpMuch() {
	if MemoryKept() > most()/idleParts {
		giveUpKept()
	}
}

// giveUpKept gives up everything that is kept, and returns the bytes of it.
func giveUpKept() (bytes int64) {
	kept.Lock()
	defer kept.Unlock()
	for _, f := range kept.giveUp {
		bytes += f()
	}
	return bytes
}
