package pipeline

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ccbfsql/ccbfsql/connector"
)

// engine is the DuckDB of this process, which all its steps share, and the folder for
// what it writes before that has a place.
var engine struct {
	sync.Mutex
	db  *sql.DB
	dir string
}

// withEngine calls use with a connection and an empty folder of its own.
func withEngine(ctx context.Context, p *Plan, use func(conn *sql.Conn, dir string) error) error {
	db, err := openEngine(ctx, p)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	dir, err := os.MkdirTemp(engine.dir, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return use(conn, dir)
}

func openEngine(ctx context.Context, p *Plan) (*sql.DB, error) {
	engine.Lock()
	defer engine.Unlock()
	if engine.db != nil {
		return engine.db, nil
	}
	dir, err := os.MkdirTemp("", "ccbf-pipeline-")
	if err != nil {
		return nil, err
	}
	// Beam leaves a file among the temporary ones for each run whose workers are in this process.
	if err := os.Setenv("TMPDIR", dir); err != nil {
		return nil, err
	}
	db, err := connector.Open("")
	if err != nil {
		return nil, err
	}
	// GLOBAL: every connection of the database has it.
	settings := "SET GLOBAL TimeZone = 'UTC'; SET GLOBAL temp_directory = " + text(filepath.Join(dir, "spill"))
	if p.Threads > 0 {
		settings += fmt.Sprintf("; SET GLOBAL threads = %d", p.Threads)
	}
	if p.Memory != "" {
		settings += "; SET GLOBAL memory_limit = " + text(p.Memory)
	}
	if _, err := db.ExecContext(ctx, settings); err != nil {
		_ = db.Close() // the first error is the one to tell
		return nil, err
	}
	engine.db, engine.dir = db, dir
	return db, nil
}

// closeEngine closes the database of this process and removes its folder.
func closeEngine() {
	engine.Lock()
	defer engine.Unlock()
	if engine.db != nil {
		_ = engine.db.Close() // nothing is in it that is to stay
		_ = os.RemoveAll(engine.dir)
		engine.db = nil
	}
}

// execute runs statements one after the other.
func execute(ctx context.Context, conn *sql.Conn, statements ...string) error {
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// names is the set of the texts that a query returns.
func names(ctx context.Context, conn *sql.Conn, query string) (map[string]bool, error) {
	out := map[string]bool{}
	err := each(ctx, conn, query, func(rows *sql.Rows) error {
		var s string
		err := rows.Scan(&s)
		out[s] = true
		return err
	})
	return out, err
}

// each calls f with every row of a query.
func each(ctx context.Context, conn *sql.Conn, query string, f func(*sql.Rows) error) error {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// describe returns the names and types of a query's columns.
func describe(ctx context.Context, conn *sql.Conn, query string) ([]Column, error) {
	var out []Column
	err := each(ctx, conn, "SELECT column_name, column_type FROM (DESCRIBE "+query+")", func(rows *sql.Rows) error {
		var c Column
		err := rows.Scan(&c.Name, &c.Type)
		out = append(out, c)
		return err
	})
	return out, err
}

// list joins what f says of each column with commas.
func list(columns []Column, f func(Column) string) string {
	var out []string
	for _, c := range columns {
		if s := f(c); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

// cast is a column as the type that the plan says.
func cast(c Column) string {
	return fmt.Sprintf("CAST(%s AS %s) AS %s", quote(c.Name), c.Type, quote(c.Name))
}
