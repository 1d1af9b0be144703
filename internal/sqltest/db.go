package sqltest

import (
	"context"
	"database/sql"
	"fmt"
)

// DB returns the host of a database in this process, with any driver. release is called after each
// statement. It frees the memory of groups for which DuckDB never calls the destructor. Package
// connector frees it itself, so there release is an empty function.
func DB(db *sql.DB, release func()) Host { return &inProcess{db, release} }

// inProcess is the Host that DB returns.
type inProcess struct {
	db      *sql.DB
	release func()
}

func (h *inProcess) Releases() bool { return true }

func (h *inProcess) Conn() (Conn, error) {
	c, err := h.db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	return &inProcessConn{c, h.release}, nil
}

// inProcessConn is a connection of an inProcess.
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
	names, values, err := Values(c.conn, statement)
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

// Queryer is a database or a connection.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Values returns the names of a query's columns, and the values of all its rows.
func Values(db Queryer, query string, args ...any) (names []string, all [][]any, err error) {
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	if names, err = rows.Columns(); err != nil {
		return nil, nil, err
	}
	into := make([]any, len(names))
	for rows.Next() { // all rows: an error may come late
		row := make([]any, len(names))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		all = append(all, row)
	}
	return names, all, rows.Err()
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
