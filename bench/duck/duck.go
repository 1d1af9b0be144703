// Package duck lets the measuring programs use DuckDB. An error ends the experiment.
package duck

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/internal/data"
)

// Open opens a database in memory with one connection and a number of threads.
func Open(threads int) *sql.DB {
	db := report.Must(connector.Open(fmt.Sprintf("?threads=%d", threads)))
	db.SetMaxOpenConns(1)
	return db
}

// File returns the path of a file with real data as a SQL string.
func File(name string) string { return "'" + strings.ReplaceAll(data.Path(name), "'", "''") + "'" }

// Run runs statements.
func Run(db *sql.DB, statements ...string) {
	for _, s := range statements {
		report.Must(db.Exec(s))
	}
}

// Insert inserts a row.
func Insert(db *sql.DB, table string, row ...any) {
	report.Must(db.Exec("INSERT INTO "+table+" VALUES (?"+strings.Repeat(", ?", len(row)-1)+")", row...))
}

// Scan reads the only row of a query.
func Scan(db *sql.DB, query string, to ...any) { report.Check(db.QueryRow(query).Scan(to...)) }

// Number returns the result of a query for one number.
func Number(db *sql.DB, query string) (n float64) {
	Scan(db, query, &n)
	return n
}

// Each reads the rows of a query into to, one by one, and calls f after each.
func Each(db *sql.DB, query string, f func(), to ...any) {
	rows := report.Must(db.Query(query))
	defer rows.Close()
	for rows.Next() {
		report.Check(rows.Scan(to...))
		f()
	}
	report.Check(rows.Err())
}

// Column returns the only column of a query.
func Column[T any](db *sql.DB, query string) (out []T) {
	var v T
	Each(db, query, func() { out = append(out, v) }, &v)
	return out
}

// Rows calls f with each row of a query: its columns of numbers as figures, the others as factors. NULLs
// are left out.
func Rows(db *sql.DB, query string, f func(report.At, report.Figures)) {
	for _, row := range Column[string](db, "SELECT to_json(t)::VARCHAR FROM ("+query+") t") {
		var columns map[string]any
		report.Check(json.Unmarshal([]byte(row), &columns))
		at, figures := report.At{}, report.Figures{}
		for name, v := range columns {
			if n, is := v.(float64); is {
				figures[name] = n
			} else if v != nil {
				at[name] = v
			}
		}
		f(at, figures)
	}
}

// Row returns the only row of a query, as Rows does.
func Row(db *sql.DB, query string) (at report.At, figures report.Figures) {
	Rows(db, query, func(a report.At, f report.Figures) { at, figures = a, f })
	return at, figures
}

// Folder calls f with a temporary folder.
func Folder(f func(dir string)) {
	dir := report.Must(os.MkdirTemp("", "ccbfsql-bench"))
	defer os.RemoveAll(dir)
	f(dir)
}
