package duck

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// Result takes the results of one chunk, or a part of a nested one.
type Result struct {
	vec    unsafe.Pointer
	data   unsafe.Pointer
	mask   unsafe.Pointer // writable; nil until the first NULL
	offset int            // rows of the vector before row 0 of this result
	n      int
	typ    Type
	text   gatherer
	kids   []Result
	open   bool
	list   listWriter

	charged int64 // bytes counted against the budget until the callback ends
	threads int   // that DuckDB has for queries; 0 where that is not known
}

// Spare reports whether a processor has nothing to do meanwhile: where DuckDB has several
// threads, and no other callback runs. How many it has is known since functions were
// registered: SET threads behind that is not noticed.
func (r *Result) Spare() bool { return r.threads > 1 && Alone() }

// Len is the number of rows to be written.
func (r *Result) Len() int { return r.n }

// Type is the result's type.
func (r *Result) Type() Type { return r.typ }

func (r *Result) reset(c *C.ccbf_col, offset, n int, typ Type) {
	r.vec, r.data, r.mask = c.vec, c.data, nil
	r.offset, r.n, r.typ = offset, n, typ
	r.open = false
	r.list.open = false
	r.text.reset(typ)
}

// Out is the rows of a fixed-width result: T must be as wide as its type. For
// UHUGEINT and HUGEINT that is [2]uint64, lower half first; for BOOLEAN bool.
func Out[T any](r *Result) []T {
	if r.data == nil {
		return nil
	}
	var t T
	return unsafe.Slice((*T)(unsafe.Add(r.data, r.offset*int(unsafe.Sizeof(t)))), r.n)
}

// SetNull makes row i NULL, and its fields with it where the result is a STRUCT.
func (r *Result) SetNull(i int) {
	if uint(i) >= uint(r.n) {
		panic(fmt.Sprintf("row %d of a result of %d rows", i, r.n))
	}
	if r.mask == nil {
		r.mask = unsafe.Pointer(C.ccbf_writable_mask(r.vec))
	}
	at := r.offset + i
	*(*uint64)(unsafe.Add(r.mask, at>>6<<3)) &^= 1 << (at & 63)
	if r.typ.id == StructID {
		for j := range r.typ.Fields() {
			r.Field(j).SetNull(i)
		}
	}
	if r.typ.id == ListID {
		*r.entry(i) = listEntry{}
	}
}

// SetBytes sets row i of a VARCHAR, BLOB or GEOMETRY, which is WKB. b is copied.
func (r *Result) SetBytes(i int, b []byte) {
	if uint(i) >= uint(r.n) {
		panic(fmt.Sprintf("row %d of a result of %d rows", i, r.n))
	}
	at := r.offset + i
	if len(b) <= inlineMax {
		// Short strings live in the vector itself: no crossing at all.
		s := (*[16]byte)(unsafe.Add(r.data, at*16))
		*s = [16]byte{}
		*(*uint32)(unsafe.Pointer(s)) = uint32(len(b))
		copy(s[4:], b)
		return
	}
	r.text.add(r.vec, at, b)
}

// SetString is SetBytes for a string.
func (r *Result) SetString(i int, s string) {
	r.SetBytes(i, unsafe.Slice(unsafe.StringData(s), len(s)))
}

// Field is field j of a STRUCT result, with as many rows.
func (r *Result) Field(j int) *Result {
	if !r.open {
		fields := r.typ.Fields()
		for cap(r.kids) < len(fields) {
			r.kids = append(r.kids[:cap(r.kids)], Result{})
		}
		r.kids = r.kids[:len(fields)]
		r.open = true
		if len(fields) > 0 {
			cols := make([]C.ccbf_col, len(fields))
			C.ccbf_struct_children(r.vec, C.uint64_t(len(fields)), &cols[0])
			for k := range fields {
				r.kids[k].reset(&cols[k], r.offset, r.n, fields[k].Type)
			}
		}
	}
	return &r.kids[j]
}

// flush hands DuckDB what was gathered.
func (r *Result) flush() error {
	r.text.flush(r.vec)
	if r.text.full {
		return errFull
	}
	if r.list.open {
		if err := r.list.finish(r); err != nil {
			return err
		}
	}
	if r.open {
		for j := range r.kids {
			if err := r.kids[j].flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// gatherer collects strings, so that a chunk of small results costs one
// crossing.
type gatherer struct {
	buf    []byte
	pieces []C.ccbf_piece
	blobs  bool // that need not be looked at one by one, as texts must
	full   bool // DuckDB took no more
}

var errFull = errors.New("DuckDB has no memory left for the result (SET memory_limit)")

const (
	directFrom  = 2 << 10   // longer values are not worth copying twice
	gatherLimit = 256 << 10 // keeps a pooled buffer small
)

func (g *gatherer) reset(typ Type) {
	g.buf, g.pieces, g.full = g.buf[:0], g.pieces[:0], false
	g.blobs = typ.id == BlobID || typ.id == GeometryID
}

func (g *gatherer) add(vec unsafe.Pointer, row int, b []byte) {
	if g.full {
		return
	}
	if len(b) >= directFrom {
		g.full = C.ccbf_try_assign(vec, C.uint64_t(row), (*C.char)(unsafe.Pointer(&b[0])), C.uint64_t(len(b))) != 0
		return
	}
	if len(g.buf)+len(b) > gatherLimit {
		g.flush(vec)
	}
	g.pieces = append(g.pieces, C.ccbf_piece{
		row: C.uint64_t(row), start: C.uint64_t(len(g.buf)), len: C.uint64_t(len(b)),
	})
	g.buf = append(g.buf, b...)
}

func (g *gatherer) flush(vec unsafe.Pointer) {
	if len(g.pieces) == 0 || g.full {
		return
	}
	base, pieces, n := (*C.char)(unsafe.Pointer(&g.buf[0])), &g.pieces[0], C.uint64_t(len(g.pieces))
	if g.blobs {
		g.full = C.ccbf_assign_blobs(vec, base, pieces, n) != 0
	} else {
		g.full = C.ccbf_assign_pieces(vec, base, pieces, n) != 0
	}
	g.buf, g.pieces = g.buf[:0], g.pieces[:0]
}
