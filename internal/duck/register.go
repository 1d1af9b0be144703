package duck

/*
// Unwind tables for callsite.c; most targets have them anyway.
#cgo CFLAGS: -fasynchronous-unwind-tables
#cgo linux LDFLAGS: -ldl
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/memory"
)

var registry struct {
	sync.Mutex
	// overloads are the registered ones by number, from 1 on. Callbacks read it without the lock.
	overloads atomic.Pointer[[]*Overload]
	fromTable string // how the table of C functions was filled: "process", "extension", or "" if not yet.
	learned   bool   // learn has run for the DuckDB of this table.
}

// processMark is the high bits of the mark that begins every living state. It is random, so other
// data does not have it. Freed memory often contains addresses, and no address of a program has the highest
// bit. So a mark with this bit is not found there by chance. The low bits stay free for the overload's
// number.
var processMark = (rand.Uint64() | 1<<63) &^ numbers

// Embedded fills the table of DuckDB's functions from the symbols of the program's driver. The
// error names a symbol that is missing.
func Embedded() error {
	registry.Lock()
	defer registry.Unlock()
	if registry.fromTable != "" {
		return nil
	}
	if missing := C.ccbf_fill_from_process(); missing != nil {
		return fmt.Errorf("this program has no symbol %s: import a DuckDB driver that links DuckDB and exports its C API (such as github.com/duckdb/duckdb-go/v2, which links with -rdynamic)", C.GoString(missing))
	}
	registry.fromTable, registry.learned = "process", false
	return nil
}

// LoadTable fills the table from the struct that DuckDB passes to an extension: an array of
// function pointers in the order of C API v1.2.0. The error names a function that is missing, or
// says that the functions already serve another copy of DuckDB.
func LoadTable(api unsafe.Pointer) error {
	registry.Lock()
	defer registry.Unlock()
	if api == nil {
		return errors.New("DuckDB did not pass an API table")
	}
	slots := (*unsafe.Pointer)(api)
	if missing := C.ccbf_missing_in_struct(slots); missing != nil {
		return fmt.Errorf("this DuckDB does not have %s of C API v1.2.0", C.GoString(missing))
	}
	if registry.fromTable == "extension" {
		// The table must stay: queries that run in the first DuckDB call its functions through it.
		if !bool(C.ccbf_same_struct(slots)) {
			return fmt.Errorf("this process has two copies of DuckDB, and the functions already serve the other one (%s): load the extension in one of them only, or use two processes", C.GoString(C.duckdb_library_version()))
		}
		return nil
	}
	registry.learned = registry.learned && bool(C.ccbf_same_struct(slots))
	copy(apiTable(), unsafe.Slice(slots, C.CCBF_SLOTS))
	registry.fromTable = "extension"
	return nil
}

// apiTable is the table of DuckDB's functions that C calls.
func apiTable() []unsafe.Pointer { return C.ccbf_api[:] }

// Register registers the functions with the database of a connection, for all of its connections.
// Functions that this process has registered there before stay as they are, and the Instance is
// the same. The functions must not change afterwards.
func Register(conn unsafe.Pointer, fns []Function) (*Instance, error) {
	registry.Lock()
	defer registry.Unlock()
	switch {
	case registry.fromTable == "":
		return nil, errors.New("no API table: call Embedded or LoadTable first")
	case conn == nil:
		return nil, errors.New("no connection")
	}
	if err := memory.ReadLimit(); err != nil {
		return nil, err
	}
	if !registry.learned {
		registry.learned = true
		C.ccbf_set_mark(C.uint64_t(processMark))
		learn()
	}
	in, err := findInstance(conn)
	if err != nil {
		return nil, err
	}
	if in == nil {
		in = &Instance{id: lastInstance.Add(1), names: make(map[string]bool)}
		instances.Store(in.id, in)
		if err := registerOne(conn, &tag, in); err != nil {
			return nil, fmt.Errorf("registering %s: %w", tagName, err)
		}
		if _, err := findInstance(conn); err != nil { // called because it also updates the number of threads
			return nil, err
		}
	}
	for i := range fns {
		if in.names[fns[i].Name] {
			continue
		}
		if err := registerOne(conn, &fns[i], in); err != nil {
			return nil, fmt.Errorf("registering %s: %w", fns[i].Name, err)
		}
		in.names[fns[i].Name] = true
	}
	return in, nil
}

// numberOf returns the number of an overload of a function, which is the same for every database. It
// may append in place: readers have the header of an earlier, shorter slice.
func numberOf(function string, ov *Overload) uint64 {
	if ov.number == 0 {
		var all []*Overload
		if p := registry.overloads.Load(); p != nil {
			all = *p
		}
		all = append(all, ov)
		ov.function, ov.number = function, uint64(len(all))
		registry.overloads.Store(&all)
	}
	return ov.number
}

// registerOne registers a function with the database of a connection. The registry is locked.
func registerOne(conn unsafe.Pointer, f *Function, in *Instance) error {
	name := C.CString(f.Name)
	defer C.free(unsafe.Pointer(name))
	aggregate := f.Overloads[0].Aggregate != nil
	var set unsafe.Pointer
	if aggregate {
		set = C.duckdb_create_aggregate_function_set(name)
		defer C.duckdb_destroy_aggregate_function_set(&set)
	} else {
		set = C.duckdb_create_scalar_function_set(name)
		defer C.duckdb_destroy_scalar_function_set(&set)
	}
	for i := range f.Overloads {
		ov := &f.Overloads[i]
		takesGeometry := slices.ContainsFunc(ov.Params, func(p Param) bool { return p.Type == Geometry })
		if ov.Same || takesGeometry && !hasGeometry() { // GEOMETRY exists since 1.5
			continue
		}
		if err := addOverload(set, name, f, ov, in); err != nil {
			return err
		}
	}
	refused := C.int(0)
	if aggregate {
		refused = C.duckdb_register_aggregate_function_set(conn, set)
	} else {
		refused = C.duckdb_register_scalar_function_set(conn, set)
	}
	if refused != 0 {
		return errors.New("DuckDB refused it (is there already a function with that name?)")
	}
	return nil
}

// addOverload adds an overload to a set of overloads. "Special handling" makes DuckDB pass NULLs to the
// function. When DuckDB frees the function tagName, it calls the function end (callbacks.c).
func addOverload(set unsafe.Pointer, name *C.char, f *Function, ov *Overload, in *Instance) error {
	types := make([]unsafe.Pointer, 0, len(ov.Params)+1) // those of parameters, then of the result
	defer func() {
		for i := range types {
			C.duckdb_destroy_logical_type(&types[i])
		}
	}()
	for _, p := range append(ov.Params[:len(ov.Params):len(ov.Params)], Param{Name: "result", Type: ov.Returns}) {
		t, err := logical(p.Type)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		types = append(types, t)
	}
	params, returns := types[:len(ov.Params)], types[len(ov.Params)]
	// The high 32 bits are the number of the instance: state_init in C copies it into each state.
	id := C.uint64_t(numberOf(f.Name, ov) | uint64(in.id)<<32)
	refused := C.int(0)
	if ov.Aggregate != nil {
		fn := C.duckdb_create_aggregate_function()
		defer C.duckdb_destroy_aggregate_function(&fn)
		C.duckdb_aggregate_function_set_name(fn, name)
		for _, t := range params {
			C.duckdb_aggregate_function_add_parameter(fn, t)
		}
		C.duckdb_aggregate_function_set_return_type(fn, returns)
		C.duckdb_aggregate_function_set_special_handling(fn)
		C.ccbf_aggregate_callbacks(fn, id)
		refused = C.duckdb_add_aggregate_function_to_set(set, fn)
	} else {
		fn := C.duckdb_create_scalar_function()
		defer C.duckdb_destroy_scalar_function(&fn)
		C.duckdb_scalar_function_set_name(fn, name)
		for _, t := range params {
			C.duckdb_scalar_function_add_parameter(fn, t)
		}
		C.duckdb_scalar_function_set_return_type(fn, returns)
		C.duckdb_scalar_function_set_special_handling(fn)
		if ov.Volatile {
			C.duckdb_scalar_function_set_volatile(fn)
		}
		C.ccbf_scalar_callbacks(fn, id, C.bool(f.Name == tagName))
		refused = C.duckdb_add_scalar_function_to_set(set, fn)
	}
	if refused != 0 {
		return fmt.Errorf("DuckDB refused the overload with %d parameters", len(ov.Params))
	}
	return nil
}

// run runs a query and reports whether it succeeded.
func run(conn unsafe.Pointer, sql string) bool {
	text := C.CString(sql)
	defer C.free(unsafe.Pointer(text))
	result := new([8]uint64) // a duckdb_result of six words, which only DuckDB reads
	defer C.duckdb_destroy_result(unsafe.Pointer(result))
	return C.duckdb_query(conn, text, unsafe.Pointer(result)) == 0
}
