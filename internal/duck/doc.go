// Package duck is the project's bridge to DuckDB, and its only cgo. It registers
// scalar and aggregate functions that are described as data, and hands them
// whole chunks of rows.
//
// It links no DuckDB. All calls go through one table of function pointers (C API
// v1.2.0), filled either from the symbols that a program's driver brought along
// (Embedded) or from the struct that DuckDB hands to an extension (LoadTable).
//
// A chunk costs one crossing from C into Go, and a fixed number of crossings
// back for what a function asks for: types of ANY columns, fields, lists, NULLs,
// long strings. Nothing is allocated per row. A panic in a function ends the
// query with an error, never the process.
//
// An aggregate's state is 64 bytes in DuckDB's memory. What needs more is a
// page: a Go object charged to a process-wide budget, which may be taken away
// (pages.go, budget.go, reclaim.go), because DuckDB does not destroy every
// state: docs/MEMORY.md. docs/ARCHITECTURE.md follows a callback through the files.
//
// The order of the files: types.go, function.go, rows.go, result.go, list.go,
// state.go, pages.go and register.go are what other packages use. exports.go,
// guard.go and frame.go run a callback; the C files are what DuckDB calls. Of
// them callsite.c and probe.c look at the caller and at memory; callers.go and learn.go
// find out by them which states DuckDB passed,
// guest.c looks after threads of a host that is not Go, and catch.cpp catches what
// DuckDB throws.
package duck
