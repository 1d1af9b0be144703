package ccbfsql_test

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/duckdb/duckdb-go/v2"
)

// A program that opens DuckDB itself gives its connector Init.
func ExampleInit() {
	c, err := duckdb.NewConnector("", ccbfsql.Init)
	if err != nil {
		panic(err)
	}
	db := sql.OpenDB(c)
	defer db.Close()
	var n int
	err = db.QueryRow(`SELECT ccbf_get(ccbf_agg(x, 0, 1), 2, 0) FROM (VALUES (2.5), (2.7), (3.1)) t(x)`).Scan(&n)
	fmt.Println(n, err)
	// Output: 2 <nil>
}

// A program that has a connection already registers the functions on it; all
// connections of the database have them then.
func ExampleRegister() {
	ctx := context.Background()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		panic(err)
	}
	if err := ccbfsql.Register(ctx, conn); err != nil {
		panic(err)
	}
	if err := conn.Close(); err != nil {
		panic(err)
	}
	var n int
	err = db.QueryRow(`SELECT cms_get(cms_agg(word), 'to') FROM (VALUES ('to'), ('be'), ('to')) t(word)`).Scan(&n)
	fmt.Println(n, err)
	// Output: 2 <nil>
}

// A sketch of a column, as a sketch of Go.
func ExampleInto() {
	c, err := duckdb.NewConnector("", ccbfsql.Init)
	if err != nil {
		panic(err)
	}
	db := sql.OpenDB(c)
	defer db.Close()
	var s *ccbf.Sketch
	row := db.QueryRow(`SELECT ccbf_agg(i, i, 1) FROM range(10) t(i)`)
	if err := row.Scan(ccbfsql.Into(&s, ccbf.Decode)); err != nil {
		panic(err)
	}
	fmt.Println(s.IsExact())
	// Output: true
}

// Every function describes itself.
func ExampleFunctions() {
	for _, f := range ccbfsql.Functions() {
		if f.Name == "tile_x" {
			fmt.Print(f.Help())
		}
	}
	// Output:
	//   tile_x(lon DOUBLE, z BIGINT [, res DOUBLE]) -> BIGINT
	//       Column of the Web Mercator tile that contains a longitude at a zoom level.
	//       With res, the tile that contains the centre of the point's cell: sketches
	//       grouped by it hold whole cells.
	//
	//   SELECT tile_x(-0.1276, 8)
}
