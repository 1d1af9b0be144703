package clients

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// Host is an open database of a client, with the extension loaded.
type Host struct {
	client *client
	last   atomic.Int64
}

var _ sqltest.Host = (*Host)(nil)

// open opens a database, :memory: or a file, and loads the extension.
func (c *client) open(file, extension string) (*Host, error) {
	if _, err := c.do("open", file); err != nil {
		return nil, err
	}
	h := &Host{client: c}
	conn, err := h.connect()
	if err != nil {
		return nil, err
	}
	if err := conn.Exec("LOAD " + quote(filepath.ToSlash(extension))); err != nil {
		return nil, err
	}
	return h, conn.Close()
}

// Releases returns false: the extension cannot know that no query runs.
func (h *Host) Releases() bool { return false }

// Conn opens a connection.
func (h *Host) Conn() (sqltest.Conn, error) { return h.connect() }

func (h *Host) connect() (*conn, error) {
	c := &conn{h.client, fmt.Sprint("connection ", h.last.Add(1))}
	if _, err := h.client.do("connect", c.name); err != nil {
		return nil, err
	}
	return c, nil
}

// Close closes the database, not the process.
func (h *Host) Close() error {
	_, err := h.client.do("close")
	return err
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

// ask returns the first row of a query, with "|" between values.
func ask(c sqltest.Conn, query string) (string, error) {
	rows, err := c.Query(query)
	if err != nil {
		return "", fmt.Errorf("%.300s: %w", query, err)
	}
	if len(rows) == 0 {
		return "", errors.New("no rows: " + query)
	}
	return strings.Join(rows[0], "|"), nil
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
