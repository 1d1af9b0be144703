// Package beside runs two functions at the same time.
package beside

import (
	"iter"
	"sync/atomic"
)

var (
	busy    atomic.Bool
	started atomic.Int64
)

// Started is how many goroutines Do has started, for tests.
func Started() int64 { return started.Load() }

// Do runs first here and second beside it, where spare, which may be nil, says that a
// processor has nothing to do, and one after the other else; it returns when both have
// ended. Where the goroutine has not begun when first has ended, nobody waits for it: second
// runs here too. There is one goroutine of Do at a time in the process, but for those that come
// late, which do nothing. A panic of second is one of the caller.
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
	var taken atomic.Bool // second is, by either
	done := make(chan struct{})
	go func() {
		if taken.Swap(true) {
			return
		}
		defer close(done)
		defer func() { failure = recover() }()
		second()
	}()
	defer func() {
		if !taken.Swap(true) { // first panicked
			close(done)
		}
		<-done
		busy.Store(false)
		if failure != nil {
			panic(failure)
		}
	}()
	first()
	if !taken.Swap(true) {
		close(done)
		second()
	}
}

// Share has the numbers below n gone through, each once: by a worker here and, where Do has
// a goroutine for it, by one there, each of which takes the next number when it is done with
// one. A worker that breaks off leaves nothing to the other.
func Share(spare func() bool, n int, worker func(numbers iter.Seq[int])) {
	var taken atomic.Int64
	work := func() {
		worker(func(yield func(int) bool) {
			for i := taken.Add(1) - 1; i < int64(n); i = taken.Add(1) - 1 {
				if !yield(int(i)) {
					taken.Store(int64(n))
					return
				}
			}
		})
	}
	if n < 2 {
		work()
		return
	}
	Do(spare, work, work)
}

// Ends has the numbers below n gone through, each once, from both ends until they meet: by first
// from 0 up and, where Do has a goroutine for it, by second from n-1 down. So the one
// that is slower comes less far, and the numbers of each are side by side. Where one breaks off, the other
// goes on up to the number at which it did.
func Ends(spare func() bool, n int, first, second func(numbers iter.Seq[int])) {
	var taken atomic.Int64
	from := func(i, step int) iter.Seq[int] {
		return func(yield func(int) bool) {
			for ; taken.Add(1) <= int64(n) && yield(i); i += step {
			}
		}
	}
	if spare == nil || n < 2 {
		first(from(0, 1))
		return
	}
	Do(spare, func() { first(from(0, 1)) }, func() { second(from(n-1, -1)) })
}
