package duck

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"sync"
	"unsafe"
)

// seenTypes caches types by their descriptions, so that a column's type costs no allocation in
// later chunks. It is emptied when it is full.
var seenTypes struct {
	sync.RWMutex
	m map[string]Type
}

const seenTypesLimit = 4096

// readType returns the type of a vector; the zero Type if there is no memory.
func readType(vec unsafe.Pointer) Type {
	var n C.uint64_t
	p := C.ccbf_describe_vector(vec, &n)
	if p == nil {
		return Type{}
	}
	defer C.free(unsafe.Pointer(p))
	return parseType(unsafe.Slice((*byte)(unsafe.Pointer(p)), int(n)))
}

// parseType returns the type that desc describes; describe.c defines the description.
func parseType(desc []byte) Type {
	seenTypes.RLock()
	t, ok := seenTypes.m[string(desc)]
	seenTypes.RUnlock()
	if ok {
		return t
	}
	p := typeParser{b: desc}
	t = p.parse()
	seenTypes.Lock()
	if seenTypes.m == nil || len(seenTypes.m) >= seenTypesLimit {
		seenTypes.m = make(map[string]Type)
	}
	seenTypes.m[string(desc)] = t
	seenTypes.Unlock()
	return t
}

// typeParser parses the description of a type by describe.c. It does not check bounds, as no other
// program writes descriptions. guarded turns a panic into an error.
type typeParser struct{ b []byte }

func (p *typeParser) u8() uint8 {
	v := p.b[0]
	p.b = p.b[1:]
	return v
}

func (p *typeParser) u32() int {
	v := binary.NativeEndian.Uint32(p.b)
	p.b = p.b[4:]
	return int(v)
}

func (p *typeParser) u64() uint64 {
	v := binary.NativeEndian.Uint64(p.b)
	p.b = p.b[8:]
	return v
}

// text reads a length of 4 bytes and a text of that length.
func (p *typeParser) text() string {
	n := p.u32()
	v := string(p.b[:n])
	p.b = p.b[n:]
	return v
}

// parse reads one type, with the types in it.
func (p *typeParser) parse() Type {
	t := Type{id: TypeID(p.u8())}
	d := detail{alias: p.text()}
	switch t.id {
	case DecimalID:
		d.width, d.scale = p.u8(), p.u8()
	case EnumID:
		d.dict = make([]string, p.u32())
		for i := range d.dict {
			d.dict[i] = p.text()
		}
	case ListID:
		d.elem = p.parse()
	case ArrayID:
		d.size = p.u64()
		d.elem = p.parse()
	case MapID:
		d.fields = []Field{{Name: "key", Type: p.parse()}, {Name: "value", Type: p.parse()}}
	case StructID, UnionID:
		d.fields = make([]Field, p.u32())
		for i := range d.fields {
			d.fields[i].Name = p.text()
			d.fields[i].Type = p.parse()
		}
	default:
		if d.alias == "" {
			return t
		}
	}
	t.d = &d
	return t
}

// logical returns DuckDB's object of a type. Free it with duckdb_destroy_logical_type. The error says that a
// function cannot have the type.
func logical(t Type) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	switch t.id {
	case ListID:
		elem, err := logical(t.Elem())
		if err != nil {
			return nil, err
		}
		defer C.duckdb_destroy_logical_type(&elem)
		p = C.duckdb_create_list_type(elem)
	case DecimalID:
		w, s := t.Decimal()
		p = C.duckdb_create_decimal_type(C.uint8_t(w), C.uint8_t(s))
	case StructID:
		fields := t.Fields()
		if len(fields) == 0 {
			return nil, fmt.Errorf("type STRUCT() has no fields")
		}
		types, freeTypes := pointerArray(len(fields))
		defer freeTypes()
		names, freeNames := pointerArray(len(fields))
		defer freeNames()
		for i, f := range fields {
			ft, err := logical(f.Type)
			if err != nil {
				return nil, err
			}
			defer C.duckdb_destroy_logical_type(&ft)
			types[i] = ft
			name := C.CString(f.Name)
			defer C.free(unsafe.Pointer(name))
			names[i] = unsafe.Pointer(name)
		}
		p = C.duckdb_create_struct_type(&types[0], (**C.char)(unsafe.Pointer(&names[0])), C.uint64_t(len(fields)))
	case EnumID, MapID, UnionID, ArrayID:
		return nil, fmt.Errorf("type %s cannot be declared by a function", t)
	case GeometryID:
		// Before 1.5.2, the C API has no such type, and a result is a BLOB of WKB.
		if !hasGeometry() {
			t = Blob
		}
		p = C.duckdb_create_logical_type(C.uint32_t(t.id))
	default:
		p = C.duckdb_create_logical_type(C.uint32_t(t.id))
	}
	if p == nil {
		return nil, fmt.Errorf("DuckDB does not know the type %s", t)
	}
	return p, nil
}

// hasGeometry reports whether this DuckDB has the type GEOMETRY.
func hasGeometry() bool {
	p := C.duckdb_create_logical_type(C.uint32_t(GeometryID))
	if p == nil {
		return false
	}
	defer C.duckdb_destroy_logical_type(&p)
	return C.duckdb_get_type_id(p) == C.uint32_t(GeometryID)
}

// pointerArray returns an array of n C pointers in C memory, and a function that frees it.
func pointerArray(n int) ([]unsafe.Pointer, func()) {
	p := C.calloc(C.size_t(n)+1, C.size_t(unsafe.Sizeof(uintptr(0))))
	return unsafe.Slice((*unsafe.Pointer)(p), n), func() { C.free(p) }
}
