package duck

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// Result is a writer of the results of one chunk, or of a part of nested results.
type Result struct {
	vec    unsafe.Pointer
	data   unsafe.Pointer
	mask   unsafe.Pointer // writable; nil until the first NULL
	offset int            // row 0 of this result is row offset of the vector
	n      int
	typ    Type
	text   textBuffer
	kids   []Result
	open   bool
	list   listWriter

	charged  int64     // bytes of the budget that are reserved until the callback ends.
	ofRow    int64     // bytes of the budget that are reserved until EndRow.
	instance *Instance // the instance of the query's database; nil if not known.
}

// HasIdleThread reports whether DuckDB has several threads and no other callback runs. The number
// of threads was read when functions were registered: a later SET threads is not noticed.
func (r *Result) HasIdleThread() bool {
	return r.instance != nil && r.instance.threads.Load() > 1 && memory.OnlyCallback()
}

// Charge reserves n bytes of the budget until the callback ends, for a list or a text in DuckDB's
// memory. Call it before allocating, on the callback's Result and not on a part of it. The error
// wraps ErrBudget.
func (r *Result) Charge(n int64) error {
	if n <= 0 {
		return nil
	}
	if err := memory.Reserve(n); err != nil {
		return err
	}
	r.charged += n
	return nil
}

// Grow reserves delta bytes of the budget until EndRow, for what a row needs to compute its result.
// Call it before allocating; a negative delta gives bytes back. The error wraps ErrBudget.
func (r *Result) Grow(delta int64) error {
	if delta > 0 {
		if err := memory.Reserve(delta); err != nil {
			return err
		}
	} else {
		memory.Unreserve(-delta)
	}
	r.ofRow += delta
	return nil
}

// EndRow gives the bytes back that Grow reserved.
func (r *Result) EndRow() {
	if r.ofRow != 0 {
		memory.Unreserve(r.ofRow)
		r.ofRow = 0
	}
}

// end gives back all bytes of the callback.
func (r *Result) end() {
	r.ofRow, r.charged = r.ofRow+r.charged, 0
	r.EndRow()
}

// Len returns the number of rows to write.
func (r *Result) Len() int { return r.n }

// reset makes r write n rows of a vector, from row offset on.
func (r *Result) reset(c *C.ccbf_col, offset, n int, typ Type) {
	r.vec, r.data, r.mask = c.vec, c.data, nil
	r.offset, r.n, r.typ = offset, n, typ
	r.open = false
	r.list.open = false
	r.text.reset(typ)
}

// Out returns the rows of a result of a type with a fixed width, which T must have. T is bool for
// BOOLEAN, and [2]uint64 for HUGEINT and UHUGEINT, with the lower half first.
func Out[T any](r *Result) []T {
	if r.data == nil {
		return nil
	}
	var t T
	return unsafe.Slice((*T)(unsafe.Add(r.data, r.offset*int(unsafe.Sizeof(t)))), r.n)
}

// SetNull makes row i NULL, and with it its fields if it is a STRUCT.
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

// SetBytes sets row i of a VARCHAR, a BLOB, or a GEOMETRY, whose value is WKB. It copies b.
func (r *Result) SetBytes(i int, b []byte) {
	if uint(i) >= uint(r.n) {
		panic(fmt.Sprintf("row %d of a result of %d rows", i, r.n))
	}
	at := r.offset + i
	if len(b) <= inlineMax {
		// A short string lies in the vector itself, so no call into C is needed.
		s := (*[16]byte)(unsafe.Add(r.data, at*16))
		*s = [16]byte{}
		*(*uint32)(unsafe.Pointer(s)) = uint32(len(b))
		copy(s[4:], b)
		return
	}
	r.text.add(r.vec, at, b)
}

// SetString sets row i of a VARCHAR.
func (r *Result) SetString(i int, s string) {
	r.SetBytes(i, unsafe.Slice(unsafe.StringData(s), len(s)))
}

// Field returns field j of a STRUCT result, with the same rows.
func (r *Result) Field(j int) *Result {
	if !r.open {
		fields := r.typ.Fields()
		r.kids = resized(r.kids, len(fields))
		r.open = true
		for k, col := range structChildren(r.vec, len(fields)) {
			r.kids[k].reset(&col, r.offset, r.n, fields[k].Type)
		}
	}
	return &r.kids[j]
}

// flush writes buffered strings to the vector and ends lists. The error says that DuckDB has no
// memory left.
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

// textBuffer buffers BLOBs, so that a chunk of small results costs one crossing. It writes texts at once, as
// DuckDB checks each of them.
type textBuffer struct {
	buf    []byte
	pieces []C.ccbf_piece
	blobs  bool // values are BLOBs
	full   bool // DuckDB has no memory left
}

var errFull = errors.New("DuckDB has no memory left for the result (SET memory_limit)")

const (
	directFrom    = 2 << 10   // a value of so many bytes or more is written without a copy to the buffer
	maxTextBuffer = 256 << 10 // bytes; the buffer is used again
)

// reset empties the buffer, for a result of this type.
func (g *textBuffer) reset(typ Type) {
	g.buf, g.pieces, g.full = g.buf[:0], g.pieces[:0], false
	g.blobs = typ.id == BlobID || typ.id == GeometryID
}

// add buffers the value b of a row of vec. It writes a text or a long value to vec at once.
func (g *textBuffer) add(vec unsafe.Pointer, row int, b []byte) {
	if g.full {
		return
	}
	if !g.blobs || len(b) >= directFrom {
		g.full = C.ccbf_try_assign(vec, C.uint64_t(row), (*C.char)(unsafe.Pointer(&b[0])), C.uint64_t(len(b))) != 0
		return
	}
	if len(g.buf)+len(b) > maxTextBuffer {
		g.flush(vec)
	}
	g.pieces = append(g.pieces, C.ccbf_piece{
		row: C.uint64_t(row), start: C.uint64_t(len(g.buf)), len: C.uint64_t(len(b)),
	})
	g.buf = append(g.buf, b...)
}

// flush writes all buffered values to vec with one call into C.
func (g *textBuffer) flush(vec unsafe.Pointer) {
	if len(g.pieces) == 0 || g.full {
		return
	}
	base, pieces, n := (*C.char)(unsafe.Pointer(&g.buf[0])), &g.pieces[0], C.uint64_t(len(g.pieces))
	g.full = C.ccbf_assign_blobs(vec, base, pieces, n) != 0
	g.buf, g.pieces = g.buf[:0], g.pieces[:0]
}
