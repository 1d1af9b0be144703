package session

import (
	"context"
	"errors"
	"io"
	"strconv"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// stream reads a running statement's result chunk by chunk.
type stream struct {
	ctx     context.Context
	result  mapping.Result
	columns []column
	chunk   chunk
	closed  bool
}

// settle fixes how columns are read; after wrapping, those that are not plain
// arrive as VARCHAR.
func (s *stream) settle(wrapped bool) {
	s.chunk.vectors = make([]vector, len(s.columns))
	for i, c := range s.columns {
		s.chunk.vectors[i].id = c.id
		if wrapped && !isPlain(c.id) {
			s.chunk.vectors[i].id = mapping.TypeVarchar
		}
	}
}

func (s *stream) next() (render.Chunk, error) {
	for {
		s.chunk.destroy()
		if s.ctx.Err() != nil {
			return nil, ErrInterrupted
		}
		s.chunk.data = mapping.FetchChunk(s.result)
		if s.chunk.data.Ptr == nil {
			if msg := mapping.ResultError(&s.result); msg != "" {
				return nil, interrupted(s.ctx, errors.New(msg))
			}
			return nil, io.EOF
		}
		if s.chunk.load(); s.chunk.size > 0 {
			return &s.chunk, nil
		}
	}
}

func (s *stream) close() {
	if s.closed {
		return
	}
	s.closed = true
	s.chunk.destroy()
	mapping.DestroyResult(&s.result)
}

// chunk is a data chunk of DuckDB's, read in place.
type chunk struct {
	data    mapping.DataChunk
	size    int
	vectors []vector
}

type vector struct {
	id       mapping.Type
	data     unsafe.Pointer
	validity unsafe.Pointer // a bit per row, or nil where all rows are valid
}

func (c *chunk) load() {
	c.size = int(mapping.DataChunkGetSize(c.data))
	for i := range c.vectors {
		v := mapping.DataChunkGetVector(c.data, mapping.IdxT(i))
		c.vectors[i].data = mapping.VectorGetData(v)
		c.vectors[i].validity = mapping.VectorGetValidity(v)
	}
}

func (c *chunk) destroy() {
	if c.data.Ptr != nil {
		mapping.DestroyDataChunk(&c.data)
	}
	c.data.Ptr, c.size = nil, 0
}

// Len implements render.Chunk.
func (c *chunk) Len() int { return c.size }

// Cell implements render.Chunk.
func (c *chunk) Cell(row, col int) render.Cell {
	v := &c.vectors[col]
	if v.null(row) {
		return render.Cell{Null: true}
	}
	return render.Cell{Text: v.text(row)}
}

func (v *vector) null(row int) bool {
	if v.id == mapping.TypeSQLNull {
		return true
	}
	return v.validity != nil && at[uint64](v.validity, row/64)&(1<<(row%64)) == 0
}

func (v *vector) text(row int) string {
	switch v.id {
	case mapping.TypeBoolean:
		return strconv.FormatBool(at[bool](v.data, row))
	case mapping.TypeTinyInt:
		return strconv.FormatInt(int64(at[int8](v.data, row)), 10)
	case mapping.TypeSmallInt:
		return strconv.FormatInt(int64(at[int16](v.data, row)), 10)
	case mapping.TypeInteger:
		return strconv.FormatInt(int64(at[int32](v.data, row)), 10)
	case mapping.TypeBigInt:
		return strconv.FormatInt(at[int64](v.data, row), 10)
	case mapping.TypeUTinyInt:
		return strconv.FormatUint(uint64(at[uint8](v.data, row)), 10)
	case mapping.TypeUSmallInt:
		return strconv.FormatUint(uint64(at[uint16](v.data, row)), 10)
	case mapping.TypeUInteger:
		return strconv.FormatUint(uint64(at[uint32](v.data, row)), 10)
	case mapping.TypeUBigInt:
		return strconv.FormatUint(at[uint64](v.data, row), 10)
	case mapping.TypeDouble:
		return render.Float(at[float64](v.data, row), 64)
	default: // VARCHAR and BLOB
		return bytesAt(v.data, row)
	}
}

func at[T any](data unsafe.Pointer, i int) T {
	return *(*T)(unsafe.Add(data, uintptr(i)*unsafe.Sizeof(*new(T))))
}

// bytesAt copies a string out of a vector of 16-byte strings: 4 bytes of
// length, then either up to 12 bytes of text or 4 bytes of it and a pointer.
func bytesAt(data unsafe.Pointer, row int) string {
	const size, inline = 16, 12
	s := unsafe.Add(data, row*size)
	length := int(*(*uint32)(s))
	text := unsafe.Add(s, 4)
	if length > inline {
		text = *(*unsafe.Pointer)(unsafe.Add(s, 8))
	}
	return string(unsafe.Slice((*byte)(text), length))
}
