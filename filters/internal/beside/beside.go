// Package beside runs two functions at the same time.
package beside

import "sync/atomic"

var (
	busy    atomic.Bool
	started atomic.Int64
)

// Started is how many goroutines Do has started, for tests.
func Started() int64 { return started.Load() }

// Do runs first here and second beside it, where spare, which may be nil, says that a
// processor has nothing to do, and one after the other else; it returns when both have
// ended. There is one goroutine of Do at a time in the process. A panic of second is one
// of the caller.
func Do(spare func() bool, first, second func()) {
	if spare == nil || !busy.CompareAndSwap(false, true) {
		first()
		second()
		return
	}
	if !spare() {
		busy.Store(false)
		first()
		second()
		return
	}
	started.Add(1)
	var failure any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { failure = recover() }()
		second()
	}()
	defer func() {
		<-done
		busy.Store(false)
		if failure != nil {
			panic(failure)
		}
	}()
	first()
}
