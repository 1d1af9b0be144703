// Package olddriver shows that programs which still import the driver
// github.com/marcboeker/go-duckdb/v2 are served: its test registers every
// function through it and runs the SQL tests.
//
// It is a module of its own. Two drivers in one program would bring two DuckDBs,
// so nothing here may import package connector.
package olddriver
