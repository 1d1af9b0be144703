package duck

import (
	"sync"

	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// frame is the memory of one running callback.
type frame struct {
	memory.Callback
	rows Rows   // memory for the callback's arguments.
	out  Result // memory for the callback's result.
}

// frames has idle frames. They are used again, so that a chunk costs no allocation.
var frames = sync.Pool{New: func() any { return new(frame) }}

// beginFrame returns the frame of a new callback, which ends with end.
func beginFrame() *frame {
	f := frames.Get().(*frame)
	f.Begin()
	return f
}

// end ends the callback: it gives back the charged memory and makes the frame idle.
func (f *frame) end() {
	f.out.Discharge(f.out.charged)
	f.End()
	frames.Put(f)
}
