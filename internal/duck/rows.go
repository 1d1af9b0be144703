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

// Rows are the arguments of one chunk. Everything reached from it is valid only
// until the callback ends.
type Rows struct {
	n    int
	cols []Vector
}

// Len is the number of rows.
func (r *Rows) Len() int { return r.n }

// NumCols is the number of arguments.
func (r *Rows) NumCols() int { return len(r.cols) }

// Col is the i-th argument.
func (r *Rows) Col(i int) *Vector { return &r.cols[i] }

// hasStruct reports whether an argument is a STRUCT, which has no memory of its own.
func (r *Rows) hasStruct() bool {
	return slices.ContainsFunc(r.cols, func(v Vector) bool { return v.data == nil })
}

// Vector is one column of a chunk, or a part of a nested one.
type Vector struct {
	vec  unsafe.Pointer
	data unsafe.Pointer
	mask unsafe.Pointer // *[n/64]uint64 in DuckDB's memory; nil: all valid
	n    int
	typ  Type // zero until asked for
	kids []Vector
	open bool // kids are those of this chunk
}

// reset points the vector at a column of this chunk.
func (v *Vector) reset(c *C.ccbf_col, n int, typ Type) {
	v.vec, v.data, v.mask = c.vec, c.data, unsafe.Pointer(c.mask)
	v.n = n
	v.typ = typ
	v.open = false
}

// VectorOf is a column of a chunk that somebody else fetched: its memory as
// DuckDB's C API hands it over, n values of a type that is not nested.
func VectorOf(data, validity unsafe.Pointer, n int, id TypeID) Vector {
	return Vector{data: data, mask: validity, n: n, typ: Type{id: id}}
}

// Len is the number of values.
func (v *Vector) Len() int { return v.n }

// Type is the logical type that DuckDB reports for the column.
func (v *Vector) Type() Type {
	if v.typ.id == 0 || v.typ.id == AnyID {
		v.typ = readType(v.vec)
	}
	return v.typ
}

// Valid reports whether value i is not NULL. A field of a NULL struct may well
// be valid: ask the struct too.
func (v *Vector) Valid(i int) bool {
	if v.mask == nil {
		return true
	}
	word := *(*uint64)(unsafe.Add(v.mask, i>>6<<3))
	return word>>(i&63)&1 != 0
}

// AllValid reports that no value is NULL.
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

// Alike reports that no value is NULL and that all have the same bits in the vector's
// own memory, as those of a constant have: DuckDB hands constants to an aggregate as
// vectors of as many values as there are rows. Strings of more than twelve bytes are
// pointers there, so values that are the same may not be alike.
func (v *Vector) Alike() bool {
	if !v.AllValid() {
		return false
	}
	if v.Type().ID() == StructID {
		for j := range v.NumFields() {
			if !v.Field(j).Alike() {
				return false
			}
		}
		return true
	}
	width := v.Type().width()
	if width == 0 || v.data == nil {
		return false
	}
	// Bytes that are the same as those one value further on are all the same.
	b := unsafe.Slice((*byte)(v.data), v.n*width)
	return v.n < 2 || bytes.Equal(b[width:], b[:len(b)-width])
}

// Slice is the raw data of a fixed-width vector: T must be as wide as the
// vector's values. Values at NULL positions are arbitrary.
func Slice[T any](v *Vector) []T {
	if v.data == nil {
		return nil
	}
	return unsafe.Slice((*T)(v.data), v.n)
}

// inlineMax is the longest string that DuckDB keeps inside its 16-byte string.
const inlineMax = 12

// Bytes is value i of a VARCHAR, BLOB, or any other type kept as a string: a
// view on DuckDB's memory. It must not be called on a NULL.
func (v *Vector) Bytes(i int) []byte {
	s := unsafe.Add(v.data, i*16)
	n := *(*uint32)(s)
	if n <= inlineMax {
		return unsafe.Slice((*byte)(unsafe.Add(s, 4)), n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Add(s, 8)), n)
}

// Inline returns the 16 bytes (string_t) of value i of a VARCHAR or BLOB. ok is true if the value
// is inlined: then equal words are equal values.
func (v *Vector) Inline(i int) (w [2]uint64, ok bool) {
	s := unsafe.Add(v.data, i*16)
	return *(*[2]uint64)(s), *(*uint32)(s) <= inlineMax
}

// NumFields is the number of fields of a STRUCT.
func (v *Vector) NumFields() int { return len(v.Type().Fields()) }

// FieldName is the name of field j of a STRUCT.
func (v *Vector) FieldName(j int) string { return v.Type().Fields()[j].Name }

// Field is field j of a STRUCT, with as many values as the struct.
func (v *Vector) Field(j int) *Vector {
	if !v.open {
		v.openFields()
	}
	return &v.kids[j]
}

func (v *Vector) openFields() {
	fields := v.Type().Fields()
	if v.Type().ID() != StructID {
		fields = nil
	}
	v.sizeKids(len(fields))
	v.open = true
	if len(fields) == 0 {
		return
	}
	cols := make([]C.ccbf_col, len(fields))
	C.ccbf_struct_children(v.vec, C.uint64_t(len(fields)), &cols[0])
	for j := range fields {
		v.kids[j].reset(&cols[j], v.n, fields[j].Type)
	}
}

// sizeKids keeps the kids' own storage from chunk to chunk.
func (v *Vector) sizeKids(n int) {
	for cap(v.kids) < n {
		v.kids = append(v.kids[:cap(v.kids)], Vector{})
	}
	v.kids = v.kids[:n]
}

// listEntry is where a row's elements are in the LIST's child.
type listEntry struct{ offset, length uint64 }

// ListRange says which elements of Elem belong to row i of a LIST. It must not
// be called on a NULL.
func (v *Vector) ListRange(i int) (offset, n int) {
	e := (*listEntry)(unsafe.Add(v.data, i*16))
	return int(e.offset), int(e.length)
}

// Elem holds the elements of all rows of a LIST.
func (v *Vector) Elem() *Vector {
	if !v.open {
		v.sizeKids(1)
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

// AppendValue appends bytes that are the same for equal values of a type: NULL is 0, other
// values begin with 1. It does not know MAP, UNION and ARRAY.
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
