// Package udf has the scalar functions: their parameters, and how they compute a chunk of rows.
// docs/ARCHITECTURE.md follows a query through it, and says where to add a function.
package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Parameters that many functions share.
var (
	paramSketch   = duck.Param{Name: "s", Type: duck.Blob}
	paramLeft     = duck.Param{Name: "a", Type: duck.Blob}
	paramRight    = duck.Param{Name: "b", Type: duck.Blob}
	paramBlob     = duck.Param{Name: "blob", Type: duck.Blob}
	paramX        = duck.Param{Name: "x", Type: duck.Double}
	paramY        = duck.Param{Name: "y", Type: duck.Double}
	paramKey      = duck.Param{Name: "key", Type: duck.Any}
	paramOptions  = duck.Param{Name: "options", Type: duck.Any}
	paramCategory = duck.Param{Name: "category", Type: duck.Any}
)

// box is the parameters of a rectangle.
var box = []duck.Param{{Name: "xmin", Type: duck.Double}, {Name: "ymin", Type: duck.Double}, {Name: "xmax", Type: duck.Double}, {Name: "ymax", Type: duck.Double}}

// functions is a list of functions for package ccbfsql, which registers and documents them.
type functions = []duck.Function

// compute is a scalar function: it writes the results for the rows of args to out.
type compute = func(args *duck.Rows, out *duck.Result) error

// function returns the description of a scalar function. It has a signature with params, and one more
// for each optional parameter.
func function(group, name string, returns duck.Type, f compute, summary, example string, params []duck.Param, optional ...duck.Param) duck.Function {
	fn := duck.Function{
		Name: name, Group: group, Summary: summary, Example: example,
		Overloads: []duck.Overload{{Params: params, Returns: returns, Scalar: f}},
	}
	for i := range optional {
		fn.Overloads = append(fn.Overloads, duck.Overload{
			Params:  append(params[:len(params):len(params)], optional[:i+1]...),
			Returns: returns, Scalar: f,
		})
	}
	return fn
}

// withOptions returns a function with its options, for the documentation.
func withOptions(fn duck.Function, options []sketch.Option) duck.Function {
	fn.Options = options
	return fn
}

func params(ps ...duck.Param) []duck.Param { return ps }

// valid reports whether no argument of row i is NULL.
func valid(args *duck.Rows, i int) bool { return validUpTo(args, args.NumCols(), i) }

// validUpTo reports whether none of the first n arguments of row i is NULL.
func validUpTo(args *duck.Rows, n, i int) bool {
	for j := range n {
		if !args.Col(j).Valid(i) {
			return false
		}
	}
	return true
}

// optional returns column i, or nil if the call does not have it.
func optional(args *duck.Rows, i int) *duck.Vector {
	if i < args.NumCols() {
		return args.Col(i)
	}
	return nil
}

// eachValid calls f for the rows without a NULL, and writes NULL for the others.
func eachValid(args *duck.Rows, out *duck.Result, f func(i int) error) error {
	return eachValidUpTo(args, args.NumCols(), out, f)
}

// eachValidUpTo is eachValid for rows with no NULL in the first n arguments.
func eachValidUpTo(args *duck.Rows, n int, out *duck.Result, f func(i int) error) error {
	for i := range args.Len() {
		if !validUpTo(args, n, i) {
			out.SetNull(i)
			continue
		}
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// sameBytes reports whether two slices are the same memory. Often, rows have the BLOB of the row
// before, as DuckDB repeats a constant in every row.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

// eachBlob calls f for the rows without a NULL, after open has set v to the BLOB in the first column. It
// calls open once for consecutive rows with the same BLOB.
func eachBlob[V any](args *duck.Rows, out *duck.Result, open func(v *V, blob []byte) error, f func(v *V, i int) error) error {
	var v V
	var last []byte
	return eachValid(args, out, func(i int) error {
		if blob := args.Col(0).Bytes(i); !sameBytes(blob, last) {
			if err := open(&v, blob); err != nil {
				return err
			}
			last = blob
		}
		return f(&v, i)
	})
}

// oncePerBlob returns a function that computes a value of a BLOB. It does so once for consecutive rows
// with the same one. The memory that value reserves is given back after each call.
func oncePerBlob[T any](value func(m *reservation, blob []byte) (T, error)) compute {
	return func(args *duck.Rows, out *duck.Result) error {
		values, m := duck.Out[T](out), reservation{out: out}
		return eachBlob(args, out, func(v *T, blob []byte) (err error) {
			*v, err = value(&m, blob)
			m.done()
			return err
		}, func(v *T, i int) error {
			values[i] = *v
			return nil
		})
	}
}

// opened returns a function for eachBlob that sets a value to the result of open.
func opened[V any](open func(blob []byte) (V, error)) func(v *V, blob []byte) error {
	return func(v *V, blob []byte) (err error) {
		*v, err = open(blob)
		return err
	}
}
