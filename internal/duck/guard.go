package duck

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"strings"
)

// guarded runs a callback of a function. A panic becomes an error of the query: in C it would end
// the process.
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

// silently runs a callback whose query cannot get an error. After a panic, the budget
// reclaims what a state or a database held.
func silently(f func()) {
	defer func() { _ = recover() }()
	f()
}

// named returns err with the function's name in front, unless it begins with that.
func named(name string, err error) error {
	if strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// cText returns an error's text for C, with zero bytes replaced, as they would end it.
func cText(err error) *C.char {
	return C.CString(strings.ReplaceAll(err.Error(), "\x00", `\0`))
}
