package duck

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"sync/atomic"
	"unsafe"
)

// guarded runs one callback. A panic, which would end the process if it
// reached C, becomes an error of the query.
func guarded(name string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
		if err != nil {
			err = named(name, err)
		}
	}()
	return f()
}

// silently runs a callback whose query has no place for an error: what a state or
// a database held is then left for the budget to reclaim.
func silently(f func()) {
	defer func() {
		if recover() != nil {
			lostCallbacks.Add(1)
		}
	}()
	f()
}

// lostCallbacks is how many of them panicked.
var lostCallbacks atomic.Int64

// named puts the function's name in front, unless the error begins with it.
func named(name string, err error) error {
	if strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// cText is an error's text for C, without the zero bytes that would cut it.
func cText(err error) *C.char {
	return C.CString(strings.ReplaceAll(err.Error(), "\x00", `\0`))
}

func scalarError(info unsafe.Pointer, err error) {
	text := cText(err)
	C.ccbf_scalar_error(info, text)
	C.free(unsafe.Pointer(text))
}

func aggregateError(info unsafe.Pointer, err error) {
	text := cText(err)
	C.ccbf_aggregate_error(info, text)
	C.free(unsafe.Pointer(text))
}
