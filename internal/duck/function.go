package duck

import (
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	_ "github.com/ccbfsql/ccbfsql/internal/needscgo" // without cgo the error is one sentence
)

// Param is one parameter of a function.
type Param struct {
	Name string
	Type Type
}

// Function describes one SQL function as data: what registers it is this value,
// and what documents it and completes it in the shell is made of it.
type Function struct {
	Name    string
	Group   string
	Summary string          // one line
	Example string          // SQL that runs as it stands
	Options []sketch.Option // of its parameter options, for who asks
	// Overloads are all scalar or all aggregate.
	Overloads []Overload
}

// Overload is one signature of a function. Exactly one of Scalar and Aggregate
// is set.
type Overload struct {
	Params   []Param
	Returns  Type
	Volatile bool // not folded into a constant, evaluated for every row
	// Same says that an overload before it has parameters of the same types: it is there for
	// people, who read other names, and is not registered.
	Same bool

	// Scalar computes a chunk. NULL arguments are handed to it.
	Scalar func(args *Rows, out *Result) error

	Aggregate Aggregator
}

// Aggregator is an aggregate function. One value serves all queries and
// threads; what belongs to a group is in its State.
//
// A state that was never updated is zero apart from its first 16 bytes, and is
// finalized too: that is the group without rows.
type Aggregator interface {
	// Update adds the rows, row i to states.At(i). NULLs are handed to it.
	Update(args *Rows, states States) error

	// Combine adds from.At(i) into into.At(i). The source stays usable and must
	// not change: a window combines one state into many, from several threads
	// at a time.
	Combine(from, into States) error

	// Finalize writes the result of states.At(i) to row i of out. A state may
	// be finalized more than once, and updated again afterwards.
	Finalize(states States, out *Result) error
}
