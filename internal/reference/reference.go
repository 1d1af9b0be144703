// Package reference writes functions the way people read them: what the shell
// lists and what docs/functions.md says are the same words.
package reference

import (
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Signatures are those of a function, DuckDB style. An overload that only adds
// parameters to the one before is told as optional:
//
//	ccbf_get(s BLOB, x DOUBLE, y DOUBLE [, category ANY]) -> UBIGINT
func Signatures(f duck.Function) []string {
	var out []string
	for i := 0; i < len(f.Overloads); {
		base := f.Overloads[i]
		var b strings.Builder
		b.WriteString(f.Name + "(")
		for j, p := range base.Params {
			if j > 0 {
				b.WriteString(", ")
			}
			b.WriteString(param(p))
		}
		last, depth := base, 0
		for i++; i < len(f.Overloads) && extends(f.Overloads[i], last); i++ {
			last, depth = f.Overloads[i], depth+1
			known := len(f.Overloads[i-1].Params)
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

// extends reports whether a is b and more parameters.
func extends(a, b duck.Overload) bool {
	if len(a.Params) <= len(b.Params) || a.Returns.String() != b.Returns.String() {
		return false
	}
	for i, p := range b.Params {
		if a.Params[i].Name != p.Name || a.Params[i].Type.String() != p.Type.String() {
			return false
		}
	}
	return true
}

// param is one parameter. Options are declared ANY, for their fields vary, and
// are always a STRUCT.
func param(p duck.Param) string {
	if p.Name == "options" && p.Type == duck.Any {
		return "options STRUCT"
	}
	return p.Name + " " + p.Type.String()
}

// Aggregate reports whether a function is an aggregate.
func Aggregate(f duck.Function) bool {
	return len(f.Overloads) > 0 && f.Overloads[0].Aggregate != nil
}
