package main

import (
	"database/sql"
	"fmt"
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
func duckDB() (version string) {
	db := open(1)
	defer db.Close()
	report.Check(db.QueryRow("SELECT version()").Scan(&version))
	return version
}

func run(db *sql.DB, statements ...string) {
	for _, s := range statements {
		report.Must(db.Exec(s))
	}
}

// number is the only answer of a query.
func number(db *sql.DB, query string) float64 {
	var n float64
	report.Check(db.QueryRow(query).Scan(&n))
	return n
}

// column is the only column of a query.
func column[T any](db *sql.DB, query string) []T {
	rows := report.Must(db.Query(query))
	defer rows.Close()
	var out []T
	for rows.Next() {
		var v T
		report.Check(rows.Scan(&v))
		out = append(out, v)
	}
	report.Check(rows.Err())
	return out
}

// crimes is a query for the points of the UK file.
func crimes(c report.Config) string {
	file := report.Must(filepath.Abs(filepath.Join(c.Data, "uk_crime_2018q4.parquet"))) // others read it too, from elsewhere
	return fmt.Sprintf("SELECT lon, lat FROM '%s' %s", file, report.Pick(c, "LIMIT 50000", "", ""))
}

// world is a database with the countries c(g), GeoJSON each, and the cities
// (lon, lat).
func world(c report.Config) *sql.DB {
	countries := fmt.Sprintf("SELECT unnest(features).geometry::VARCHAR g FROM read_json('%s', columns = {features: 'STRUCT(geometry JSON)[]'})",
		filepath.Join(c.Data, "ne_110m_countries.geojson"))
	cities := fmt.Sprintf("SELECT lon, lat FROM '%s'", filepath.Join(c.Data, "geonames_cities.parquet"))
	db := open(2)
	run(db, fmt.Sprintf("CREATE TABLE c AS SELECT g FROM (%s) USING SAMPLE reservoir(%d ROWS) REPEATABLE (7)", countries, report.Pick(c, 9, 177, 177)), "CREATE TABLE cities AS "+cities)
	return db
}
