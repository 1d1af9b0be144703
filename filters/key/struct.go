package key

import (
	"encoding/binary"
	"slices"
	"strings"
)

// The class of a STRUCT is a number with the classes of its fields in order, four bits each. The first
// field is lowest, above structBegins. A class of more than four bits is 0 and its upper four. A field
// that is a STRUCT itself is structBegins, its fields and structEnds. So the number has all types of a
// key, and a lookup with another shape is an error instead of a count of 0.
const (
	structBegins = 14
	structEnds   = 15

	partBits = 4
	partMask = 1<<partBits - 1

	// MaxParts is the largest number of fields of a STRUCT that is a key. Fields of STRUCTs in it count
	// too, and each of these STRUCTs as two more.
	MaxParts = 64/partBits - 1
)

// Struct returns the class of STRUCTs with fields of these classes, which may be STRUCTs. It returns
// false if there is none: without fields, or with more than MaxParts.
func Struct(fields ...Class) (Class, bool) {
	c, at := Class(structBegins), uint(partBits)
	put := func(part Class) bool {
		width := uint(partBits)
		if part > partMask {
			width *= 2
		}
		if at+width > 64 {
			return false
		}
		c |= part << at
		at += width
		return true
	}
	for _, f := range fields {
		if f == None || !f.Known() {
			return None, false
		}
		for p := shape(f); p != 0; {
			if !put(p.next()) {
				return None, false
			}
		}
		if f.IsStruct() && !put(structEnds) {
			return None, false
		}
	}
	return c, len(fields) > 0
}

// IsStruct reports whether the class is one of STRUCTs.
func (c Class) IsStruct() bool { return c&partMask == structBegins }

// shape is the rest of a class while its parts are read.
type shape Class

// next returns the next part: a class that is no STRUCT, structBegins, structEnds, or 0 at the end.
func (s *shape) next() Class {
	part := Class(*s & partMask)
	*s >>= partBits
	if part == 0 {
		part = Class(*s&partMask) << partBits
		*s >>= partBits
	}
	return part
}

// knownStruct reports whether a number is the class of a STRUCT: the one that its fields make.
func knownStruct(c Class) bool {
	again, ok := Struct(c.Fields()...)
	return ok && again == c
}

// structName returns "STRUCT(BIGINT, VARCHAR)".
func structName(c Class) string {
	var names []string
	for _, f := range c.Fields() {
		names = append(names, f.String())
	}
	return "STRUCT(" + strings.Join(names, ", ") + ")"
}

// The bytes of a STRUCT consist of those of its fields, one after the other. A field that is NULL is a
// 0. A field that is a STRUCT is a 1 and the bytes of its fields. Any other field is its own key after
// a varint: the key's length and 1.
const (
	nullField   = 0
	structField = 1
)

// AppendNullField appends a field that is NULL.
func AppendNullField(dst []byte) []byte { return append(dst, nullField) }

// AppendStructField appends the beginning of a field that is a STRUCT. Its fields follow.
func AppendStructField(dst []byte) []byte { return append(dst, structField) }

// AppendField appends a field: the bytes of its key.
func AppendField(dst, value []byte) []byte { return EndField(append(dst, value...), len(dst)) }

// EndField makes a field of the key that was appended to dst from at on.
func EndField(dst []byte, at int) []byte {
	var room [binary.MaxVarintLen64]byte
	return slices.Insert(dst, at, binary.AppendUvarint(room[:0], uint64(len(dst)-at)+1)...)
}

// convertStruct is Convert for STRUCTs whose fields fit.
func convertStruct(dst []byte, from, to Class, b []byte) ([]byte, bool) {
	before, t := dst, to.Fields()
	for i, f := range from.Fields() {
		value, rest, ok := CutField(f, b)
		if !ok {
			return before, false
		}
		b = rest
		var err error
		switch {
		case value == nil:
			dst = AppendNullField(dst)
		case f.IsStruct():
			dst, err = Convert(AppendStructField(dst), f, t[i], value)
		default:
			at := len(dst)
			if dst, err = Convert(dst, f, t[i], value); err == nil {
				dst = EndField(dst, at)
			}
		}
		if err != nil {
			return before, false
		}
	}
	return dst, len(b) == 0
}
