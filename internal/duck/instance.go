package duck

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Instance is this process's registration with one database. Blocks carry its
// number.
type Instance struct {
	id    uint32
	live  atomic.Int64    // blocks
	names map[string]bool // what is registered; under the registry's lock
}

func instanceOf(id uint32) *Instance {
	all := registry.instances.Load()
	if i := int(id) - 1; all != nil && i >= 0 && i < len(*all) {
		return (*all)[i]
	}
	return nil
}

func newInstance() *Instance {
	var all []*Instance
	if p := registry.instances.Load(); p != nil {
		all = *p
	}
	in := &Instance{id: uint32(len(all) + 1), names: make(map[string]bool)}
	all = append(all[:len(all):len(all)], in)
	registry.instances.Store(&all)
	return in
}

// Which database a connection belongs to cannot be asked for, and registering an
// aggregate a second time is refused. So every database gets one function more,
// which tells the process that runs it which instance it is.
const tagName = "ccbf_registration"

var tagCalls struct {
	sync.Mutex
	asked uint64
	seen  map[uint64]*Instance
}

func tagFunction(in *Instance) Function {
	return Function{
		Name:    tagName,
		Summary: "Tells ccbfsql that its functions are registered with this database.",
		Overloads: []Overload{{
			Params:   []Param{{"question", UBigInt}},
			Returns:  Boolean,
			Volatile: true, // a constant argument must not keep it from running
			Scalar: func(args *Rows, out *Result) error {
				ok := Out[bool](out)
				for i, q := range Slice[uint64](args.Col(0)) {
					ok[i] = args.Col(0).Valid(i)
					if !ok[i] {
						continue
					}
					tagCalls.Lock()
					if _, asked := tagCalls.seen[q]; asked {
						tagCalls.seen[q] = in
					}
					tagCalls.Unlock()
				}
				return nil
			},
		}},
	}
}

// findInstance asks the database of a connection; nil when nothing of this
// process is registered there.
func findInstance(conn unsafe.Pointer) (*Instance, error) {
	tagCalls.Lock()
	tagCalls.asked++
	question := tagCalls.asked
	if tagCalls.seen == nil {
		tagCalls.seen = make(map[uint64]*Instance)
	}
	tagCalls.seen[question] = nil
	tagCalls.Unlock()

	text := C.CString(fmt.Sprintf("SELECT %s(%d)", tagName, question))
	defer C.free(unsafe.Pointer(text))
	ran := bool(C.ccbf_run(conn, text))

	tagCalls.Lock()
	in := tagCalls.seen[question]
	delete(tagCalls.seen, question)
	tagCalls.Unlock()
	if ran && in == nil {
		return nil, errors.New("another copy of ccbfsql (the loadable extension?) has registered its functions with this database already")
	}
	return in, nil
}

// Release gives back the blocks of this registration that are still there. Only
// a host that knows that none of its queries is running may call it.
func (in *Instance) Release() {
	if in == nil || in.live.Load() == 0 {
		return
	}
	eachLease(func(l *Lease) bool {
		if l.instance == in.id {
			forget(l)
		}
		return true
	})
}

// Blocks is the number of blocks of this registration.
func (in *Instance) Blocks() int64 { return in.live.Load() }
