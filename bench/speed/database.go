package main

import (
	"database/sql"
	"embed"
	"fmt"
	"path/filepath"
	"text/template"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
)

// duckDB is the version that is linked into this program.
func duckDB() string {
	db := duck.Open(1)
	defer db.Close()
	return duck.Column[string](db, "SELECT version()")[0]
}

// files have the statements that are longer than a line, as templates.
//
//go:embed sql
var files embed.FS

// text is a statement, or several, of the folder sql.
var text = duck.Texts(files, template.FuncMap{
	// A rank of a key i by Zipf's law with exponent 1.2: see aggregate in building.sql.
	"rank": func(ranks, seed int) string {
		return fmt.Sprintf("floor(((%d::DOUBLE ^ -0.2 - 1) * ((hash(i, %d) %% 1000000007) / 1000000007.0) + 1) ^ -5)", ranks, seed)
	},
	// A number of a key i of a normal distribution (Box and Muller 1958).
	"normal": func(deviation float64, seed int) string {
		return fmt.Sprintf("%v * sqrt(-2 * ln((hash(i, %d) %% 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, %d) %% 1000000) / 1e6)", deviation, seed, seed+1)
	},
})

// make runs statements of the folder sql.
func (b *bench) make(name string, values any) { duck.Run(b.db, text(name, values)) }

// agree is an error where queries differ in their only number.
func agree(db *sql.DB, queries ...string) {
	want := duck.Number(db, queries[0])
	for _, q := range queries[1:] {
		n := duck.Number(db, q)
		report.Require(n == want, "%v is the answer to %s\nand %v to %s", want, queries[0], n, q)
	}
}

// coordinates are the columns lon and lat of a table, in its order.
func coordinates(db *sql.DB, table string) (xs, ys []float64) {
	return duck.Column[float64](db, "SELECT lon FROM "+table+" ORDER BY rowid"), duck.Column[float64](db, "SELECT lat FROM "+table+" ORDER BY rowid")
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
