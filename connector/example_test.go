package connector_test

import (
	"context"
	"fmt"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/duckdb/duckdb-go/v2"
)

// A database with every function.
func ExampleOpen() {
	db, err := connector.Open("")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	var n int
	err = db.QueryRow(`SELECT ccbf_get(ccbf_agg(x, y, 1), 0.5, 0.5) FROM (VALUES (0.1, 0.2), (0.9, 0.8), (7, 7)) p(x, y)`).Scan(&n)
	fmt.Println(n, err)
	// Output: 2 <nil>
}

// A sketch made in Go from a slice is an argument like any BLOB. The result is a sketch again, with
// the points that SQL added.
func Example_sketches() {
	db, err := connector.Open("")
	if err != nil {
		panic(err)
	}
	defer db.Close()

	ours, err := cms.New(cms.Params{})
	if err != nil {
		panic(err)
	}
	if err := keyed.AddValues(cms.Family, ours, []string{"to", "be"}); err != nil {
		panic(err)
	}
	var both *cms.Sketch
	err = db.QueryRow(`SELECT cms_union(?, cms_agg(word)) FROM (VALUES ('to'), ('go')) t(word)`, ours.Blob()).
		Scan(ccbfsql.Into(&both, cms.Decode))
	if err != nil {
		panic(err)
	}
	fmt.Println(cms.Family.CountValue(both, "to"))
	// Output: 2 <nil>
}

// Many sketches go into a table through the driver's appender, without SQL.
func ExampleUnwrap() {
	ctx := context.Background()
	db, err := connector.Open("")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `CREATE TABLE days(day VARCHAR, sketch BLOB)`); err != nil {
		panic(err)
	}
	err = conn.Raw(func(driverConn any) error {
		inner, _ := connector.Unwrap(driverConn)
		rows, err := duckdb.NewAppenderFromConn(inner, "", "days")
		if err != nil {
			return err
		}
		for day, xs := range map[string][]float64{"Monday": {0.5, 0.6}, "Tuesday": {0.7}} {
			s, err := ccbf.Build(ccbf.Params{Res: 1}, xs, make([]float64, len(xs)))
			if err != nil {
				return err
			}
			if err := rows.AppendRow(day, s.Blob()); err != nil {
				return err
			}
		}
		return rows.Close()
	})
	if err != nil {
		panic(err)
	}
	var n int
	err = conn.QueryRowContext(ctx, `SELECT ccbf_get(ccbf_union_agg(sketch), 0.1, 0.1) FROM days`).Scan(&n)
	fmt.Println(n, err)
	// Output: 3 <nil>
}
