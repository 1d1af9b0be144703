package main

import (
	"database/sql"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// manySketches asks many sketches about one area, beside the exact query over
// the table that has been counted before.
func manySketches(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	run(db, "CREATE TABLE p AS "+crimes(c))
	w := newStopwatch(c, s, 2)
	ofDays := days(db, w)
	ofTiles := tiles(db, w)
	s.Short("a county over 365 daily sketches takes %s times the exact query over counted cells where they are merged first, %s times where each is asked.", report.Num(ofDays[0].At), report.Num(ofDays[1].At))
	s.Rows("ratio", "Time of one area over many sketches, beside the exact query (days) and beside those that matter (tiles).", "time / reference", append(ofDays, ofTiles...))
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
func days(db *sql.DB, w stopwatch) []report.Row {
	run(db,
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
	)
	const (
		exact = `SELECT sum(n) FROM counted SEMI JOIN inside USING (x, y)
			WHERE x BETWEEN (SELECT x0 FROM bounds) AND (SELECT x1 FROM bounds) AND y BETWEEN (SELECT y0 FROM bounds) AND (SELECT y1 FROM bounds)`
		merged = "SELECT ccbf_polygon_sum(ccbf_union_agg(s), any_value(g)) FROM days, county"
		each   = "SELECT sum(ccbf_polygon_sum(s, g)) FROM days, county"
	)
	agree(db, exact, merged, each)
	took := w.inTurn("365 days and a county", query(db, "exact", exact), query(db, "merged and summed", merged), query(db, "summed one by one", each))
	mergedOver, eachOver := took[1].over(took[0]), took[2].over(took[0])
	w.s.Text("**Days.** A county over 365 sketches, one for each day, drawn at random; the reference is the exact query over the table of days, cells and counts, which is told before which cells lie inside.")
	t := w.s.Table("sketches", "time / exact query")
	t.Row("merged, then summed", mergedOver)
	t.Row("summed one by one", eachOver)
	w.claim(took[1].within("time of a county over 365 days, merged and summed", 100*time.Millisecond, mergedOver, "the exact query").because("merging reads every cell of every day, near the county or not"))
	return []report.Row{mergedOver.row("365 days, merged / exact query", ""), eachOver.row("365 days, one by one / exact query", "")}
}

// tiles sums a town over one sketch for each map tile, most of which lie
// elsewhere.
func tiles(db *sql.DB, w stopwatch) []report.Row {
	run(db,
		"CREATE TABLE tiles AS SELECT quadkey(lon, lat, 11) tile, ccbf_agg(lon, lat, 0.001) s FROM p GROUP BY tile",
		"CREATE TABLE town AS SELECT '"+around(-2.9, 53.45, 0.5)+"' g, -3.125 x0, 53.325 y0, -2.675 x1, 53.575 y1",
		"CREATE TABLE near AS SELECT s FROM tiles, town WHERE ccbf_bbox_overlaps(s, x0, y0, x1, y1)",
	)
	var all, near int
	report.Check(db.QueryRow("SELECT (SELECT count(*) FROM tiles), (SELECT count(*) FROM near)").Scan(&all, &near))
	const (
		those    = "SELECT sum(ccbf_polygon_sum(s, g)) FROM near, town"
		asked    = "SELECT sum(ccbf_polygon_sum(s, g)) FROM tiles, town"
		overlaps = "SELECT sum(ccbf_polygon_sum(s, g)) FROM tiles, town WHERE ccbf_bbox_overlaps(s, x0, y0, x1, y1)"
	)
	agree(db, those, asked, overlaps)
	took := w.inTurn("tiles and a town", query(db, "those in it", those), query(db, "all", asked), query(db, "those that overlap it", overlaps))
	w.s.Text("**Tiles.** A town in %d of %d sketches, one for each map tile of zoom 11; the reference asks only those.", near, all)
	t := w.s.Table("tiles asked", "time / those that matter")
	t.Row("all", took[1].over(took[0]))
	t.Row("those that overlap the town's box", took[2].over(took[0]))
	return []report.Row{took[1].over(took[0]).row("all tiles / those that matter", ""), took[2].over(took[0]).row("tiles with ccbf_bbox_overlaps / those that matter", "")}
}
