package session

import (
	"cmp"
	"context"
	"database/sql/driver"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql"
	"github.com/duckdb/duckdb-go/v2"
)

// What the shell takes from the rest of the project is in this file: how a
// database is opened, the functions it knows, and what to do between
// statements.

// registration is that of the database opened last: the shell has one.
var registration atomic.Pointer[ccbfsql.Registration]

// connector opens the database. Connections it makes must be the driver's
// own, *duckdb.Conn: the shell streams results past database/sql, so it also
// has to say itself when nothing runs, which package connector does for others.
func connector(dsn string) (driver.Connector, error) {
	c, err := duckdb.NewConnector(dsn, nil)
	if err != nil {
		return nil, err
	}
	return registering{c}, nil
}

// registering connects with every function of the project registered.
type registering struct{ *duckdb.Connector }

func (c registering) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	r, err := ccbfsql.RegisterConn(conn)
	if err != nil {
		_ = conn.Close() // the first error is the one to tell
		return nil, err
	}
	registration.Store(r)
	return conn, nil
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
func Idle() {
	if r := registration.Load(); r != nil {
		r.Release()
	}
}
