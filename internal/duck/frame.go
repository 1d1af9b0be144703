package duck

import (
	"sync"
	"sync/atomic"
)

// frame is the memory of one running callback. Frames are used again, so that a chunk costs no
// allocation.
type frame struct {
	began atomic.Uint32 // value of clock when the callback began; 0 if the frame is idle.
	rows  Rows          // memory for the callback's arguments.
	out   Result        // memory for the callback's result.
	slabs Slabs         // where the callback's states get slots.
}

var frames struct {
	sync.Mutex
	idle []*frame
	all  []*frame
}

// beginFrame returns the frame of a new callback, which ends with end.
func beginFrame() *frame {
	now := clock.Add(1)
	if now == 0 { // clock wrapped around to 0, which would mean idle
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

// end ends the callback: it gives back the charged memory and makes the frame idle.
func (f *frame) end() {
	f.slabs.done()
	f.out.Discharge(f.out.charged)
	f.began.Store(0)
	frames.Lock()
	frames.idle = append(frames.idle, f)
	frames.Unlock()
}

// isOnlyCallback reports whether at most one callback runs in the process. If a query
// runs on several threads, the other threads are then idle.
func isOnlyCallback() bool {
	frames.Lock()
	defer frames.Unlock()
	return len(frames.all)-len(frames.idle) <= 1
}

// oldestRunning returns the value of clock at which the oldest running callback began. If none runs, it
// returns the parameter now.
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
