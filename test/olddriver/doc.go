// Package olddriver tests programs that still import the driver github.com/marcboeker/go-duckdb/v2.
// Its test registers every function through it and runs the SQL tests.
//
// It is a separate module. Two drivers in one program would link two DuckDBs, so nothing here may
// import package connector.
package olddriver
