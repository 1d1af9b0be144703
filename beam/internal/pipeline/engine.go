package pipeline

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	steps  sync.RWMutex // that run, as its readers
	db     *sql.DB
	dir    string
	closed bool
}

// withEngine calls use with a connection and an empty folder of its own.
func withEngine(ctx context.Context, p *Plan, use func(conn *sql.Conn, dir string) error) error {
	engine.steps.RLock()
	defer engine.steps.RUnlock()
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
	if engine.closed {
		return nil, errors.New("this process ends")
	}
	if err := p.checkProgram(); err != nil || engine.db != nil {
		return engine.db, err
	}
	if engine.dir == "" {
		dir, err := os.MkdirTemp("", "ccbf-pipeline-")
		if err != nil {
			return nil, err
		}
		engine.dir = dir
		// Beam leaves a file among the temporary ones for each run whose workers are in this process.
		if err := os.Setenv("TMPDIR", dir); err != nil {
			return nil, err
		}
	}
	db, err := connector.Open("")
	if err != nil {
		return nil, err
	}
	db.SetMaxIdleConns(-1) // what a step leaves on its connection ends with it
	// GLOBAL: every connection of the database has it.
	settings := "SET GLOBAL TimeZone = 'UTC'; SET GLOBAL temp_directory = " + text(filepath.Join(engine.dir, "spill"))
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
	engine.db = db
	return db, nil
}

// awaitSteps waits until no step runs.
func awaitSteps() {
	engine.steps.Lock()
	defer engine.steps.Unlock()
}

// closeEngine closes the database of this process, when no step runs, and removes its folder.
func closeEngine() {
	engine.steps.Lock()
	defer engine.steps.Unlock()
	engine.closed = true
	if engine.db != nil {
		_ = engine.db.Close() // nothing is in it that is to stay
	}
	if engine.dir != "" {
		_ = os.RemoveAll(engine.dir)
	}
}

// sumOf is the SHA-256 of a program.
func sumOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer closing(f)
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

var ownSum = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return sumOf(self)
})

// checkProgram is an error where the plan is of another program than this one, say of another
// version: workers that cut cells otherwise, or have other formats, would not be seen in the result.
func (p *Plan) checkProgram() error {
	if p.Program == "" {
		return nil
	}
	own, err := ownSum()
	if err == nil && own != p.Program {
		err = fmt.Errorf("%s, which the runner starts as a worker, is not the program that started the pipeline (SHA-256 %.12s, not %.12s): put the same on all machines, or name the workers' with -worker_binary",
			os.Args[0], own, p.Program)
	}
	return err
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

// query returns the rows of a query, whose columns have the names of T's fields.
func query[T any](ctx context.Context, conn *sql.Conn, text string, args ...any) (rows []T, err error) {
	var b []byte
	err = conn.QueryRowContext(ctx, "SELECT coalesce(to_json(list(t)), '[]')::VARCHAR FROM ("+text+") t", args...).Scan(&b)
	if err == nil {
		err = json.Unmarshal(b, &rows)
	}
	return rows, err
}

// describe returns the names and types of a query's columns.
func describe(ctx context.Context, conn *sql.Conn, text string) ([]Column, error) {
	return query[Column](ctx, conn, "SELECT column_name AS name, column_type AS type FROM (DESCRIBE "+text+")")
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
	return fmt.Sprintf("CAST(%s AS %s) AS %[1]s", quote(c.Name), c.Type)
}
