package memory

import (
	"sync"
	"sync/atomic"
)

// clock is the number of callbacks so far. The age of a page is a difference of clock values, so no
// time is read.
var clock atomic.Uint32

// before reports whether value a of clock is before b. Values wrap around.
func before(a, b uint32) bool { return int32(a-b) < 0 }

// running is the callbacks that run now.
var running struct {
	sync.Mutex
	callbacks map[*Callback]struct{}
}

// Callback is a call of DuckDB. Pages that it touches are not reclaimed before it ends. It can be used for
// one callback after the other.
type Callback struct {
	Slabs Slabs // where the callback's states get slots.
	began uint32
}

// Begin begins the callback, which ends with End.
func (c *Callback) Begin() {
	running.Lock()
	defer running.Unlock()
	if running.callbacks == nil {
		running.callbacks = make(map[*Callback]struct{})
	}
	running.callbacks[c] = struct{}{}
	c.began = clock.Add(1)
}

// End ends the callback.
func (c *Callback) End() {
	c.Slabs.done()
	running.Lock()
	defer running.Unlock()
	delete(running.callbacks, c)
}

// OnlyCallback reports whether at most one callback runs in the process. If a query runs on several
// threads, the other threads are then idle.
func OnlyCallback() bool {
	running.Lock()
	defer running.Unlock()
	return len(running.callbacks) <= 1
}

// oldestRunning returns the value of clock at which the oldest running callback began, or the next value if none
// runs. A running callback can use a page that was touched then or later.
func oldestRunning() uint32 {
	running.Lock()
	defer running.Unlock()
	oldest := clock.Load() + 1
	for c := range running.callbacks {
		if before(c.began, oldest) {
			oldest = c.began
		}
	}
	return oldest
}
