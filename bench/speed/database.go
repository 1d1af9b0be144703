package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

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
	countries := fmt.Sprintf("SELECT unnest(features).geometry::VARCHAR g FROM read_json('%s', columns = {features: 'STRUCT(geometry JSON)[]'})",
		filepath.Join(b.c.Data, "ne_110m_countries.geojson"))
	cities := fmt.Sprintf("SELECT lon, lat FROM '%s'", filepath.Join(b.c.Data, "geonames_cities.parquet"))
	b.run(fmt.Sprintf("CREATE TABLE c AS SELECT g FROM (%s) USING SAMPLE reservoir(%d ROWS) REPEATABLE (7)", countries, report.Pick(b.c, 9, 177, 177)), "CREATE TABLE cities AS "+cities)
}

// counting makes the exact table of UK crimes, cells and counts.
func counting(res string) string {
	return fmt.Sprintf("CREATE OR REPLACE TABLE counted AS SELECT floor(lon / %[1]s)::BIGINT x, floor(lat / %[1]s)::BIGINT y, count(*) n FROM p GROUP BY ALL", res)
}

// folder calls f with a folder that is removed afterwards.
func folder(f func(dir string)) {
	dir := report.Must(os.MkdirTemp("", "ccbfsql-speed"))
	defer os.RemoveAll(dir)
	f(dir)
}
