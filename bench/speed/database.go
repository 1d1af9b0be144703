package main

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// crimes is a query for the points of the UK file, or for points of its shape
// where it is not there.
func crimes(c report.Config, s *report.Section) (string, error) {
	file, err := filepath.Abs(filepath.Join(c.Data, "uk_crime_2018q4.parquet")) // others read it too, from elsewhere
	if err != nil {
		return "", err
	}
	limit := report.Pick(c, "LIMIT 50000", "", "")
	if _, err := os.Stat(file); err == nil {
		return fmt.Sprintf("SELECT lon, lat FROM '%s' %s", file, limit), nil
	}
	s.Text("The UK file is not there: 1,045,096 seeded points in 2,000 towns stand in for it.")
	return `SELECT (hash(i // 523) % 8000) / 1000.0 - 6 + sqrt(-2 * ln((hash(i, 1) % 1000000 + 1) / 1000001.0)) * cos(2 * pi() * (hash(i, 2) % 1000000) / 1e6) * 0.02 lon,
		(hash(i // 523, 3) % 6000) / 1000.0 + 50 + sqrt(-2 * ln((hash(i, 4) % 1000000 + 1) / 1000001.0)) * cos(2 * pi() * (hash(i, 5) % 1000000) / 1e6) * 0.02 lat
		FROM range(1045096) t(i) ` + limit, nil
}

// world is a database with the countries c(g), GeoJSON each, and the cities
// (lon, lat). Where their files are not there, the countries are polygons of 60
// corners, the cities points around 2,000 places.
func world(c report.Config, s *report.Section) (*sql.DB, error) {
	countries := fmt.Sprintf("SELECT unnest(features).geometry::VARCHAR g FROM read_json('%s', columns = {features: 'STRUCT(geometry JSON)[]'})",
		filepath.Join(c.Data, "ne_110m_countries.geojson"))
	cities := fmt.Sprintf("SELECT lon, lat FROM '%s'", filepath.Join(c.Data, "geonames_cities.parquet"))
	for _, f := range []string{"ne_110m_countries.geojson", "geonames_cities.parquet"} {
		if _, err := os.Stat(filepath.Join(c.Data, f)); errors.Is(err, fs.ErrNotExist) {
			s.Text("The files of countries and cities are not there: 177 seeded outlines of 60 corners and 150,000 seeded points stand in for them.")
			countries = `SELECT format('{{"type": "Polygon", "coordinates": [[{}]]}}', string_agg(format('[{}, {}]', x + r * cos(2 * pi() * (i % 60) / 60), y + r / 2 * sin(2 * pi() * (i % 60) / 60)), ', ' ORDER BY i)) g
				FROM (SELECT k, i AS j, i % 60 AS i, (hash(k, 1) % 300)::INTEGER - 150 x, (hash(k, 2) % 120)::INTEGER - 60 y, 1 + (hash(k, 3) % 1000) ^ 2 / 80000 r FROM range(177) t(k), range(61) u(i)) GROUP BY k`
			cities = `SELECT (hash(i // 75) % 340)::INTEGER - 170 + (hash(i, 1) % 4000) / 1000 lon, (hash(i // 75, 2) % 140)::INTEGER - 70 + (hash(i, 3) % 4000) / 1000 lat FROM range(150000) t(i)`
			break
		}
	}
	db, err := open(2)
	if err != nil {
		return nil, err
	}
	err = run(db, fmt.Sprintf("CREATE TABLE c AS SELECT g FROM (%s) USING SAMPLE reservoir(%d ROWS) REPEATABLE (7)", countries, report.Pick(c, 9, 177, 177)), "CREATE TABLE cities AS "+cities)
	return db, err
}
