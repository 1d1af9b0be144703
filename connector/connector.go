//go:build cgo

// Package connector opens DuckDB databases, by the bundled driver, with every
// function of ccbfsql registered.
//
//	db, err := connector.Open("cities.duckdb")
//
// When no query runs, it frees the memory of groups that DuckDB did not destroy.
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
	running      int // number of running queries
	unwrapped    int // number of connections whose queries the Connector does not see
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
	opened, err := c.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner := opened.(*duckdb.Conn)
	r, err := ccbfsql.RegisterConn(inner)
	if err != nil {
		_ = inner.Close() // return the error of RegisterConn, not that of Close
		return nil, err
	}
	c.mu.Lock()
	c.registration = r
	c.mu.Unlock()
	return &conn{Conn: inner, c: c}, nil
}

// Driver returns the bundled driver.
func (c *Connector) Driver() driver.Driver { return c.inner.Driver() }

// Close closes the database.
func (c *Connector) Close() error { return c.inner.Close() }

// begin and end count the running queries. When none runs, no query uses the memory of groups.
func (c *Connector) begin() {
	c.mu.Lock()
	c.running++
	c.mu.Unlock()
}

// end counts one running query less. After the last one it frees the memory of groups.
func (c *Connector) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	c.release()
}

// release frees the memory of groups if no query runs. The connector is locked.
func (c *Connector) release() {
	if c.running == 0 && c.unwrapped == 0 {
		c.registration.Release()
	}
}

// Release frees the memory of groups that DuckDB did not destroy, for programs that use Unwrap. Call
// it only while no query runs on the database: a running query ends with an error.
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
//
// This package does not see queries that run on the result. So until the connection is closed, the
// memory of groups that DuckDB never destroys is freed only by Release, or when the budget needs
// it.
func Unwrap(driverConn any) (*duckdb.Conn, bool) {
	if c, ok := driverConn.(*conn); ok {
		c.c.mu.Lock()
		if !c.unwrapped {
			c.unwrapped = true
			c.c.unwrapped++
		}
		c.c.mu.Unlock()
		return c.Conn, true
	}
	return nil, false
}
