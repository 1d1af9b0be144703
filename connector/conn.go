//go:build cgo

package connector

import (
	"context"
	"database/sql/driver"

	"github.com/duckdb/duckdb-go/v2"
)

// conn is a connection that counts running queries in its connector.
type conn struct {
	*duckdb.Conn
	c         *Connector
	unwrapped bool // true if the Connector's number unwrapped includes this connection; under its lock
}

func (c *conn) Close() error {
	err := c.Conn.Close()
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	if c.unwrapped {
		c.unwrapped = false
		c.c.unwrapped--
		c.c.release()
	}
	return err
}

// ExecContext counts the query as running until it has returned.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Result, err error) {
	c.c.begin()
	defer func() { c.end(ctx, err) }()
	return c.Conn.ExecContext(ctx, query, args)
}

// QueryContext counts the query as running until its rows are closed.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.c.begin()
	r, err := c.Conn.QueryContext(ctx, query, args)
	return c.rows(ctx, r, err)
}

func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext wraps the prepared statement, so that its queries are counted as running. If there are several
// statements, the driver runs all but the last, which counts as a query.
func (c *conn) PrepareContext(ctx context.Context, query string) (_ driver.Stmt, err error) {
	c.c.begin()
	defer func() { c.end(ctx, err) }()
	s, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &stmt{s.(*duckdb.Stmt), c}, nil
}

// end counts a query less that returned err. If the context ends after a query was planned and before it is
// executed, the driver returns while DuckDB's threads have begun. The next statement of the connection waits
// for them, so one follows.
func (c *conn) end(ctx context.Context, err error) {
	if err != nil && ctx.Err() != nil {
		_, _ = c.Conn.ExecContext(context.Background(), "SELECT NULL", nil)
	}
	c.c.end()
}

// rows ends its query when it is closed.
func (c *conn) rows(ctx context.Context, r driver.Rows, err error) (driver.Rows, error) {
	if err != nil {
		c.end(ctx, err)
		return nil, err
	}
	return &rows{columns: r.(columns), c: c.c}, nil
}

// stmt is a prepared statement whose queries are counted as running.
type stmt struct {
	*duckdb.Stmt
	c *conn
}

// ExecContext counts the query as running until it has returned.
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (r driver.Result, err error) {
	s.c.c.begin()
	defer func() { s.c.end(ctx, err) }()
	return s.Stmt.ExecContext(ctx, args)
}

// QueryContext counts the query as running until its rows are closed.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.c.c.begin()
	r, err := s.Stmt.QueryContext(ctx, args)
	return s.c.rows(ctx, r, err)
}

// columns is the optional methods of the driver's rows that return column types.
type columns interface {
	driver.Rows
	driver.RowsColumnTypeScanType
	driver.RowsColumnTypeDatabaseTypeName
}

// rows is the result of a query, which is counted as running until Close.
type rows struct {
	columns
	c      *Connector
	closed bool
}

func (r *rows) Close() error {
	err := r.columns.Close()
	if !r.closed {
		r.closed = true
		r.c.end()
	}
	return err
}
