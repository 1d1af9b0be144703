package sqltest

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ccbfsql/ccbfsql/internal/queries"
)

// DB returns a function that opens connections to a database in this process, with any driver. release is
// called after each statement. It frees the memory of groups for which DuckDB never calls the destructor.
// Package connector frees it itself, so there release is an empty function.
func DB(db *sql.DB, release func()) func() (Conn, error) {
	return func() (Conn, error) {
		c, err := db.Conn(context.Background())
		return &inProcessConn{c, release}, err
	}
}

// inProcessConn is a connection that DB opens.
type inProcessConn struct {
	conn  *sql.Conn
	after func() // called after each statement
}

func (c *inProcessConn) Close() error { return c.conn.Close() }

func (c *inProcessConn) Exec(statements string) error {
	defer c.after()
	_, err := c.conn.ExecContext(context.Background(), statements)
	return err
}

func (c *inProcessConn) Query(statement string) ([][]string, error) {
	defer c.after()
	names, values, err := queries.Values(context.Background(), c.conn, statement)
	if err != nil {
		return nil, err
	}
	all := make([][]string, len(values))
	for i, row := range values {
		for j, v := range row {
			text, err := asText(v)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", names[j], err)
			}
			all[i] = append(all[i], text)
		}
	}
	return all, nil
}

// asText returns values as text that is the same with every client.
func asText(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "NULL", nil
	case []byte:
		return fmt.Sprintf("%x", v), nil
	case string, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v), nil
	}
	return "", fmt.Errorf("a %T looks different from other clients: cast it to VARCHAR", v)
}
