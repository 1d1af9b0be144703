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
	unknown := func(why string) (unsafe.Pointer, error) {
		return nil, fmt.Errorf("cannot find DuckDB's connection in a %T: %s (known: *duckdb.Conn of github.com/duckdb/duckdb-go/v2 and github.com/marcboeker/go-duckdb/v2)", driverConn, why)
	}
	v := reflect.ValueOf(driverConn)
	if v.Kind() != reflect.Pointer {
		return unknown("it is not a pointer")
	}
	if v.IsNil() {
		return unknown("it is nil")
	}
	v = v.Elem()
	if v.Kind() != reflect.Struct {
		return unknown("it does not point to a struct")
	}
	if v = v.FieldByName("conn"); !v.IsValid() {
		return unknown("it has no field conn")
	}
	if v.Kind() != reflect.Struct {
		return unknown("its field conn is not a struct")
	}
	if v = v.FieldByName("Ptr"); !v.IsValid() {
		return unknown("its field conn has no field Ptr")
	}
	if v.Kind() != reflect.UnsafePointer {
		return unknown("its field conn.Ptr is not an unsafe.Pointer")
	}
	// The field is unexported. UnsafePointer may read it, Interface would panic.
	p := v.UnsafePointer()
	if p == nil {
		return unknown("the connection is closed")
	}
	return p, nil
}
