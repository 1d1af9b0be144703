package main

import (
	"database/sql"
	"fmt"
	"path/filepath"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
)

// open opens a database in memory on one connection, with so many threads.
func open(threads int) (*sql.DB, error) {
	db, err := connector.Open(fmt.Sprintf("?threads=%d", threads))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// duckDB is the version that is linked into this program.
func duckDB() (version string, err error) {
	db, err := open(1)
	if err != nil {
		return "", err
	}
	defer db.Close()
	return version, db.QueryRow("SELECT version()").Scan(&version)
}

func run(db *sql.DB, statements ...string) error {
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return fmt.Errorf("%w\nin %s", err, s)
		}
	}
	return nil
}

// number is the only answer of a query.
func number(db *sql.DB, query string) (float64, error) {
	var n float64
	if err := db.QueryRow(query).Scan(&n); err != nil {
		return 0, fmt.Errorf("%w\nin %s", err, query)
	}
	return n, nil
}

// column is the only column of a query.
func column[T any](db *sql.DB, query string) ([]T, error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, fmt.Errorf("%w\nin %s", err, query)
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// crimes is a query for the points of the UK file.
func crimes(c report.Config) (string, error) {
	file, err := filepath.Abs(filepath.Join(c.Data, "uk_crime_2018q4.parquet")) // others read it too, from elsewhere
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("SELECT lon, lat FROM '%s' %s", file, report.Pick(c, "LIMIT 50000", "", "")), nil
}

// world is a database with the countries c(g), GeoJSON each, and the cities
// (lon, lat).
func world(c report.Config) (*sql.DB, error) {
	countries := fmt.Sprintf("SELECT unnest(features).geometry::VARCHAR g FROM read_json('%s', columns = {features: 'STRUCT(geometry JSON)[]'})",
		filepath.Join(c.Data, "ne_110m_countries.geojson"))
	cities := fmt.Sprintf("SELECT lon, lat FROM '%s'", filepath.Join(c.Data, "geonames_cities.parquet"))
	db, err := open(2)
	if err != nil {
		return nil, err
	}
	err = run(db, fmt.Sprintf("CREATE TABLE c AS SELECT g FROM (%s) USING SAMPLE reservoir(%d ROWS) REPEATABLE (7)", countries, report.Pick(c, 9, 177, 177)), "CREATE TABLE cities AS "+cities)
	return db, err
}
