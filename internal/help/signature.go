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
		base := overloads[i]
		var b strings.Builder
		b.WriteString(name + "(")
		for j, p := range base.Params {
			if j > 0 {
				b.WriteString(", ")
			}
			b.WriteString(param(p))
		}
		last, depth := base, 0
		for i++; i < len(overloads) && extends(overloads[i], last); i++ {
			known := len(last.Params)
			last, depth = overloads[i], depth+1
			if known > 0 {
				b.WriteString(" ")
			}
			b.WriteString("[")
			for j := known; j < len(last.Params); j++ {
				if j > 0 {
					b.WriteString(", ")
				}
				b.WriteString(param(last.Params[j]))
			}
		}
		b.WriteString(strings.Repeat("]", depth) + ") -> " + base.Returns.String())
		out = append(out, b.String())
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

// param returns a parameter as text.
func param(p duck.Param) string {
	if p.Options != nil {
		return "options STRUCT"
	}
	return p.Name + " " + p.Type.String()
}
