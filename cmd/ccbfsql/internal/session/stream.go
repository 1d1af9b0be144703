package session

import (
	"context"
	"strconv"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// stream reads a running statement's result chunk by chunk. Values are read in DuckDB's memory.
type stream struct {
	ctx     context.Context
	wrapped bool // whether the query is in a query of wrap
	result  mapping.Result
	types   []duck.TypeID // types of the columns before they are cast
	chunk   mapping.DataChunk
	columns []duck.Vector // columns of the chunk
}

// all yields the rows as text. An error is the last.
func (s *stream) all(yield func(render.Row, error) bool) {
	for {
		more, err := s.fetch()
		switch {
		case err != nil:
			yield(render.Row{}, err)
			return
		case !more:
			return
		}
		size, at := s.load(), 0
		cell := func(col int) render.Cell { return cellOf(&s.columns[col], at) }
		for at = range size {
			if !yield(render.Row{Cell: cell, Rest: size - 1 - at}, nil) {
				return
			}
		}
	}
}

// fetch reads the next chunk. more is false if there is none.
func (s *stream) fetch() (more bool, err error) {
	mapping.DestroyDataChunk(&s.chunk)
	if s.ctx.Err() != nil {
		return false, ErrInterrupted
	}
	s.chunk = mapping.FetchChunk(s.result)
	if s.chunk.Ptr != nil {
		return true, nil
	}
	if msg := mapping.ResultError(&s.result); msg != "" {
		return false, interrupted(s.ctx, s.problem(msg))
	}
	return false, nil
}

// load finds the values of the chunk's columns, and returns the number of rows. Columns whose types are
// not plain were cast to VARCHAR.
func (s *stream) load() int {
	size := int(mapping.DataChunkGetSize(s.chunk))
	s.columns = s.columns[:0]
	for i, id := range s.types {
		if !isPlain(id) {
			id = duck.VarcharID
		}
		v := mapping.DataChunkGetVector(s.chunk, mapping.IdxT(i))
		s.columns = append(s.columns, duck.VectorOf(mapping.VectorGetData(v), mapping.VectorGetValidity(v), size, id))
	}
	return size
}

// close ends the statement. A second call does nothing.
func (s *stream) close() {
	mapping.DestroyDataChunk(&s.chunk)
	mapping.DestroyResult(&s.result)
}

func cellOf(v *duck.Vector, row int) render.Cell {
	id := v.Type().ID()
	switch {
	case id == duck.SQLNullID || !v.Valid(row):
		return render.Cell{Null: true}
	case id == duck.BigIntID:
		return render.Cell{Text: strconv.FormatInt(duck.Slice[int64](v)[row], 10)}
	}
	return render.Cell{Text: string(v.Bytes(row))} // the column is VARCHAR or BLOB
}
