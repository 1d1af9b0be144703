package help

import (
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Signatures returns the signatures of a function as text. If one only adds parameters to the one
// before, they are in brackets as optional ones:
//
//	ccbf_get(s BLOB, x DOUBLE, y DOUBLE [, category ANY]) -> UBIGINT
func Signatures(name string, overloads []duck.Overload) []string {
	var out []string
	for i := 0; i < len(overloads); {
		last, depth := overloads[i], 0
		text := name + "(" + list(last.Params)
		for i++; i < len(overloads) && extends(overloads[i], last); i++ {
			if known := len(last.Params); known == 0 {
				text += "[" + list(overloads[i].Params)
			} else {
				text += " [, " + list(overloads[i].Params[known:])
			}
			last, depth = overloads[i], depth+1
		}
		out = append(out, text+strings.Repeat("]", depth)+") -> "+last.Returns.String())
	}
	return out
}

// extends reports whether a has the parameters of b and more.
func extends(a, b duck.Overload) bool {
	n := len(b.Params)
	return len(a.Params) > n && a.Returns.String() == b.Returns.String() && slices.EqualFunc(a.Params[:n], b.Params, func(p, q duck.Param) bool {
		return p.Name == q.Name && p.Type.String() == q.Type.String()
	})
}

// list returns parameters as text.
func list(params []duck.Param) string {
	texts := make([]string, len(params))
	for i, p := range params {
		texts[i] = p.Name + " " + p.Type.String()
		if p.Options != nil {
			texts[i] = "options STRUCT"
		}
	}
	return strings.Join(texts, ", ")
}
