package duck

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"

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

// load sets the frame's rows to the columns of a chunk.
func (f *frame) load(c *C.ccbf_call, ov *Overload) *Rows {
	n, rows := int(c.ncols), int(c.rows)
	r := &f.rows
	r.n, r.cols = rows, resized(r.cols, n)
	cols := unsafe.Slice(c.cols, n)
	for i := range cols {
		var t Type
		if i < len(ov.Params) {
			t = ov.Params[i].Type
		}
		r.cols[i].reset(&cols[i], rows, t)
	}
	return r
}

// result returns the writer of a callback's results.
func (f *frame) result(c *C.ccbf_call, ov *Overload) *Result {
	f.out.reset(&c.out, int(c.offset), int(c.rows), ov.Returns)
	f.out.instance = instanceOf(uint32(uint64(c.id) >> 32))
	return &f.out
}

// ccbfGoScalar computes a scalar function for one chunk.
//
//export ccbfGoScalar
func ccbfGoScalar(c *C.ccbf_call) {
	runCallback(c, func(f *frame, ov *Overload) error {
		out := f.result(c, ov)
		if err := ov.Scalar(f.load(c, ov), out); err != nil {
			return err
		}
		return out.flush()
	})
}

// ccbfGoUpdate adds one chunk to its states.
//
//export ccbfGoUpdate
func ccbfGoUpdate(c *C.ccbf_call) {
	runCallback(c, func(f *frame, ov *Overload) error {
		u := updateCall{
			states: unsafe.Pointer(c.states), rows: int(c.rows), mark: processMark | uint64(c.id)&numbers,
			site: callSite{uintptr(c.site.at), uintptr(c.site.function), uintptr(c.site.caller)},
		}
		if o, ok := ov.Aggregate.(observer); ok {
			o.observe(f.load(c, ov), u)
			return nil
		}
		host := facts.Load()
		single, part, err := host.statesOf(u.states, u.rows, u.mark, u.site)
		if err != nil {
			return err
		}
		if !single {
			C.ccbf_prefetch(c.states, c.rows)
		}
		rows := f.load(c, ov)
		states := States{p: u.states, n: u.rows, single: single, part: part, thread: uint64(c.thread), slabs: &f.Slabs}
		states.sorted = part && rows.hasStruct() && slices.Contains(host.sortedWindows, u.site.caller)
		err = ov.Aggregate.Update(rows, states)
		if err != nil && states.sorted {
			return fmt.Errorf("%w; %w", err, errDamaged)
		}
		return err
	})
}

// ccbfGoCombine adds states to other states.
//
//export ccbfGoCombine
func ccbfGoCombine(c *C.ccbf_call) {
	runCallback(c, func(f *frame, ov *Overload) error {
		from := States{p: unsafe.Pointer(c.states), n: int(c.rows), single: c.rows == 1}
		into := States{p: unsafe.Pointer(c.into), n: int(c.rows), single: c.rows == 1, slabs: &f.Slabs}
		return ov.Aggregate.Combine(from, into)
	})
}

// ccbfGoFinalize writes the results of states.
//
//export ccbfGoFinalize
func ccbfGoFinalize(c *C.ccbf_call) {
	runCallback(c, func(f *frame, ov *Overload) error {
		states := States{p: unsafe.Pointer(c.states), n: int(c.rows), single: c.rows == 1}
		if err := endPartition(uint64(c.thread), uint64(c.offset)); err != nil {
			return err
		}
		out := f.result(c, ov)
		if err := ov.Aggregate.Finalize(states, out); err != nil {
			return err
		}
		for i := range states.n {
			states.At(i).MarkFinal()
		}
		return out.flush()
	})
}

// runCallback runs one callback: call, with a frame and the overload. Its error ends the query. A panic
// becomes an error too: in C it would end the process.
func runCallback(c *C.ccbf_call, call func(*frame, *Overload) error) {
	// This process registered the function with the number, and overloads are never removed.
	ov := (*registry.overloads.Load())[uint32(c.id)-1]
	f := frames.Get().(*frame)
	f.Begin()
	err := Guarded(func() error { return call(f, ov) })
	f.out.end()
	f.End()
	frames.Put(f)
	if err == nil {
		return
	}
	message := err.Error()
	if !strings.HasPrefix(message, ov.function+":") {
		message = ov.function + ": " + message
	}
	text := C.CString(strings.ReplaceAll(message, "\x00", `\0`)) // a zero byte would end it
	defer C.free(unsafe.Pointer(text))
	if ov.Aggregate != nil {
		C.duckdb_aggregate_function_set_error(c.info, text)
	} else {
		C.duckdb_scalar_function_set_error(c.info, text)
	}
}

// Guarded calls f, and returns a panic as an error.
func Guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return f()
}

// ccbfGoDestroy drops the pages of n states. Its query cannot get an error: after a panic, the budget
// reclaims what a state held.
//
//export ccbfGoDestroy
func ccbfGoDestroy(states **C.ccbf_state, n C.uint64_t) {
	_ = Guarded(func() error {
		for _, s := range unsafe.Slice((**State)(unsafe.Pointer(states)), int(n)) {
			if s.mark&^numbers == processMark {
				s.Drop()
			}
		}
		return nil
	})
}

// ccbfGoEnd ends the instance of a database that was closed: it drops the pages that its queries left,
// and empties the cache. id belongs to its tag function.
//
//export ccbfGoEnd
func ccbfGoEnd(id C.uint64_t) {
	_ = Guarded(func() error {
		if in := instanceOf(uint32(uint64(id) >> 32)); in != nil {
			in.Release()
			memory.EmptyCache()
			instances.Delete(in.id)
		}
		return nil
	})
}
