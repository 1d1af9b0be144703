// Package duck is the project's bridge to DuckDB, and its only cgo. It registers
// scalar and aggregate functions that are described as data, and hands them
// whole chunks of rows.
//
// It does not link DuckDB. All calls use one table of function pointers, in the order of
// DuckDB's C API. Embedded fills the table from the symbols of the program's driver.
// LoadTable fills it from the struct that DuckDB passes to an extension.
//
// A chunk costs one crossing from C into Go. The parts of an ANY column's type, fields, lists,
// NULLs and long strings cost crossings back. Their number does not depend on the number of rows.
// Nothing is allocated per row.
// A panic in a function ends the query with an error, never the process.
//
// An aggregate's state is 64 bytes in DuckDB's memory. A larger one has a page besides:
// a Go object of package memory. docs/ARCHITECTURE.md follows a callback through the files.
//
// Other packages use types.go, function.go, rows.go, result.go, list.go, state.go and
// register.go. exports.go runs a callback.
//
// DuckDB calls the C files. callsite.c finds the place that called, and probe.c reads
// memory that may not be there; callers.go and learn.go tell by them which states DuckDB
// passed. guest.c protects threads of a host that is not Go, and catch.cpp catches
// exceptions of DuckDB.
package duck
