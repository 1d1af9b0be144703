package clients

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/internal/protocol"
	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// client is a program with the extension in its DuckDB.
type client struct {
	*protocol.Client
	connections atomic.Int64 // number of connections so far
}

// open opens a database, :memory: or a file, and loads the extension.
func (c *client) open(file, extension string) error {
	if _, err := c.Do("open", file); err != nil {
		return err
	}
	conn, err := c.connect()
	if err != nil {
		return err
	}
	if err := conn.Exec("LOAD " + quote(filepath.ToSlash(extension))); err != nil {
		return err
	}
	return conn.Close()
}

// connect opens a connection.
func (c *client) connect() (sqltest.Conn, error) {
	name := fmt.Sprint("connection ", c.connections.Add(1))
	_, err := c.Do("connect", name)
	return &conn{c, name}, err
}

// conn is a connection in the client's process. Every call is sent to the client, which runs it.
type conn struct {
	client *client
	name   string
}

func (c *conn) Exec(statements string) error {
	_, err := c.client.Do("exec", c.name, statements)
	return err
}

func (c *conn) Query(statement string) ([][]string, error) {
	return c.client.Do("query", c.name, statement)
}

func (c *conn) Close() error {
	_, err := c.client.Do("disconnect", c.name)
	return err
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
