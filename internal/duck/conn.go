package duck

import (
	"fmt"
	"reflect"
	"unsafe"
)

// ConnOf returns DuckDB's connection handle from a driver's connection, which (*sql.Conn).Raw
// passes. The drivers github.com/duckdb/duckdb-go/v2 and github.com/marcboeker/go-duckdb/v2 have
// it in the unexported field conn, a struct with the field Ptr. For other drivers, the error names
// the type.
func ConnOf(driverConn any) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	if v := reflect.ValueOf(driverConn); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		if conn := v.Elem().FieldByName("conn"); conn.Kind() == reflect.Struct {
			if ptr := conn.FieldByName("Ptr"); ptr.Kind() == reflect.UnsafePointer {
				p = ptr.UnsafePointer() // the field is unexported: Interface would panic
			}
		}
	}
	if p == nil {
		return nil, fmt.Errorf("cannot find DuckDB's connection in a %T: it has no field conn.Ptr, or is closed (known: *duckdb.Conn of github.com/duckdb/duckdb-go/v2 and github.com/marcboeker/go-duckdb/v2)", driverConn)
	}
	return p, nil
}
