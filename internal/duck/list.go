package duck

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math/bits"
	"unsafe"
)

// listWriter writes the elements of a LIST result to its child vector.
type listWriter struct {
	child    *Result
	size     int  // elements in the child vector, also those of earlier rows
	capacity int  // elements for which the child vector has memory
	open     bool // child belongs to the present result
}

// entry returns the range of elements of row i of a LIST result.
func (r *Result) entry(i int) *listEntry {
	return (*listEntry)(unsafe.Add(r.data, (r.offset+i)*16))
}

// List makes row i of a LIST result a list of n elements. It returns a Result for them, with rows
// 0 to n-1 of the element's type, which is valid until the next call. Every row needs a call of
// List or of SetNull.
//
//	xs := duck.Out[uint64](out.List(i, len(counts)))
//	copy(xs, counts)
func (r *Result) List(i, n int) *Result {
	if uint(i) >= uint(r.n) || n < 0 {
		panic(fmt.Sprintf("row %d with %d elements of a result of %d rows", i, n, r.n))
	}
	w := &r.list
	var col C.ccbf_col
	if !w.open {
		if w.child == nil {
			w.child = new(Result)
		}
		w.open = true
		w.size = int(C.ccbf_list_child(r.vec, &col))
		w.capacity = w.size
		w.child.reset(&col, w.size, 0, r.typ.Elem())
	}
	if need := w.size + n; need > w.capacity {
		// Doubling the capacity keeps calls into C few. It moves the child's data, so buffered strings
		// must be written first.
		if err := w.child.flush(); err != nil {
			panic(err)
		}
		grown := max(1<<bits.Len(uint(need-1)), 2048)
		if C.ccbf_list_grow(r.vec, C.uint64_t(grown), &col) != 0 {
			panic(errListGrow)
		}
		w.capacity = grown
		w.child.reset(&col, w.size, n, r.typ.Elem())
	} else {
		w.child.window(w.size, n)
	}
	*r.entry(i) = listEntry{uint64(w.size), uint64(n)}
	w.size += n
	return w.child
}

// Shorten cuts the list of row i, the last one that List made, to its first n elements. None of
// the others may be NULL.
func (r *Result) Shorten(i, n int) {
	e, w := r.entry(i), &r.list
	if uint64(n) > e.length || int(e.offset+e.length) != w.size {
		panic(fmt.Sprintf("%d elements of a list of %d that ends at %d of %d", n, e.length, e.offset+e.length, w.size))
	}
	e.length = uint64(n)
	w.size = int(e.offset) + n
}

var errListGrow = errors.New("DuckDB could not make room for a list")

// window makes r write n other rows of the same vector, from row offset on.
func (r *Result) window(offset, n int) {
	r.offset, r.n = offset, n
	if r.open {
		for j := range r.kids {
			r.kids[j].window(offset, n)
		}
	}
}

// finish writes buffered strings and the number of elements.
func (w *listWriter) finish(r *Result) error {
	if err := w.child.flush(); err != nil {
		return err
	}
	if C.duckdb_list_vector_set_size(r.vec, C.uint64_t(w.size)) != 0 {
		return errListGrow
	}
	return nil
}
