package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// This file has all that package session uses of the rest of the project. It opens a database,
// lists the functions, and frees memory between statements.

// connect opens the database with all functions of the project, and connects to it.
func (s *Session) connect(ctx context.Context, dsn string) (err error) {
	if s.connector, err = connector.New(dsn); err != nil {
		return err
	}
	return s.dial(ctx)
}

// dial opens a connection to the database.
func (s *Session) dial(ctx context.Context) (err error) {
	if s.driver, err = s.connector.Connect(ctx); err != nil {
		return err
	}
	// Results are streamed without the driver, which would hold each result in memory. So the
	// connector does not notice when a query ends: Idle reports it.
	inner, _ := connector.Unwrap(s.driver)
	handle, err := duck.ConnOf(inner)
	s.conn = mapping.Connection{Ptr: handle}
	return err
}

// Functions returns the project's functions, sorted by group and name.
func Functions() []ccbfsql.Function {
	out := ccbfsql.Functions()
	slices.SortFunc(out, func(a, b ccbfsql.Function) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Name, b.Name))
	})
	return out
}

// Idle frees memory that finished queries left behind. The caller calls it when no statement runs.
func (s *Session) Idle() { s.connector.Release() }
