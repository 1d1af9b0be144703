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
	ctx    context.Context
	result mapping.Result
	types  []duck.TypeID // types of the columns before they are cast
	chunk  chunk
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
		if s.chunk.load(s.types); s.chunk.size > 0 && !yield(&s.chunk, nil) {
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
	vectors []duck.Vector
}

// load finds the values of columns. Those whose types are not plain were cast to VARCHAR.
func (c *chunk) load(types []duck.TypeID) {
	c.size = int(mapping.DataChunkGetSize(c.data))
	c.vectors = c.vectors[:0]
	for i, id := range types {
		if !isPlain(id) {
			id = duck.VarcharID
		}
		v := mapping.DataChunkGetVector(c.data, mapping.IdxT(i))
		c.vectors = append(c.vectors, duck.VectorOf(mapping.VectorGetData(v), mapping.VectorGetValidity(v), c.size, id))
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
	id := v.Type().ID()
	switch {
	case id == duck.SQLNullID || !v.Valid(row):
		return render.Cell{Null: true}
	case id == duck.BigIntID:
		return render.Cell{Text: strconv.FormatInt(duck.Slice[int64](v)[row], 10)}
	}
	return render.Cell{Text: string(v.Bytes(row))} // the column is VARCHAR or BLOB
}
