package duck

/*
#include "bridge.h"
*/
import "C"

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unsafe"
)

// Rows is the arguments of one chunk. It and its vectors are valid until the callback ends.
type Rows struct {
	n    int
	cols []Vector
}

// Len returns the number of rows.
func (r *Rows) Len() int { return r.n }

// NumCols returns the number of arguments.
func (r *Rows) NumCols() int { return len(r.cols) }

// Col returns argument i.
func (r *Rows) Col(i int) *Vector { return &r.cols[i] }

// Optional returns argument i, or nil if the call does not have it.
func (r *Rows) Optional(i int) *Vector {
	if i < len(r.cols) {
		return r.Col(i)
	}
	return nil
}

// hasStruct reports whether an argument is a STRUCT, which has no memory of its own.
func (r *Rows) hasStruct() bool {
	return slices.ContainsFunc(r.cols, func(v Vector) bool { return v.data == nil })
}

// Vector is a column of a chunk, or a part of a nested column.
type Vector struct {
	vec  unsafe.Pointer
	data unsafe.Pointer
	mask unsafe.Pointer // *[n/64]uint64 in DuckDB's memory; nil: all valid
	n    int
	typ  Type     // zero until Type was called
	kids []Vector // vectors of fields or elements
	open bool     // kids were set for this chunk

	texts map[uint32]string // texts of an ENUM, by value; those that this chunk has asked for
}

// reset points the vector at a column of this chunk.
func (v *Vector) reset(c *C.ccbf_col, n int, typ Type) {
	v.vec, v.data, v.mask = c.vec, c.data, unsafe.Pointer(c.mask)
	v.n = n
	v.typ = typ
	v.open = false
	v.texts = nil
}

// VectorOf returns a column of a chunk that the caller got from DuckDB's C API. It has n values of
// a type that is not nested; data and validity are the memory of the values and their mask.
func VectorOf(data, validity unsafe.Pointer, n int, id TypeID) Vector {
	return Vector{data: data, mask: validity, n: n, typ: Type{id: id}}
}

// Len returns the number of values.
func (v *Vector) Len() int { return v.n }

// Type returns the logical type of the column.
func (v *Vector) Type() Type {
	if v.typ.id == 0 || v.typ.id == AnyID {
		v.typ = readType(C.duckdb_vector_get_column_type(v.vec), false)
	}
	return v.typ
}

// Valid reports whether value i is not NULL. A field of a NULL STRUCT can be valid: check the
// STRUCT too.
func (v *Vector) Valid(i int) bool {
	if v.mask == nil {
		return true
	}
	word := *(*uint64)(unsafe.Add(v.mask, i>>6<<3))
	return word>>(i&63)&1 != 0
}

// AllValid reports whether no value is NULL.
func (v *Vector) AllValid() bool {
	if v.mask == nil {
		return true
	}
	words := unsafe.Slice((*uint64)(v.mask), (v.n+63)/64)
	for i, w := range words {
		if rest := v.n - i*64; rest < 64 {
			w |= ^uint64(0) << rest
		}
		if w != ^uint64(0) {
			return false
		}
	}
	return true
}

// IsConstant reports whether no value is NULL and all have the same bits in the vector's own
// memory. DuckDB passes a constant to an aggregate as a vector with a value for each row. Strings
// of more than 12 bytes are pointers there, so it can report false for equal values.
func (v *Vector) IsConstant() bool {
	if !v.AllValid() {
		return false
	}
	if v.Type().ID() == StructID {
		for j := range v.NumFields() {
			if !v.Field(j).IsConstant() {
				return false
			}
		}
		return true
	}
	width := v.Type().width()
	if width == 0 || v.data == nil {
		return false
	}
	// If each value equals the next one, all are equal.
	b := unsafe.Slice((*byte)(v.data), v.n*width)
	return v.n < 2 || bytes.Equal(b[width:], b[:len(b)-width])
}

// Slice returns the values of a vector of a type with a fixed width, which T must have. NULLs have
// any value.
func Slice[T any](v *Vector) []T {
	if v.data == nil {
		return nil
	}
	return unsafe.Slice((*T)(v.data), v.n)
}

// inlineMax is the length in bytes of the longest string that DuckDB stores in its string_t.
const inlineMax = 12

// Bytes returns value i, not NULL, of a VARCHAR, a BLOB or another type that is stored as a string.
// The bytes are in DuckDB's memory.
func (v *Vector) Bytes(i int) []byte {
	s := unsafe.Add(v.data, i*16)
	n := *(*uint32)(s)
	if n <= inlineMax {
		return unsafe.Slice((*byte)(unsafe.Add(s, 4)), n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Add(s, 8)), n)
}

// EnumText returns the text of value i, not NULL, of an ENUM. It asks DuckDB once for each value, as an
// ENUM can have far more texts than a chunk has rows.
func (v *Vector) EnumText(i int) string {
	var value uint32
	switch v.Type().Stored() {
	case UTinyIntID:
		value = uint32(Slice[uint8](v)[i])
	case USmallIntID:
		value = uint32(Slice[uint16](v)[i])
	default:
		value = Slice[uint32](v)[i]
	}
	text, known := v.texts[value]
	if !known {
		t := C.duckdb_vector_get_column_type(v.vec)
		defer C.duckdb_destroy_logical_type(&t)
		text = takeText(C.duckdb_enum_dictionary_value(t, C.uint64_t(value)))
		if v.texts == nil {
			v.texts = map[uint32]string{}
		}
		v.texts[value] = text
	}
	return text
}

// NumFields returns the number of fields of a STRUCT.
func (v *Vector) NumFields() int { return len(v.Type().Fields()) }

// FieldName returns the name of field j of a STRUCT.
func (v *Vector) FieldName(j int) string { return v.Type().Fields()[j].Name }

// Field returns field j of a STRUCT, with the same rows.
func (v *Vector) Field(j int) *Vector {
	if !v.open {
		fields := v.Type().Fields()
		if v.Type().ID() != StructID {
			fields = nil
		}
		v.kids = resized(v.kids, len(fields))
		v.open = true
		for k, col := range structChildren(v.vec, len(fields)) {
			v.kids[k].reset(&col, v.n, fields[k].Type)
		}
	}
	return &v.kids[j]
}

// structChildren returns the vectors of the n fields of a STRUCT.
func structChildren(vec unsafe.Pointer, n int) []C.ccbf_col {
	cols := make([]C.ccbf_col, n)
	if n > 0 {
		C.ccbf_struct_children(vec, C.uint64_t(n), &cols[0])
	}
	return cols
}

// resized returns s with n elements. Those that it had before, also behind its end, are used again
// from chunk to chunk.
func resized[T any](s []T, n int) []T {
	for cap(s) < n {
		s = append(s[:cap(s)], *new(T))
	}
	return s[:n]
}

// listEntry is the range of a row's elements in the child vector of a LIST.
type listEntry struct{ offset, length uint64 }

// ListRange returns which elements of Elem belong to row i, not NULL, of a LIST.
func (v *Vector) ListRange(i int) (offset, n int) {
	e := (*listEntry)(unsafe.Add(v.data, i*16))
	return int(e.offset), int(e.length)
}

// Elem returns the elements of all rows of a LIST.
func (v *Vector) Elem() *Vector {
	if !v.open {
		v.kids = resized(v.kids, 1)
		v.open = true
		if v.Type().ID() == ListID {
			var col C.ccbf_col
			n := C.ccbf_list_child(v.vec, &col)
			v.kids[0].reset(&col, int(n), v.Type().Elem())
		} else {
			v.kids[0] = Vector{typ: v.Type().Elem()}
		}
	}
	return &v.kids[0]
}

// AppendValue appends value i as bytes that are the same for equal values of one type. NULL is 0,
// other values begin with 1. The vector must have no MAP, UNION or ARRAY.
func (v *Vector) AppendValue(dst []byte, i int) []byte {
	if !v.Valid(i) {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	t := v.Type()
	switch t.ID() {
	case StructID:
		for j := range v.NumFields() {
			dst = v.Field(j).AppendValue(dst, i)
		}
	case ListID:
		at, n := v.ListRange(i)
		dst = binary.AppendUvarint(dst, uint64(n))
		for k := range n {
			dst = v.Elem().AppendValue(dst, at+k)
		}
	case VarcharID, BlobID, BitID, BigNumID, GeometryID:
		b := v.Bytes(i)
		dst = append(binary.AppendUvarint(dst, uint64(len(b))), b...)
	default:
		width := t.width()
		dst = append(dst, unsafe.Slice((*byte)(unsafe.Add(v.data, i*width)), width)...)
	}
	return dst
}
