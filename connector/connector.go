//go:build cgo

// Package connector opens DuckDB databases, by the bundled driver, with every
// function of ccbfsql registered.
//
//	db, err := connector.Open("cities.duckdb")
//
// When no connection is in use, it frees the memory of groups that DuckDB did not destroy.
package connector

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync"

	"github.com/ccbfsql/ccbfsql"
	"github.com/duckdb/duckdb-go/v2"
)

// Open opens a database file, or a database in memory if dsn is empty. The dsn is a path with
// options, as in github.com/duckdb/duckdb-go/v2: "cities.duckdb?access_mode=read_only".
func Open(dsn string) (*sql.DB, error) {
	c, err := New(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}

// Connector is a driver.Connector for sql.OpenDB.
type Connector struct {
	inner *duckdb.Connector

	mu           sync.Mutex
	registration *ccbfsql.Registration
	inUse        int // number of connections that are in use
}

// New returns a connector for a database, with the dsn of Open.
func New(dsn string) (*Connector, error) {
	inner, err := duckdb.NewConnector(dsn, nil)
	if err != nil {
		return nil, err
	}
	return &Connector{inner: inner}, nil
}

// Connect opens a connection, with every function registered.
func (c *Connector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := c.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner := made.(*duckdb.Conn)
	r, err := ccbfsql.RegisterConn(inner)
	if err != nil {
		_ = inner.Close() // return the error of RegisterConn, not that of Close
		return nil, err
	}
	opened := &conn{Conn: inner, c: c}
	c.mu.Lock()
	c.registration = r
	c.mu.Unlock()
	opened.use(true)
	return opened, nil
}

// Driver returns the bundled driver.
func (c *Connector) Driver() driver.Driver { return c.inner.Driver() }

// Close closes the database.
func (c *Connector) Close() error { return c.inner.Close() }

// Release frees the memory of groups that DuckDB did not destroy, for programs that keep a connection
// in use. Call it only while no query runs on the database: a running query ends with an error.
func (c *Connector) Release() {
	c.mu.Lock()
	r := c.registration
	c.mu.Unlock()
	if r != nil {
		r.Release()
	}
}

// Unwrap returns the bundled driver's connection, for its appender and the like. driverConn is the
// argument that (*sql.Conn).Raw passes for a database of this package.
func Unwrap(driverConn any) (*duckdb.Conn, bool) {
	if c, ok := driverConn.(*conn); ok {
		return c.Conn, true
	}
	return nil, false
}
