// Package udf has the scalar functions: their parameters, and how they compute a chunk of rows.
// docs/ARCHITECTURE.md follows a query through it, and says where to add a function.
package udf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
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
	paramCategory = duck.Param{Name: "category", Type: duck.Any}
)

// box is the parameters of a rectangle.
var box = []duck.Param{{Name: "xmin", Type: duck.Double}, {Name: "ymin", Type: duck.Double}, {Name: "xmax", Type: duck.Double}, {Name: "ymax", Type: duck.Double}}

// functions is a list of functions for package ccbfsql, which registers and documents them.
type functions = []duck.Function

// call is a chunk of rows: the arguments and the results of a function.
type call struct {
	*duck.Rows
	out     *duck.Result
	needed  int          // a row is NULL if one of its first needed arguments is; these are all but the options.
	options args.Options // of functions that have some.
	empty   []bool       // by row, whether it is NULL as its point is empty; nil if no point is.
}

// compute is a scalar function: it writes the results of a call.
type compute = func(c *call) error

// function returns the description of a scalar function. It has a signature with params, and one more
// for each optional parameter.
func function(group, name string, returns duck.Type, f compute, summary, example string, params []duck.Param, optional ...duck.Param) duck.Function {
	fn := duck.Function{Name: name, Group: group, Summary: summary, Example: example}
	var known []sketch.Option
	if n := len(optional); n > 0 {
		known = optional[n-1].Options
	}
	for i := range len(optional) + 1 {
		fn.Overloads = append(fn.Overloads, overload(slices.Concat(params, optional[:i]), returns, known, f))
	}
	return fn
}

// overload returns a signature of a function that has the known options. They are its last parameter, or
// not given.
func overload(params []duck.Param, returns duck.Type, known []sketch.Option, f compute) duck.Overload {
	given := len(params) > 0 && params[len(params)-1].Options != nil
	return duck.Overload{Params: params, Returns: returns, Scalar: func(rows *duck.Rows, out *duck.Result) error {
		c := call{Rows: rows, out: out, needed: rows.NumCols()}
		var options *duck.Vector
		if given {
			c.needed--
			options = rows.Col(c.needed)
		}
		if err := c.options.Reset(options, known); err != nil {
			return err
		}
		return f(&c)
	}}
}

// withOptions returns the parameter of a STRUCT of options.
func withOptions(known []sketch.Option) duck.Param {
	return duck.Param{Name: "options", Type: duck.Any, Options: known}
}

func params(ps ...duck.Param) []duck.Param { return ps }

// valid reports whether none of the needed arguments of row i is NULL, or an empty point.
func (c *call) valid(i int) bool {
	if c.empty != nil && c.empty[i] {
		return false
	}
	for j := range c.needed {
		if !c.Col(j).Valid(i) {
			return false
		}
	}
	return true
}

// each calls f for the valid rows, and writes NULL for the others. The
// memory that f reserves by Grow is given back after each row.
func (c *call) each(f func(i int) error) error {
	for i := range c.Len() {
		if !c.valid(i) {
			c.out.SetNull(i)
			continue
		}
		if err := f(i); err != nil {
			return err
		}
		c.out.EndRow()
	}
	return nil
}

// sameBytes reports whether two slices are the same memory. Often, rows have the BLOB of the row
// before, as DuckDB repeats a constant in every row.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

// eachBlob is each of rows with a BLOB in their first column. It passes what open returns for the BLOB, and
// calls open once for consecutive rows with the same one.
func eachBlob[V any](c *call, open func(blob []byte) (V, error), f func(v *V, i int) error) error {
	var v V
	var last []byte
	return c.each(func(i int) (err error) {
		if blob := c.Col(0).Bytes(i); !sameBytes(blob, last) {
			if v, err = open(blob); err != nil {
				return err
			}
			last = blob
		}
		return f(&v, i)
	})
}

// oncePerBlob returns a function that computes a value of a BLOB, once for consecutive rows with the
// same one.
func oncePerBlob[T any](value func(c *call, blob []byte) (T, error)) compute {
	return func(c *call) error {
		values := duck.Out[T](c.out)
		return eachBlob(c, func(blob []byte) (T, error) { return value(c, blob) }, func(v *T, i int) error {
			values[i] = *v
			return nil
		})
	}
}
