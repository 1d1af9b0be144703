package duck

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// RegisterExtension registers the functions with a database that loads the extension. api is the
// table that DuckDB passed, and database a duckdb_database.
func RegisterExtension(api, database unsafe.Pointer, fns []Function) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	if err := LoadTable(api); err != nil {
		return err
	}
	C.ccbf_be_guest()
	AddProcessor()
	conn := C.ccbf_connect(database)
	if conn == nil {
		return errors.New("DuckDB gave no connection to the database")
	}
	defer C.ccbf_disconnect(conn)
	_, err = Register(conn, fns)
	return err
}
