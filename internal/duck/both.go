package duck

import (
	"cmp"
	"sync"

	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// HasIdleThread reports whether DuckDB has several threads and no other callback runs. The number
// of threads was read when functions were registered: a later SET threads is not noticed.
func (r *Result) HasIdleThread() bool { return hasIdleThread(r.instance) }

// HasIdleThread is Result.HasIdleThread for an update.
func (s States) HasIdleThread() bool { return hasIdleThread(instanceOf(s.instance)) }

func hasIdleThread(in *Instance) bool {
	return in != nil && in.threads.Load() > 1 && memory.OnlyCallback()
}

// Both runs first here and second in another goroutine, and returns when both have ended. It
// returns the error of first, or else of second. A panic of second is an error. Call it if HasIdleThread, and
// only where docs/performance/method.md says that it pays.
func Both(first, second func() error) error {
	var other error
	var goroutine sync.WaitGroup
	goroutine.Go(func() { other = Guarded(second) })
	err := Guarded(first) // a panic must not end before the wait, as second still reads DuckDB's memory
	goroutine.Wait()
	return cmp.Or(err, other)
}
