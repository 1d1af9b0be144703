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

// What the shell takes from the rest of the project is in this file: how a
// database is opened, the functions it knows, and what to do between
// statements.

// connect opens the database, with every function of the project, and connects
// to it.
func (s *Session) connect(ctx context.Context, dsn string) (err error) {
	if s.connector, err = connector.New(dsn); err != nil {
		return err
	}
	return s.dial(ctx)
}

// dial makes a connection to the database.
func (s *Session) dial(ctx context.Context) (err error) {
	if s.driver, err = s.connector.Connect(ctx); err != nil {
		return err
	}
	// Results are streamed past the driver, which always holds a whole one in
	// memory. So nobody else sees when nothing runs: Idle says so.
	inner, _ := connector.Unwrap(s.driver)
	handle, err := duck.ConnOf(inner)
	s.conn = mapping.Connection{Ptr: handle}
	return err
}

// Functions lists the project's functions, sorted by group and name.
func Functions() []ccbfsql.Function {
	out := ccbfsql.Functions()
	slices.SortFunc(out, func(a, b ccbfsql.Function) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Name, b.Name))
	})
	return out
}

// Idle is called whenever no statement is running, so that memory which
// finished queries left behind can be given back.
func (s *Session) Idle() { s.connector.Release() }
