package duck

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// ReadType returns the type that an object of DuckDB describes, and frees the object.
func ReadType(p unsafe.Pointer) Type { return readType(p, true) }

// readType is ReadType, with the texts of an ENUM or without: there can be far more than a chunk has rows.
func readType(p unsafe.Pointer, texts bool) Type {
	if p == nil {
		return Type{}
	}
	defer C.duckdb_destroy_logical_type(&p)
	t := Type{id: TypeID(C.duckdb_get_type_id(p))}
	d := detail{alias: takeText(C.duckdb_logical_type_get_alias(p))}
	switch t.id {
	case DecimalID:
		d.width, d.scale = uint8(C.duckdb_decimal_width(p)), uint8(C.duckdb_decimal_scale(p))
		d.stored = TypeID(C.duckdb_decimal_internal_type(p))
	case EnumID:
		d.size = uint64(C.duckdb_enum_dictionary_size(p))
		d.stored = TypeID(C.duckdb_enum_internal_type(p))
		for i := uint64(0); texts && i < d.size; i++ {
			d.texts = append(d.texts, takeText(C.duckdb_enum_dictionary_value(p, C.uint64_t(i))))
		}
	case ListID:
		d.elem = readType(C.duckdb_list_type_child_type(p), texts)
	case ArrayID:
		d.size = uint64(C.duckdb_array_type_array_size(p))
		d.elem = readType(C.duckdb_array_type_child_type(p), texts)
	case MapID:
		d.fields = []Field{
			{Name: "key", Type: readType(C.duckdb_map_type_key_type(p), texts)},
			{Name: "value", Type: readType(C.duckdb_map_type_value_type(p), texts)},
		}
	case StructID:
		d.fields = make([]Field, C.duckdb_struct_type_child_count(p))
		for i := range d.fields {
			d.fields[i].Name = takeText(C.duckdb_struct_type_child_name(p, C.uint64_t(i)))
			d.fields[i].Type = readType(C.duckdb_struct_type_child_type(p, C.uint64_t(i)), texts)
		}
	case UnionID:
		d.fields = make([]Field, C.duckdb_union_type_member_count(p))
		for i := range d.fields {
			d.fields[i].Name = takeText(C.duckdb_union_type_member_name(p, C.uint64_t(i)))
			d.fields[i].Type = readType(C.duckdb_union_type_member_type(p, C.uint64_t(i)), texts)
		}
	default:
		if d.alias == "" {
			return t
		}
	}
	t.d = &d
	return t
}

// takeText returns a text that DuckDB allocated, and frees it. It returns "" for nil.
func takeText(text *C.char) string {
	if text == nil {
		return ""
	}
	defer C.duckdb_free(unsafe.Pointer(text))
	return C.GoString(text)
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
	case StructID:
		fields := t.Fields()
		types := make([]unsafe.Pointer, len(fields))
		names := make([]*C.char, len(fields))
		for i, f := range fields {
			ft, err := logical(f.Type)
			if err != nil {
				return nil, err
			}
			defer C.duckdb_destroy_logical_type(&ft)
			types[i] = ft
			names[i] = C.CString(f.Name)
			defer C.free(unsafe.Pointer(names[i]))
		}
		p = C.duckdb_create_struct_type(&types[0], &names[0], C.uint64_t(len(fields)))
	default:
		if t.id == GeometryID && !hasGeometry() { // before 1.5.2, a result is a BLOB of WKB
			t = Blob
		}
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
