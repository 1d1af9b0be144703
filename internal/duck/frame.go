package duck

import (
	"sync"
	"sync/atomic"
)

// frame is what one running callback uses: kept and used again, so that a chunk
// costs no allocation.
type frame struct {
	began atomic.Uint32 // clock when the callback began, 0 while idle
	rows  Rows
	out   Result
}

var frames struct {
	sync.Mutex
	idle []*frame
	all  []*frame
}

func beginFrame() *frame {
	now := clock.Add(1)
	if now == 0 { // wrapped around; 0 means idle
		now = clock.Add(1)
	}
	frames.Lock()
	var f *frame
	if n := len(frames.idle); n > 0 {
		f = frames.idle[n-1]
		frames.idle = frames.idle[:n-1]
	} else {
		f = new(frame)
		frames.all = append(frames.all, f)
	}
	frames.Unlock()
	f.began.Store(now)
	return f
}

func (f *frame) end() {
	f.out.Discharge(f.out.charged)
	f.began.Store(0)
	frames.Lock()
	frames.idle = append(frames.idle, f)
	frames.Unlock()
}

// Alone reports whether this callback is the only one that runs in the process: then, in
// a query on several threads, the others wait for it.
func Alone() bool {
	frames.Lock()
	defer frames.Unlock()
	return len(frames.all)-len(frames.idle) <= 1
}

// oldestRunning is the clock at which the oldest running callback began.
func oldestRunning(now uint32) uint32 {
	frames.Lock()
	defer frames.Unlock()
	oldest := now
	for _, f := range frames.all {
		if b := f.began.Load(); b != 0 && now-b > now-oldest && int32(now-b) > 0 {
			oldest = b
		}
	}
	return oldest
}
