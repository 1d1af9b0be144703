package session

import (
	"context"
	"errors"
	"strconv"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// stream reads a running statement's result chunk by chunk.
type stream struct {
	ctx     context.Context
	result  mapping.Result
	columns []column
	chunk   chunk
}

// settle sets the types in which columns are read. In a wrapped query, columns that are not plain
// arrive as VARCHAR.
func (s *stream) settle(wrapped bool) {
	s.chunk.types = make([]duck.TypeID, len(s.columns))
	s.chunk.vectors = make([]duck.Vector, len(s.columns))
	for i, c := range s.columns {
		s.chunk.types[i] = c.id
		if wrapped && !isPlain(c.id) {
			s.chunk.types[i] = duck.VarcharID
		}
	}
}

// chunks yields the chunks as text. An error is the last.
func (s *stream) chunks(yield func(render.Chunk, error) bool) {
	for {
		more, err := s.fetch()
		switch {
		case err != nil:
			yield(nil, err)
			return
		case !more:
			return
		}
		if s.chunk.load(); s.chunk.size > 0 && !yield(&s.chunk, nil) {
			return
		}
	}
}

// fetch reads the next chunk. more is false if there is none.
func (s *stream) fetch() (more bool, err error) {
	s.chunk.destroy()
	if s.ctx.Err() != nil {
		return false, ErrInterrupted
	}
	s.chunk.data = mapping.FetchChunk(s.result)
	if s.chunk.data.Ptr != nil {
		return true, nil
	}
	if msg := mapping.ResultError(&s.result); msg != "" {
		return false, interrupted(s.ctx, errors.New(msg))
	}
	return false, nil
}

// close ends the statement. A second call does nothing.
func (s *stream) close() {
	s.chunk.destroy()
	mapping.DestroyResult(&s.result)
}

// chunk is one of DuckDB's data chunks, whose values are read in place.
type chunk struct {
	data    mapping.DataChunk
	size    int
	types   []duck.TypeID
	vectors []duck.Vector
}

func (c *chunk) load() {
	c.size = int(mapping.DataChunkGetSize(c.data))
	for i, id := range c.types {
		v := mapping.DataChunkGetVector(c.data, mapping.IdxT(i))
		c.vectors[i] = duck.VectorOf(mapping.VectorGetData(v), mapping.VectorGetValidity(v), c.size, id)
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
	if c.types[col] == duck.SQLNullID || !v.Valid(row) {
		return render.Cell{Null: true}
	}
	if c.types[col] == duck.BigIntID {
		return render.Cell{Text: strconv.FormatInt(duck.Slice[int64](v)[row], 10)}
	}
	return render.Cell{Text: string(v.Bytes(row))} // the column is VARCHAR or BLOB
}
