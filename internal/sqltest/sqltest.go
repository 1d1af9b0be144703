// Package sqltest runs SQL test files on any database that has the project's
// functions: sql/test/*.test are the same for every host and every version of
// DuckDB.
//
// A file is a list of directives in the format of
// github.com/cockroachdb/datadriven:
//
//	query
//	SELECT ccbf_total(ccbf_agg(x, x, 1)) FROM range(3) t(x)
//	----
//	3
//
// Directives:
//
//	query [threads=(1, 2, 8)]  one statement; its rows, values separated by " | "
//	exec [threads=(1, 2, 8)]   any number of statements; "ok"
//	require [duckdb=1.5]       skip the directives below, up to the next require,
//	                           where DuckDB is older
//
// {tmp} in a statement is a directory for files, empty at the start of the
// file. An error is "error: " and its first line. With threads, a directive runs once
// for each number of threads and must do the same every time.
//
// Every file has a schema and a connection of its own, so that files can be read
// and run in any order. go test -rewrite writes what came out into the files.
package sqltest

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// Run runs the files *.test of a directory on a database.
func Run(t *testing.T, db *sql.DB, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.test"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no *.test in %s", dir)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test"), func(t *testing.T) { runFile(t, db, file) })
	}
}

func runFile(t *testing.T, db *sql.DB, file string) {
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	h := host{conn: conn, meets: true, tmp: filepath.ToSlash(t.TempDir())}
	var home, version, limit string
	err = conn.QueryRowContext(context.Background(), "SELECT current_database(), version(), (ccbf_memory()).limit").Scan(&home, &version, &limit)
	if err != nil {
		t.Fatal(err)
	}
	h.version = versionOf(version)
	schema := strconv.Quote("test " + filepath.Base(file))
	for _, s := range []string{"DROP SCHEMA IF EXISTS " + schema + " CASCADE", "CREATE SCHEMA " + schema, "USE " + schema} {
		if err := h.exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	defer func() {
		// The limit is the process's: a file that fails midway must not take
		// the others with it.
		for _, s := range []string{"RESET threads", "SELECT ccbf_memory_limit(" + limit + "::UBIGINT)", "USE " + strconv.Quote(home) + ".main", "DROP SCHEMA " + schema + " CASCADE"} {
			if err := h.exec(s); err != nil {
				t.Errorf("%s: %v", s, err)
			}
		}
	}()
	datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string { return h.run(t, d) })
}

// host is one connection while it runs a file.
type host struct {
	conn    *sql.Conn
	version [2]int
	meets   bool // the last require
	tmp     string
}

func (h *host) run(t *testing.T, d *datadriven.TestData) string {
	var threads []string
	for _, a := range d.CmdArgs {
		switch {
		case d.Cmd == "require" && a.Key == "duckdb" && len(a.Vals) == 1:
		case (d.Cmd == "query" || d.Cmd == "exec") && a.Key == "threads" && len(a.Vals) > 0:
			threads = a.Vals
		default:
			d.Fatalf(t, "argument %s is not known", a)
		}
	}
	if d.Cmd == "require" {
		h.meets = true
		if len(d.CmdArgs) > 0 {
			want := versionOf(d.CmdArgs[0].Vals[0])
			h.meets = h.version[0] > want[0] || h.version[0] == want[0] && h.version[1] >= want[1]
		}
		return ""
	}
	if !h.meets {
		return d.Expected
	}
	input := strings.ReplaceAll(d.Input, "{tmp}", h.tmp)
	once := func() string {
		switch d.Cmd {
		case "exec":
			if err := h.exec(input); err != nil {
				return errorLine(err)
			}
			return "ok\n"
		case "query":
			rows, err := h.query(input)
			if err != nil {
				return errorLine(err)
			}
			return rows
		}
		d.Fatalf(t, "directive %q is not known", d.Cmd)
		return ""
	}
	if threads == nil {
		return once()
	}
	out := ""
	for i, n := range threads {
		if err := h.exec("SET threads = " + n); err != nil {
			d.Fatalf(t, "%v", err)
		}
		if got := once(); i == 0 {
			out = got
		} else if got != out {
			t.Errorf("%s: with %s threads:\n%swith %s:\n%s", d.Pos, threads[0], out, n, got)
		}
	}
	if err := h.exec("RESET threads"); err != nil {
		d.Fatalf(t, "%v", err)
	}
	return out
}

func (h *host) exec(statements string) error {
	_, err := h.conn.ExecContext(context.Background(), statements)
	return err
}

// selects matches statements that can stand in a subquery, where DuckDB itself
// writes their values as text, the same whatever the driver.
var selects = regexp.MustCompile(`(?is)^\s*(SELECT|FROM|WITH|VALUES)\b`)

func (h *host) query(statement string) (string, error) {
	if selects.MatchString(statement) {
		statement = "SELECT COLUMNS(*)::VARCHAR FROM (" + strings.TrimRight(statement, "; \n") + "\n)"
	}
	rows, err := h.conn.QueryContext(context.Background(), statement)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	var out strings.Builder
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		for i, v := range values {
			if i > 0 {
				out.WriteString(" | ")
			}
			switch v := v.(type) {
			case nil:
				out.WriteString("NULL")
			case []byte:
				fmt.Fprintf(&out, "%x", v)
			default:
				fmt.Fprint(&out, v)
			}
		}
		out.WriteByte('\n')
	}
	if out.Len() == 0 && rows.Err() == nil {
		return "no rows\n", nil
	}
	return out.String(), rows.Err()
}

// errorLine is the first line of an error without DuckDB's name for its kind,
// which differs between scalar and aggregate functions and between versions.
func errorLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return "error: " + strings.TrimPrefix(line, "Invalid Input Error: ") + "\n"
}

// versionOf reads the first two numbers of "v1.5.5".
func versionOf(s string) (v [2]int) {
	parts := strings.SplitN(strings.TrimPrefix(s, "v"), ".", 3)
	for i := range min(2, len(parts)) {
		v[i], _ = strconv.Atoi(parts[i]) // a development version is 0.0 and fails the guards
	}
	return v
}
