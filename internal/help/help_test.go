package help

import (
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

func TestSignatures(t *testing.T) {
	s, key, options := duck.Param{Name: "s", Type: duck.Blob}, duck.Param{Name: "key", Type: duck.Any}, duck.Param{Name: "options", Type: duck.Any, Options: []sketch.Option{}}
	o := func(returns duck.Type, ps ...duck.Param) duck.Overload {
		return duck.Overload{Params: ps, Returns: returns}
	}
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
		if got := Signatures("f", c.overloads); !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	e := Entry{
		Signatures: []string{"f(s BLOB [, options STRUCT]) -> BLOB"}, Summary: "Does it.", Example: "SELECT f(s)",
		Options: []sketch.Option{
			{Name: "k", Kind: sketch.WholeKind, Range: "from 1 to 32", Default: "4", Summary: strings.Repeat("word ", 20)},
			{Name: "mode", Kind: sketch.TextKind, Choices: []string{"a", "b", "c"}, Default: "'a'", Summary: "How."},
		},
	}
	const want = `  f(s BLOB [, options STRUCT]) -> BLOB
      Does it.

  Options, as fields of a STRUCT {...}:
    k: a whole number from 1 to 32; default 4
        word word word word word word word word word word word word word word
        word word word word word word
    mode: 'a', 'b' or 'c'; default 'a'
        How.

  SELECT f(s)
`
	if got := e.Text(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"ccbf_get", "ccbf_agg", "cms_get"}
	for wanted, want := range map[string]string{"ccbf_gte": "ccbf_get", "CCBF_AG": "ccbf_agg", "nonsense": "", "": ""} {
		if got := Nearest(wanted, names); got != want {
			t.Errorf("%q is nearest to %q", wanted, got)
		}
	}
}
