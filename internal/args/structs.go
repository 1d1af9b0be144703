package args

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// structClass returns the class of keys of a STRUCT, by the classes of its fields in their order. Names
// of fields do not matter. NULL fields are part of the key.
func structClass(t duck.Type) (key.Class, error) {
	fields := t.Fields()
	classes := make([]key.Class, len(fields))
	for j, f := range fields {
		c, err := ClassOf(f.Type)
		switch {
		case f.Type.ID() == duck.SQLNullID:
			return key.None, fmt.Errorf("field %d of a key is NULL without a type: cast it, as in NULL::VARCHAR", j+1)
		case err != nil && f.Type.ID() != duck.StructID:
			return key.None, fmt.Errorf("field %d of type %s cannot be part of a key: a field is one value, or a STRUCT of several", j+1, f.Type)
		case err != nil:
			return key.None, err
		}
		classes[j] = c
	}
	c, ok := key.Struct(classes...)
	if !ok {
		return key.None, fmt.Errorf("a value of type %s cannot be a key: a STRUCT may have %d fields, and a nested STRUCT counts as two more", t, key.MaxParts)
	}
	return c, nil
}

// appendStruct appends the bytes of a key that is a STRUCT.
func appendStruct(dst []byte, v *duck.Vector, i int) []byte {
	for j := range v.NumFields() {
		f := v.Field(j)
		switch {
		case !f.Valid(i):
			dst = key.AppendNullField(dst)
		case f.Type().ID() == duck.StructID:
			dst = appendStruct(key.AppendStructField(dst), f, i)
		default:
			dst = key.EndField(AppendKey(dst, f, i), len(dst))
		}
	}
	return dst
}
