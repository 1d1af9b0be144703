package ccbfsql

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Function describes a function as SQL has it, with the words of the reference
// and of the shell.
type Function struct {
	Name      string
	Group     string // the family's name, or what it is about
	Aggregate bool
	Summary   string // one line
	Example   string // SQL that runs as it stands
	// Signatures are those that people read, DuckDB style. One that only adds
	// parameters to the one before is told as optional:
	//
	//	ccbf_get(s BLOB, x DOUBLE, y DOUBLE [, category ANY]) -> UBIGINT
	Signatures []string
	Overloads  []Overload
	Options    []sketch.Option // the fields of its STRUCT of options, where they are its own
}

// Overload is one way to call a function.
type Overload struct {
	Params  []Param
	Returns string // a type as SQL writes it
}

// Param is a parameter. Options are declared ANY, for their fields vary, and
// are always a STRUCT.
type Param struct{ Name, Type string }

// Functions describes every function that Register registers.
func Functions() []Function {
	out := make([]Function, len(functions))
	for i, f := range functions {
		d := Function{Name: f.Name, Group: f.Group, Summary: f.Summary, Example: f.Example, Options: f.Options}
		for _, o := range f.Overloads {
			d.Aggregate = o.Aggregate != nil
			var params []Param
			for _, p := range o.Params {
				params = append(params, Param{p.Name, p.Type.String()})
			}
			d.Overloads = append(d.Overloads, Overload{params, o.Returns.String()})
		}
		d.Signatures = signatures(f.Name, d.Overloads)
		out[i] = d
	}
	return out
}

// RegisterExtension registers every function with a database that is loading the
// extension, for package main of cmd/ccbf-extension: api is the table of functions
// that DuckDB handed over, database a duckdb_database.
func RegisterExtension(api, database unsafe.Pointer) error {
	return duck.RegisterExtension(api, database, functions)
}

func signatures(name string, overloads []Overload) []string {
	var out []string
	for i := 0; i < len(overloads); {
		base := overloads[i]
		var b strings.Builder
		b.WriteString(name + "(")
		for j, p := range base.Params {
			if j > 0 {
				b.WriteString(", ")
			}
			b.WriteString(p.String())
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
				b.WriteString(last.Params[j].String())
			}
		}
		b.WriteString(strings.Repeat("]", depth) + ") -> " + base.Returns)
		out = append(out, b.String())
	}
	return out
}

// extends reports whether a is b and more parameters.
func extends(a, b Overload) bool {
	n := len(b.Params)
	return len(a.Params) > n && a.Returns == b.Returns && slices.Equal(a.Params[:n], b.Params)
}

// String is the parameter as people read it.
func (p Param) String() string {
	if p.Name == "options" && p.Type == "ANY" {
		return "options STRUCT"
	}
	return p.Name + " " + p.Type
}
