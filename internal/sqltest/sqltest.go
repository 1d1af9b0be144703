// Package sqltest runs SQL test files on any database that has the project's functions. The files
// sql/test/*.test are the same for every host and every version of DuckDB.
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
//	require [condition ...]    skip the directives below, up to the next require,
//	                           where one of these does not hold:
//	        duckdb=1.5.2       DuckDB is that version or newer
//	        not=(1.5.0, 1.5.1) DuckDB is none of these versions
//	        release            the host is in this process: it knows when no query runs,
//	                           and then frees the memory of groups that DuckDB forgot
//	        long               not with -short, which make test says
//
// {tmp} in a statement is a directory for files, empty at the start of the
// file. {data} is the directory test/data. An error is "error: " and its first line. With threads, a directive runs once
// for each number of threads and must do the same every time.
//
// DuckDB itself converts the rows of SELECT, FROM, WITH and VALUES to text. Other statements, such
// as EXECUTE, must return whole numbers, text, BLOBs and NULL, which are the same with every
// client.
//
// Every file has its own schema and connection, so files are independent. go test -rewrite writes
// the actual results into the files.
package sqltest

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/data"
	"github.com/cockroachdb/datadriven"
)

// The heap of a test has only a few megabytes, so the garbage collector would run very often. Package
// conform does the same.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}

// Conn is a connection. Its errors are DuckDB's text without a prefix.
type Conn interface {
	// Exec runs any number of statements.
	Exec(statements string) error
	// Query runs one statement. Values are text: NULL as NULL, BLOBs as hexadecimal digits.
	Query(statement string) (rows [][]string, err error)
	Close() error
}

// Run runs the files *.test of a directory on a host: a DuckDB with the project's functions, in this
// process or in a client. connect opens a connection to it.
func Run(t *testing.T, connect func() (Conn, error), dir string) {
	t.Helper()
	RunPart(t, connect, dir, 0, 1)
}

// RunPart runs one of several equal parts of the files, or all files with CCBF_LONG=1.
func RunPart(t *testing.T, connect func() (Conn, error), dir string, part, of int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.test"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no *.test in %s", dir)
	}
	for i, file := range files {
		if i%of != part && os.Getenv("CCBF_LONG") == "" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test"), func(t *testing.T) { runFile(t, connect, file) })
	}
}

func runFile(t *testing.T, connect func() (Conn, error), file string) {
	conn, err := connect()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	h := host{conn: conn, meets: true, tmp: filepath.ToSlash(t.TempDir()), data: filepath.ToSlash(data.Path(""))}
	about, err := conn.Query("SELECT current_database(), version(), (ccbf_memory()).limit::VARCHAR")
	if err != nil {
		t.Fatal(err)
	}
	home, limit := about[0][0], about[0][2]
	h.version = versionOf(about[0][1])
	schema := strconv.Quote("test " + filepath.Base(file))
	for _, s := range []string{"DROP SCHEMA IF EXISTS " + schema + " CASCADE", "CREATE SCHEMA " + schema, "USE " + schema} {
		if err := conn.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	defer func() {
		// The limit belongs to the process: a file that fails midway must not affect the others.
		for _, s := range []string{"RESET threads", "SELECT ccbf_memory_limit(" + limit + "::UBIGINT)", "USE " + strconv.Quote(home) + ".main", "DROP SCHEMA " + schema + " CASCADE"} {
			if err := conn.Exec(s); err != nil {
				t.Errorf("%s: %v", s, err)
			}
		}
	}()
	datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string { return h.run(t, d) })
}

// host runs the directives of a test file on a connection.
type host struct {
	conn    Conn
	version [3]int // DuckDB's version
	meets   bool   // the condition of the last directive require holds
	// tmp and data are the directories that {tmp} and {data} stand for.
	tmp, data string
}

func (h *host) run(t *testing.T, d *datadriven.TestData) string {
	if d.Cmd == "require" {
		h.meets = true
		for _, a := range d.CmdArgs {
			h.meets = h.has(t, d, a) && h.meets
		}
		return ""
	}
	var threads []string
	for _, a := range d.CmdArgs {
		if a.Key != "threads" {
			d.Fatalf(t, "argument %s is not known", a)
		}
		threads = a.Vals
	}
	if !h.meets {
		return d.Expected
	}
	input := strings.NewReplacer("{tmp}", h.tmp, "{data}", h.data).Replace(d.Input)
	once := func() string {
		switch d.Cmd {
		case "exec":
			if err := h.conn.Exec(input); err != nil {
				return errorLine(err)
			}
			return "ok\n"
		case "query":
			rows, err := Text(h.conn, input)
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
		if err := h.conn.Exec("SET threads = " + n); err != nil {
			d.Fatalf(t, "%v", err)
		}
		if got := once(); i == 0 {
			out = got
		} else if got != out {
			t.Errorf("%s: with %s threads:\n%swith %s:\n%s", d.Pos, threads[0], out, n, got)
		}
	}
	if err := h.conn.Exec("RESET threads"); err != nil {
		d.Fatalf(t, "%v", err)
	}
	return out
}

// has reports whether a condition of require holds.
func (h *host) has(t *testing.T, d *datadriven.TestData, a datadriven.CmdArg) bool {
	switch a.Key {
	case "release":
		_, here := h.conn.(*inProcessConn)
		return here
	case "long":
		return !testing.Short()
	case "not":
		return !slices.ContainsFunc(a.Vals, func(v string) bool { return versionOf(v) == h.version })
	case "duckdb":
		want := versionOf(a.Vals[0])
		return slices.Compare(h.version[:], want[:]) >= 0
	}
	d.Fatalf(t, "condition %s is not known", a)
	return false
}

// selects matches statements that can be subqueries, in which DuckDB converts values to text, the
// same with every driver.
var selects = regexp.MustCompile(`(?is)^\s*(SELECT|FROM|WITH|VALUES)\b`)

// Text returns the rows of a statement, whose values DuckDB converts to text, if possible.
func Text(c Conn, statement string) (string, error) {
	if selects.MatchString(statement) {
		statement = "SELECT COLUMNS(*)::VARCHAR FROM (" + strings.TrimRight(statement, "; \n") + "\n)"
	}
	rows, err := c.Query(statement)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "no rows\n", nil
	}
	var out strings.Builder
	for _, row := range rows {
		out.WriteString(strings.Join(row, " | "))
		out.WriteByte('\n')
	}
	return out.String(), nil
}

// errorLine returns the first line of an error without DuckDB's name for its kind, which differs
// between scalar and aggregate functions and between versions.
func errorLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return "error: " + strings.TrimPrefix(line, "Invalid Input Error: ") + "\n"
}

// versionOf parses "v1.5.5". Missing numbers are 0.
func versionOf(s string) (v [3]int) {
	for i, n := range strings.SplitN(strings.TrimPrefix(s, "v"), ".", 3) {
		v[i], _ = strconv.Atoi(n) // a development version is 0.0.0 and meets no condition
	}
	return v
}
