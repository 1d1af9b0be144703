package clients

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// open opens a database, :memory: or a file, and loads the extension.
func (c *client) open(file, extension string) error {
	if _, err := c.do("open", file); err != nil {
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
	_, err := c.do("connect", name)
	return &conn{c, name}, err
}

// conn is a connection in the client's process. Every call is sent to the client, which runs it.
type conn struct {
	client *client
	name   string
}

func (c *conn) Exec(statements string) error {
	_, err := c.client.do("exec", c.name, statements)
	return err
}

func (c *conn) Query(statement string) ([][]string, error) {
	return c.client.do("query", c.name, statement)
}

func (c *conn) Close() error {
	_, err := c.client.do("disconnect", c.name)
	return err
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
