// Command tiles is a Go program with DuckDB and sketches. It reads points from a Parquet file and
// keeps one sketch per map tile. From the sketches alone it reports how many points are in a
// polygon.
//
//	go run ./examples/tiles                  generates points
//	go run ./examples/tiles points.parquet   reads a file with the columns lon and lat
package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ccbfsql/ccbfsql/connector"
)

// The question: how many points are in this triangle around Lisbon?
const polygon = `POLYGON ((-9.55 38.45, -8.62 38.51, -9.03 39.17, -9.55 38.45))`

func main() {
	file := ""
	if len(os.Args) > 1 {
		file = os.Args[1]
	}
	if err := run(context.Background(), os.Stdout, file); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, file string) error {
	// Every connection of this database has all functions.
	db, err := connector.Open("")
	if err != nil {
		return err
	}
	defer db.Close()

	if file == "" {
		folder, err := os.MkdirTemp("", "tiles")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		file = filepath.Join(folder, "points.parquet")
		if err := writePoints(ctx, db, file); err != nil {
			return err
		}
	}

	// One BLOB per tile. The points are not needed any more.
	_, err = db.ExecContext(ctx, `
		CREATE TABLE tiles AS
		SELECT quadkey(lon, lat, 8, 0.01) AS tile, ccbf_agg(lon, lat, 0.01) AS sketch
		FROM read_parquet('`+strings.ReplaceAll(file, "'", "''")+`')
		GROUP BY tile`)
	if err != nil {
		return err
	}

	var tiles, points, bytes int64
	err = db.QueryRowContext(ctx, `
		SELECT count(*), sum(ccbf_total(sketch))::BIGINT, sum(octet_length(sketch))::BIGINT FROM tiles`).
		Scan(&tiles, &points, &bytes)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d points are %d sketches of %d bytes together\n", points, tiles, bytes)

	// Query each tile and add the results. Alternatively, merge the tiles first with
	// ccbf_union_agg.
	var inside int64
	err = db.QueryRowContext(ctx, `
		SELECT sum(ccbf_polygon_sum(sketch, ?))::BIGINT FROM tiles`, polygon).Scan(&inside)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d of them in the polygon\n", inside)
	return nil
}

// writePoints writes 200,000 points around Lisbon and Madrid, the same ones each time.
func writePoints(ctx context.Context, db *sql.DB, file string) error {
	_, err := db.ExecContext(ctx, `
		COPY (
			WITH numbers AS (
				SELECT i, (hash(2 * i) >> 11) / 2.0 ** 53 AS u, (hash(2 * i + 1) >> 11) / 2.0 ** 53 AS v
				FROM range(200000) AS r(i)
			)
			SELECT if(i % 4 = 0, -9.14, -3.70) + -0.15 * ln(1 - u) * cos(2 * pi() * v) AS lon,
			       if(i % 4 = 0, 38.72, 40.42) + -0.15 * ln(1 - u) * sin(2 * pi() * v) AS lat
			FROM numbers
		) TO '`+strings.ReplaceAll(file, "'", "''")+`' (FORMAT parquet)`)
	return err
}
