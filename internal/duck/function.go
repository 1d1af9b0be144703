package duck

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
	_ "github.com/ccbfsql/ccbfsql/internal/needscgo" // without cgo, the compiler's error says so
)

// Param is one parameter of a function.
type Param struct {
	Name string
	Type Type
	// Options are the fields of a STRUCT of options, nil for other parameters. Its type is ANY, as
	// calls have some of the fields.
	Options []sketch.Option
}

// Function describes one SQL function. Registration, documentation and the shell's completion
// all use this value.
type Function struct {
	Name    string
	Group   string
	Summary string // one line
	Example string // SQL that runs as it stands
	// Overloads are all scalar or all aggregate.
	Overloads []Overload
}

// Options returns the options that the function has. One without a summary is left out: a function
// knows it for the sake of its error.
func (f *Function) Options() (options []sketch.Option) {
	for i := range f.Overloads {
		if n := len(f.Overloads[i].Params); n > 0 && options == nil {
			options = slices.Clone(f.Overloads[i].Params[n-1].Options)
		}
	}
	return slices.DeleteFunc(options, func(o sketch.Option) bool { return o.Summary == "" })
}

// Overload is one signature of a function. Exactly one of Scalar and Aggregate
// is set.
type Overload struct {
	Params   []Param
	Returns  Type
	Volatile bool // DuckDB evaluates the function for every row, even if all arguments are constants
	// Same is true if an earlier overload has parameters of the same types. The overload is then
	// not registered: it documents other names.
	Same bool

	// Scalar computes the results of a chunk. Its arguments may be NULL.
	Scalar func(args *Rows, out *Result) error

	Aggregate Aggregator

	function string // name of the function, once it is registered
	number   uint64 // by which callbacks find the overload; 0 before it is registered
}

// Aggregator is an aggregate function. One value serves all queries and threads; the data of a
// group is in its State.
//
// The state of a group without rows is zero apart from its first 16 bytes. It is finalized too.
type Aggregator interface {
	// Update adds the rows, row i to states.At(i). Arguments may be NULL.
	Update(args *Rows, states States) error

	// Combine adds from.At(i) into into.At(i). The source stays usable and must
	// not change: a window combines one state into many, from several threads
	// at a time.
	Combine(from, into States) error

	// Finalize writes the result of states.At(i) to row i of out. A state may
	// be finalized more than once, and updated again afterwards.
	Finalize(states States, out *Result) error
}
