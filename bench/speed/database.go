package main

import (
	"database/sql"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
)

// open opens a database in memory on one connection, with so many threads.
func open(threads int) *sql.DB {
	db := report.Must(connector.Open(fmt.Sprintf("?threads=%d", threads)))
	db.SetMaxOpenConns(1)
	return db
}

// duckDB is the version that is linked into this program.
func duckDB() string {
	db := open(1)
	defer db.Close()
	return column[string](db, "SELECT version()")[0]
}

// files have the statements that are longer than a line, as templates.
//
//go:embed sql
var files embed.FS

var statements = template.Must(template.New("").Funcs(template.FuncMap{
	// A rank of a key i by Zipf's law with exponent 1.2: see aggregate in building.sql.
	"rank": func(ranks, seed int) string {
		return fmt.Sprintf("floor(((%d::DOUBLE ^ -0.2 - 1) * ((hash(i, %d) %% 1000000007) / 1000000007.0) + 1) ^ -5)", ranks, seed)
	},
	// A number of a key i of a normal distribution (Box and Muller 1958).
	"normal": func(deviation float64, seed int) string {
		return fmt.Sprintf("%v * sqrt(-2 * ln((hash(i, %d) %% 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, %d) %% 1000000) / 1e6)", deviation, seed, seed+1)
	},
}).ParseFS(files, "sql/*.sql"))

// text is a statement, or several, of the folder sql.
func text(name string, values any) string {
	var b strings.Builder
	report.Check(statements.ExecuteTemplate(&b, name, values))
	return strings.TrimSpace(b.String())
}

// make runs statements of the folder sql.
func (b *bench) make(name string, values any) { run(b.db, text(name, values)) }

func run(db *sql.DB, statements ...string) {
	for _, s := range statements {
		report.Must(db.Exec(s))
	}
}

// scan reads the only row of a query.
func scan(db *sql.DB, query string, to ...any) { report.Check(db.QueryRow(query).Scan(to...)) }

// number is the only answer of a query.
func number(db *sql.DB, query string) (n float64) {
	scan(db, query, &n)
	return n
}

// agree is an error where queries differ in their only number.
func agree(db *sql.DB, queries ...string) {
	want := number(db, queries[0])
	for _, q := range queries[1:] {
		n := number(db, q)
		report.Require(n == want, "%v is the answer to %s\nand %v to %s", want, queries[0], n, q)
	}
}

// column is the only column of a query.
func column[T any](db *sql.DB, query string) (out []T) {
	rows := report.Must(db.Query(query))
	defer rows.Close()
	for rows.Next() {
		var v T
		report.Check(rows.Scan(&v))
		out = append(out, v)
	}
	report.Check(rows.Err())
	return out
}

// coordinates are the columns lon and lat of a table, in its order.
func coordinates(db *sql.DB, table string) (xs, ys []float64) {
	return column[float64](db, "SELECT lon FROM "+table+" ORDER BY rowid"), column[float64](db, "SELECT lat FROM "+table+" ORDER BY rowid")
}

// crimes is a query for the points of the UK file.
func crimes(c report.Config) string {
	file := report.Must(filepath.Abs(filepath.Join(c.Data, "uk_crime_2018q4.parquet"))) // others read it too, from elsewhere
	return fmt.Sprintf("SELECT lon, lat FROM '%s' %s", file, report.Pick(c, "LIMIT 50000", "", ""))
}

// world makes the countries c(g), GeoJSON each, and the cities (lon, lat).
func (b *bench) world() {
	b.make("world", report.At{"data": b.c.Data, "countries": report.Pick(b.c, 9, 177, 177)})
}

// folder calls f with a folder that is removed afterwards.
func folder(f func(dir string)) {
	dir := report.Must(os.MkdirTemp("", "ccbfsql-speed"))
	defer os.RemoveAll(dir)
	f(dir)
}
