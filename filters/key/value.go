package key

import (
	"fmt"
	"reflect"
)

// Append appends the key of a Go value and returns its class, as in SQL. A string is a VARCHAR, []byte
// a BLOB, bool a BOOLEAN, and an integer of any width and sign an integer. float32 is a FLOAT and
// float64 a DOUBLE. Types based on these are the same. SQL types that Go does not have need their own
// function, for example AppendDate.
func Append(dst []byte, v any) ([]byte, Class, error) {
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.String:
		return append(dst, r.String()...), Text, nil
	case r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8:
		return append(dst, r.Bytes()...), Blob, nil
	case r.Kind() == reflect.Bool:
		return AppendBool(dst, r.Bool()), Bool, nil
	case r.CanInt():
		return AppendInt64(dst, r.Int()), Int, nil
	case r.CanUint():
		return AppendUint64(dst, r.Uint()), Int, nil
	case r.Kind() == reflect.Float32:
		return AppendFloat64(dst, r.Float()), Real, nil
	case r.CanFloat():
		return AppendFloat64(dst, r.Float()), Float, nil
	}
	return dst, None, fmt.Errorf("a %T cannot be a key: give a string, []byte, bool or number", v)
}
