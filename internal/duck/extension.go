package duck

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"unsafe"
)

// RegisterExtension registers the functions with a database that loads the extension. api is the
// table that DuckDB passed, and database a duckdb_database.
func RegisterExtension(api, database unsafe.Pointer, fns []Function) error {
	return Guarded(func() error {
		if err := LoadTable(api); err != nil {
			return err
		}
		C.ccbf_be_guest()
		AddProcessor()
		var conn unsafe.Pointer
		if C.duckdb_connect(database, &conn) != 0 {
			return errors.New("DuckDB gave no connection to the database")
		}
		defer C.duckdb_disconnect(&conn)
		_, err := Register(conn, fns)
		return err
	})
}
