package reference

import (
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

func TestSignatures(t *testing.T) {
	p := func(name string, typ duck.Type) duck.Param { return duck.Param{Name: name, Type: typ} }
	o := func(returns duck.Type, ps ...duck.Param) duck.Overload {
		return duck.Overload{Params: ps, Returns: returns}
	}
	s, key, options := p("s", duck.Blob), p("key", duck.Any), p("options", duck.Any)
	for _, c := range []struct {
		overloads []duck.Overload
		want      []string
	}{
		{[]duck.Overload{o(duck.Varchar)}, []string{"f() -> VARCHAR"}},
		{[]duck.Overload{o(duck.Blob), o(duck.Blob, options)}, []string{"f([options STRUCT]) -> BLOB"}},
		{[]duck.Overload{o(duck.Blob, s, key), o(duck.Blob, s, key, options)}, []string{"f(s BLOB, key ANY [, options STRUCT]) -> BLOB"}},
		{[]duck.Overload{o(duck.Blob, s), o(duck.UBigInt, s, key)}, []string{"f(s BLOB) -> BLOB", "f(s BLOB, key ANY) -> UBIGINT"}},
		{[]duck.Overload{o(duck.Blob, s), o(duck.Blob, key)}, []string{"f(s BLOB) -> BLOB", "f(key ANY) -> BLOB"}},
	} {
		if got := Signatures(duck.Function{Name: "f", Overloads: c.overloads}); !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
