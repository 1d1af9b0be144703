package udf

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// A thread that comes for a sketch that another decodes does a part of it, and returns when
// it is over; one that comes for another sketch does nothing.
func TestDecodingTogether(t *testing.T) {
	blob, other := []byte("a large sketch"), []byte("another sketch")
	if keptMeanwhile(blob, true) != nil {
		t.Fatal("a sketch is kept of which nobody knows")
	}
	name := nameOf(blob, true)
	d := newDecoding(name)
	var done [20]atomic.Int32
	first := make(chan struct{})
	var kept atomic.Bool
	var helper sync.WaitGroup
	d.share(len(done), func(part int) {
		if done[part].Add(1); part == 0 {
			keptMeanwhile(other, true)
			keptMeanwhile(blob, false)
			helper.Go(func() {
				keptMeanwhile(blob, true)
				if !kept.Load() {
					t.Error("a helper did not wait")
				}
			})
			<-first // that of the other thread
		} else if part == 1 {
			close(first)
		}
	})
	for part := range done {
		if n := done[part].Load(); n != 1 {
			t.Errorf("part %d was made %d times", part, n)
		}
	}
	kept.Store(true)
	d.end()
	helper.Wait()
	if helped.Load() != nil {
		t.Error("there is something to help with")
	}
}

// Two sketches may be decoded at a time, of which one is helped with. Where a part panics, nobody
// waits for ever.
func TestDecodingsThatEnd(t *testing.T) {
	one, two := newDecoding(keptName{hash: 1}), newDecoding(keptName{hash: 2})
	var parts []int
	one.share(2, func(part int) {
		if parts = append(parts, part); part == 0 {
			two.share(1, func(int) { parts = append(parts, 10) })
		}
	})
	if want := []int{0, 10, 1}; !slices.Equal(parts, want) {
		t.Errorf("parts %v, want %v", parts, want)
	}
	two.end()
	if helped.Load() != one {
		t.Error("the end of one decoding is that of another")
	}
	one.end()
	panics := newDecoding(keptName{hash: 3})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		defer panics.end()
		panics.share(3, func(part int) { panic(part) })
	}()
	panics.help()
	if helped.Load() != nil {
		t.Error("there is something to help with")
	}
}
