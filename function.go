package ccbfsql

import (
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// Function describes a SQL function, with the words of the reference and of the
// shell.
type Function struct {
	Name      string
	Group     string // the family's name, or what it is about
	Aggregate bool
	Summary   string // one line
	Example   string // SQL that runs as it stands
	// Signatures are the signatures in the style of DuckDB. If an overload only adds parameters to
	// the one before, both are one signature with optional parameters:
	//
	//	ccbf_get(s BLOB, x DOUBLE, y DOUBLE [, category ANY]) -> UBIGINT
	Signatures []string
	Overloads  []Overload
	Options    []sketch.Option // the fields of its STRUCT of options
}

// Help returns the text of sketch_help for the function: its signatures, its description, its options and an
// example.
func (f Function) Help() string {
	e := help.Entry{Signatures: f.Signatures, Summary: f.Summary, Example: f.Example, Options: f.Options}
	return e.Text()
}

// Overload is one way to call a function.
type Overload struct {
	Params  []Param
	Returns string // a type as SQL writes it
}

// Param is a parameter. Options are declared ANY because their fields vary;
// they are always a STRUCT.
type Param struct{ Name, Type string }

// Functions describes every function that Register registers.
func Functions() []Function {
	out := make([]Function, len(functions))
	for i, f := range functions {
		d := Function{Name: f.Name, Group: f.Group, Summary: f.Summary, Example: f.Example, Options: f.Options()}
		for _, o := range f.Overloads {
			d.Aggregate = o.Aggregate != nil
			var params []Param
			for _, p := range o.Params {
				params = append(params, Param{p.Name, p.Type.String()})
			}
			d.Overloads = append(d.Overloads, Overload{params, o.Returns.String()})
		}
		d.Signatures = help.Signatures(f.Name, f.Overloads)
		out[i] = d
	}
	return out
}

// RegisterExtension registers every function with a database that is loading the extension. It is
// for package main of cmd/ccbf-extension. api is the table of functions that DuckDB handed over,
// database is a duckdb_database.
func RegisterExtension(api, database unsafe.Pointer) error {
	return duck.RegisterExtension(api, database, functions)
}
