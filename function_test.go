package ccbfsql

import (
	"slices"
	"testing"
)

func TestSignatures(t *testing.T) {
	s, key, options := Param{"s", "BLOB"}, Param{"key", "ANY"}, Param{"options", "ANY"}
	o := func(returns string, ps ...Param) Overload { return Overload{ps, returns} }
	for _, c := range []struct {
		overloads []Overload
		want      []string
	}{
		{[]Overload{o("VARCHAR")}, []string{"f() -> VARCHAR"}},
		{[]Overload{o("BLOB"), o("BLOB", options)}, []string{"f([options STRUCT]) -> BLOB"}},
		{[]Overload{o("BLOB", s, key), o("BLOB", s, key, options)}, []string{"f(s BLOB, key ANY [, options STRUCT]) -> BLOB"}},
		{[]Overload{o("BLOB", s), o("UBIGINT", s, key)}, []string{"f(s BLOB) -> BLOB", "f(s BLOB, key ANY) -> UBIGINT"}},
		{[]Overload{o("BLOB", s), o("BLOB", key)}, []string{"f(s BLOB) -> BLOB", "f(key ANY) -> BLOB"}},
	} {
		if got := signatures("f", c.overloads); !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A function is scalar or aggregate, in all of its overloads.
func TestKinds(t *testing.T) {
	for _, f := range functions {
		for _, o := range f.Overloads {
			if (o.Scalar == nil) == (o.Aggregate == nil) || (o.Scalar == nil) != (f.Overloads[0].Scalar == nil) {
				t.Errorf("%s is both scalar and aggregate, or neither", f.Name)
			}
		}
	}
}
