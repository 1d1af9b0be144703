//go:build cgo

package connector

import (
	"context"

	"github.com/duckdb/duckdb-go/v2"
)

// conn is a connection that its connector counts while it is in use. database/sql calls ResetSession
// before it takes a connection from its pool, and IsValid before it returns one.
type conn struct {
	*duckdb.Conn
	c     *Connector
	inUse bool // under the lock of c
}

// ResetSession implements driver.SessionResetter.
func (c *conn) ResetSession(context.Context) error {
	c.use(true)
	return nil
}

// IsValid implements driver.Validator.
func (c *conn) IsValid() bool {
	c.use(false)
	return true
}

func (c *conn) Close() error {
	err := c.Conn.Close()
	c.use(false)
	return err
}

// use counts the connection as used or as unused. When no connection of the database is used, no query
// runs, and the memory of groups is freed.
func (c *conn) use(inUse bool) {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	switch {
	case inUse && !c.inUse:
		c.c.inUse++
	case !inUse && c.inUse:
		if c.c.inUse--; c.c.inUse == 0 {
			c.c.registration.Release()
		}
	}
	c.inUse = inUse
}
