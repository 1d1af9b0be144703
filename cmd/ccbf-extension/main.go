// Command ccbf-extension is the loadable extension: built with
// -buildmode=c-shared and stamped by the tool in stamp, it is
// ccbf.duckdb_extension. make extension does both.
//
// DuckDB finds ccbf_init_c_api in it, in entry.c; guest.c looks after the
// process that the Go runtime is a guest in.
package main

/*
#cgo linux LDFLAGS: -ldl
#include <stdlib.h>
*/
import "C"

import (
	"unsafe"

	"github.com/ccbfsql/ccbfsql"
)

// ccbfGoLoad registers everything. It returns NULL, or an error's text that the
// caller frees.
//
//export ccbfGoLoad
func ccbfGoLoad(api, database unsafe.Pointer) *C.char {
	if err := ccbfsql.RegisterExtension(api, database); err != nil {
		return C.CString(err.Error())
	}
	return nil
}

func main() {}
