package main

import (
	"database/sql"
	"fmt"
	"math"
	"strings"
)

// spatial asks many sketches about places, beside the exact query over the table
// that has been counted before.
func spatial(o options) error {
	db, err := open(2)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := run(db, "CREATE TABLE p AS "+crimes(o)); err != nil {
		return err
	}
	for _, f := range []func(*sql.DB, options) error{days, tiles} {
		if err := f(db, o); err != nil {
			return err
		}
	}
	return nil
}

// around is an outline of 60 corners around a place, so many times 0.9 by 0.5
// degrees.
func around(lon, lat, size float64) string {
	var corners []string
	for i := range 61 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%60) / 60)
		d := size * (0.85 + 0.15*math.Sin(float64(i%60)*1.7))
		corners = append(corners, fmt.Sprintf("%.6f %.6f", lon+0.45*d*cos, lat+0.25*d*sin))
	}
	return "POLYGON ((" + strings.Join(corners, ", ") + "))"
}

// days sums a county over 365 sketches, one for each day. The UK file knows
// months only, so the days are drawn.
func days(db *sql.DB, o options) error {
	if err := run(db,
		"CREATE TABLE dated AS SELECT lon, lat, hash(rowid) % 365 AS day FROM p",
		"CREATE TABLE days AS SELECT day, ccbf_agg(lon, lat, 0.001) s FROM dated GROUP BY day",
		"CREATE TABLE counted AS SELECT day, floor(lon / 0.001)::BIGINT x, floor(lat / 0.001)::BIGINT y, count(*) n FROM dated GROUP BY ALL",
		"CREATE TABLE county AS SELECT '"+around(-2.9, 53.45, 1)+"' g",
		// The cells whose centres lie in the county: a line from there to the east
		// crosses an odd number of its edges. They are known before the clock starts.
		`CREATE TABLE inside AS
			WITH corners AS (SELECT split_part(c, ' ', 1)::DOUBLE x, split_part(c, ' ', 2)::DOUBLE y, i
				FROM (SELECT unnest(string_split(g[11:-3], ', ')) c, generate_subscripts(string_split(g[11:-3], ', '), 1) i FROM county)),
			edges AS (SELECT a.x x0, a.y y0, b.x x1, b.y y1 FROM corners a JOIN corners b ON b.i = a.i + 1)
			SELECT x, y FROM (SELECT DISTINCT x, y, (x + 0.5) * 0.001 cx, (y + 0.5) * 0.001 cy FROM counted), edges
			GROUP BY x, y, cx, cy HAVING count(*) FILTER ((y0 > cy) <> (y1 > cy) AND cx < x0 + (cy - y0) * (x1 - x0) / (y1 - y0)) % 2 = 1`,
		"CREATE TABLE bounds AS SELECT min(x) x0, max(x) x1, min(y) y0, max(y) y1 FROM inside",
	); err != nil {
		return err
	}
	return beside(db, o, "365 days and a county", []row{
		{"exact, over cells known to be inside", `SELECT sum(n) FROM counted SEMI JOIN inside USING (x, y)
			WHERE x BETWEEN (SELECT x0 FROM bounds) AND (SELECT x1 FROM bounds) AND y BETWEEN (SELECT y0 FROM bounds) AND (SELECT y1 FROM bounds)`},
		{"sketches merged and summed", "SELECT ccbf_polygon_sum(ccbf_union_agg(s), any_value(g)) FROM days, county"},
		{"sketches summed", "SELECT sum(ccbf_polygon_sum(s, g)) FROM days, county"},
	}, "promised at most 100 ms")
}

// tiles sums a town over one sketch for each map tile, most of which lie
// elsewhere.
func tiles(db *sql.DB, o options) error {
	if err := run(db,
		"CREATE TABLE tiles AS SELECT quadkey(lon, lat, 11) tile, ccbf_agg(lon, lat, 0.001) s FROM p GROUP BY tile",
		"CREATE TABLE town AS SELECT '"+around(-2.9, 53.45, 0.5)+"' g, -3.125 x0, 53.325 y0, -2.675 x1, 53.575 y1",
		"CREATE TABLE near AS SELECT s FROM tiles, town WHERE ccbf_bbox_overlaps(s, x0, y0, x1, y1)",
		"CREATE TABLE many AS SELECT s FROM tiles, range(200)",
	); err != nil {
		return err
	}
	var all, near, many int
	if err := db.QueryRow("SELECT (SELECT count(*) FROM tiles), (SELECT count(*) FROM near), (SELECT count(*) FROM many)").Scan(&all, &near, &many); err != nil {
		return err
	}
	err := beside(db, o, fmt.Sprintf("%d tiles and a town in %d of them", all, near), []row{
		{"those in it", "SELECT sum(ccbf_polygon_sum(s, g)) FROM near, town"},
		{"all", "SELECT sum(ccbf_polygon_sum(s, g)) FROM tiles, town"},
		{"all that overlap it", "SELECT sum(ccbf_polygon_sum(s, g)) FROM tiles, town WHERE ccbf_bbox_overlaps(s, x0, y0, x1, y1)"},
	}, "")
	if err != nil {
		return err
	}
	t, err := rounds(db, o.rounds, "SELECT count(*) FROM many WHERE ccbf_bbox_overlaps(s, -3.125, 53.325, -2.675, 53.575)", "SELECT count(*) FROM many WHERE octet_length(s) > 1000")
	if err != nil {
		return err
	}
	perSecond := func(s sample) float64 { return float64(many) / s.median().Seconds() / 1e6 }
	fmt.Printf("%-44s %.1f million sketches a second, %.1f that only look at their length\n", "ccbf_bbox_overlaps over a column", perSecond(t[0]), perSecond(t[1]))
	return nil
}

// row is a query of an experiment, and what to call it.
type row struct{ name, query string }

// beside prints the times of queries that must all have the same answer, each
// with its ratio to the first.
func beside(db *sql.DB, o options, what string, rows []row, promise string) error {
	var queries []string
	var want float64
	for i, r := range rows {
		var n float64
		if err := db.QueryRow(r.query).Scan(&n); err != nil {
			return fmt.Errorf("%w\nin %s", err, r.query)
		}
		if i == 0 {
			want = n
		} else if n != want {
			return fmt.Errorf("%s: %s answers %v, %s %v", what, rows[0].name, want, r.name, n)
		}
		queries = append(queries, r.query)
	}
	t, err := rounds(db, o.rounds, queries...)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %.0f points\n", what, want)
	for i, r := range rows {
		note := ""
		if i > 0 {
			note = fmt.Sprintf(", ratio %.2f", float64(t[i].median())/float64(t[0].median()))
			if promise != "" {
				note += ", " + promise
			}
		}
		fmt.Printf("  %-42s %v%s\n", r.name, t[i], note)
	}
	return nil
}
