package session

import (
	"context"
	"errors"
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// cast lets DuckDB convert the values of a running statement to text. It serves statements that
// cannot stand in a query, such as CALL, EXECUTE, INSERT ... RETURNING and PIVOT. Their rows go
// through a temporary table of another connection.
func (s *Session) cast(ctx context.Context, rows *stream, json bool) (_ *Result, err error) {
	other := &Session{connector: s.connector}
	if err := other.dial(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, other.driver.Close())
		}
	}()
	names, values := castsOf(rows.types, json)
	var texts []string
	var types []mapping.LogicalType
	for i, id := range rows.types {
		typ := " VARCHAR"
		if id == duck.BlobID {
			typ = " BLOB"
		}
		texts = append(texts, names[i]+typ)
		types = append(types, mapping.ColumnLogicalType(&rows.result, mapping.IdxT(i)))
	}
	defer func() {
		for i := range types {
			mapping.DestroyLogicalType(&types[i])
		}
	}()
	if _, err := other.Strings(ctx, "CREATE TEMP TABLE texts("+strings.Join(texts, ", ")+")"); err != nil {
		return nil, err
	}
	var appender mapping.Appender
	defer func() { mapping.AppenderDestroy(&appender) }()
	insert := "INSERT INTO texts SELECT " + strings.Join(values, ", ") + " FROM appended_data"
	if mapping.AppenderCreateQuery(other.conn, insert, types, "", names, &appender) == mapping.StateError {
		return nil, errors.New(mapping.AppenderError(appender))
	}
	for {
		more, err := rows.fetch()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if mapping.AppendDataChunk(appender, rows.chunk) == mapping.StateError || mapping.AppenderFlush(appender) == mapping.StateError {
			return nil, errors.New(mapping.AppenderError(appender))
		}
	}
	result, err := other.Run(ctx, "FROM texts", false)
	if err != nil {
		return nil, err
	}
	read := result.Close
	result.Close = func() { read(); _ = other.driver.Close() } // other is a temporary database: an error at its end loses nothing
	return result, nil
}
