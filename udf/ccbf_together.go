package udf

import (
	"sync"
	"sync/atomic"
)

// A large sketch takes tens of milliseconds to decode. A thread that comes with questions for it
// meanwhile could answer them from the BLOB, which takes many times as long as from the kept
// sketch. It decodes a part of it instead, and waits until it is kept.

// decoding is a sketch that a thread decodes in order to keep it, and others help with.
type decoding struct {
	name    keptName
	do      func(part int)
	parts   int32
	next    atomic.Int32
	helpers sync.RWMutex  // read by those who help
	over    chan struct{} // closed when the sketch is kept, or is not
}

// helped is what can be helped with; one at a time.
var helped atomic.Pointer[decoding]

func newDecoding(name keptName) *decoding { return &decoding{name: name, over: make(chan struct{})} }

// end is called when it is known whether the sketch is kept.
func (d *decoding) end() {
	helped.CompareAndSwap(d, nil)
	close(d.over)
}

// share calls do for each of parts, as ccbf.View.Share does: here, and where others help.
// They read what is this thread's, so that it waits for them in any case.
func (d *decoding) share(parts int, do func(part int)) {
	d.parts, d.do = int32(parts), do
	helped.CompareAndSwap(nil, d)
	defer func() {
		d.next.Store(d.parts)
		d.helpers.Lock()
		d.helpers.Unlock() //nolint:staticcheck // nobody helps any more
	}()
	d.work()
}

// work decodes parts until all are begun.
func (d *decoding) work() {
	for {
		part := d.next.Add(1) - 1
		if part >= d.parts {
			return
		}
		d.do(int(part))
	}
}

// help is work in another thread, which returns when all is over.
func (d *decoding) help() {
	func() {
		d.helpers.RLock()
		defer d.helpers.RUnlock()
		d.work()
	}()
	<-d.over
}

// keptMeanwhile is the kept sketch of a BLOB that another thread decodes, which is helped;
// nil where none does.
func keptMeanwhile(blob []byte, together bool) *keptSketch {
	d := helped.Load()
	if d == nil || d.name.length != len(blob) || d.name.together != together || d.name != nameOf(blob, together) {
		return nil
	}
	d.help()
	return findKept(d.name)
}
