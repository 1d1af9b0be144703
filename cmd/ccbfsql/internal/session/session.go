// Package session runs SQL statements on one database connection, one at a time. A statement can be
// cancelled at any moment. Its result arrives as text.
package session

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// ErrInterrupted is the error of a statement that was cancelled.
var ErrInterrupted = errors.New("Interrupted")

// Session is a connection to a database. It is not safe for concurrent use.
type Session struct {
	connector *connector.Connector
	driver    driver.Conn
	conn      mapping.Connection
}

// Options say which database to open.
type Options struct {
	Path     string // a file; empty or :memory: for a database in memory
	ReadOnly bool
	Unsigned bool // extensions without DuckDB's signature can be loaded
}

// Open opens the database and connects to it.
func Open(ctx context.Context, o Options) (*Session, error) {
	settings := url.Values{}
	if o.ReadOnly {
		settings.Set("access_mode", "READ_ONLY")
	}
	if o.Unsigned {
		settings.Set("allow_unsigned_extensions", "true")
	}
	dsn, err := DSN(cmp.Or(o.Path, ":memory:"), settings.Encode())
	if err != nil {
		return nil, err
	}
	s := &Session{}
	if s.connector, err = connector.New(dsn); err != nil {
		return nil, Clean(err)
	}
	if err = s.dial(ctx); err == nil {
		// DuckDB computes the figures that ShowProgress reads, and prints no bar itself.
		_, err = s.Strings(ctx, "SET enable_progress_bar = true; SET enable_progress_bar_print = false")
	}
	if err != nil {
		_ = s.Close() // the first error is returned
		return nil, Clean(err)
	}
	return s, nil
}

// dial opens a connection to the database.
func (s *Session) dial(ctx context.Context) (err error) {
	if s.driver, err = s.connector.Connect(ctx); err != nil {
		return err
	}
	// Results are streamed without the driver, which would hold each result in memory. So the
	// connector does not notice when a query ends: Idle reports it.
	inner, _ := connector.Unwrap(s.driver)
	handle, err := duck.ConnOf(inner)
	s.conn = mapping.Connection{Ptr: handle}
	return err
}

// Idle frees memory that finished queries left behind. The caller calls it when no statement runs.
func (s *Session) Idle() { s.connector.Release() }

// DSN returns the text by which the driver opens a file with settings, which are written as in a URL.
func DSN(path, settings string) (string, error) {
	// The driver reads settings after a question mark, and parses the whole as a URL.
	if strings.Contains(path, "?") {
		return "", fmt.Errorf("cannot open %q: the name must not contain a question mark", path)
	}
	if _, err := url.Parse(path); err != nil && path != ":memory:" {
		return "", fmt.Errorf("cannot open %q: this name cannot be passed to DuckDB; rename the file, or attach it: ATTACH '...' AS db", path)
	}
	return strings.TrimSuffix(path+"?"+settings, "?"), nil
}

// Close ends the connection and closes the database.
func (s *Session) Close() error {
	var err error
	if s.driver != nil {
		err = s.driver.Close()
	}
	return errors.Join(err, s.connector.Close())
}

// Strings runs a query and returns its rows as text. NULL is "".
func (s *Session) Strings(ctx context.Context, sql string) ([][]string, error) {
	result, err := s.Run(ctx, sql, false)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	var out [][]string
	for row, err := range result.All {
		if err != nil {
			return out, err
		}
		texts := make([]string, len(result.Columns))
		for i := range texts {
			texts[i] = row.Cell(i).Text
		}
		out = append(out, texts)
	}
	return out, nil
}

// DataEndings are how the names of files end that DuckDB reads in a FROM clause; .gz or .zst may follow.
var DataEndings = []string{".parquet", ".csv", ".tsv", ".json", ".ndjson", ".jsonl"}

// DataFile matches these names.
var DataFile = regexp.MustCompile(`(?i)(` + strings.ReplaceAll(strings.Join(DataEndings, "|"), ".", `\.`) + `)(\.gz|\.zst)?$`)

// Clean returns DuckDB's own text of an error, without the driver's prefix.
func Clean(err error) error {
	var e *duckdb.Error
	if errors.As(err, &e) {
		return errors.New(strings.TrimSpace(e.Msg))
	}
	return err
}
