package main

import (
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// polygons sums countries over an exact sketch of the cities.
func polygons(c report.Config, s *report.Section) {
	db := world(c)
	defer db.Close()
	countries := column[string](db, "SELECT g FROM c")
	xs, ys := coordinates(db, "cities")
	resolutions := report.Pick(c, []string{"0.1", "0.01"}, []string{"0.1", "0.01", "0.001"}, []string{"0.1", "0.01", "0.001"})
	w := newStopwatch(c, s)
	s.Text("`sum(ccbf_polygon_sum(s, g))` of %d countries as GeoJSON over one exact sketch of %d cities, compared with a point-in-polygon test of each %dth city in a country's bounding box, by orb's planar package on one thread, with GeoJSON read by the same parser.", len(countries), len(xs), every)
	t := s.Table("cells", "time / point in polygon")
	var rows []report.Row
	for _, res := range resolutions {
		run(db, "CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(lon, lat, "+res+") s FROM cities")
		took := w.inTurn("countries, cells of "+res, query(db, "ccbf_polygon_sum", "SELECT sum(ccbf_polygon_sum(s, g)) FROM c, s"),
			contender{name: "point in polygon", run: func() { insideOf(countries, xs, ys) }})
		r := took[0].over(took[1])
		t.Row(res, r)
		w.claim(took[0].within("time of all countries, cells of "+res, 50*time.Millisecond, r, "point in polygon"))
		rows = append(rows, r.row("cells of "+res, ""))
	}
	s.Short("the countries of the world take %s of the time of a point-in-polygon test for each %dth city near them, at the finest cells.", report.Num(rows[len(rows)-1].At), every)
	s.Rows("ratio", "Time of the sums of all countries as a part of a point-in-polygon test's.", "time / point in polygon", rows)
}

// every is which cities the point-in-polygon test is for: for all it takes
// seconds.
const every = 20

// insideOf looks for the points in each polygon.
func insideOf(polygons []string, xs, ys []float64) {
	for _, text := range polygons {
		p := report.Must(grid.ParsePolygon([]byte(text)))
		bound := p.Bound()
		inside := 0
		for i := 0; i < len(xs); i += every {
			if at := (orb.Point{xs[i], ys[i]}); bound.Contains(at) && planar.MultiPolygonContains(p, at) {
				inside++
			}
		}
		keep(inside)
	}
}

// levels sums countries, and squares down to a cell, over a dense sketch of the
// cities with levels and over one without.
func levels(c report.Config, s *report.Section) {
	db := world(c)
	defer db.Close()
	run(db, `CREATE TABLE s AS
		SELECT ccbf_agg(lon, lat, 0.01, {exact: false}) AS plain, ccbf_agg(lon, lat, 0.01, {exact: false, levels: 8}) AS levels FROM cities`)
	countries := column[string](db, "SELECT g FROM c")
	countries = countries[:len(countries)/report.Pick(c, 5, 10, 1)]
	sides := report.Pick(c, []int{1, 8}, []int{1, 4, 16, 64}, []int{1, 2, 4, 8, 12, 16, 24, 32, 64, 256})
	w := newStopwatch(c, s)
	s.Text("Sums over a dense sketch of a megabyte with 8 levels, and over one without levels, where every cell inside is looked up. Cells are 0.01 degrees; the points are the cities.")
	t := s.Table("areas", "time with levels / without")
	var rows []report.Row
	// In queries of their own: together they have more cells than one may ask for.
	what := fmt.Sprintf("%d countries", len(countries))
	took := w.inTurn(what, sums(db, "levels", countries), sums(db, "plain", countries))
	t.Row(what, took[0].over(took[1]))
	rows = append(rows, took[0].over(took[1]).row(what, ""))
	faster := took[1].over(took[0])
	w.claim(faster.atLeast("speed of country sums, dense, with levels / without", 20))
	var small []claim
	for _, side := range sides {
		const squares = `CREATE OR REPLACE TABLE q AS SELECT format('POLYGON(({0} {1},{2} {1},{2} {3},{0} {3},{0} {1}))', x, y, x + d, y + d) g
			FROM (SELECT (hash(i) %% 300000) / 1000 - 150 AS x, (hash(i, 1) %% 90000) / 1000 - 40 AS y, %d / 100 AS d FROM range(1000) t(i))`
		run(db, fmt.Sprintf(squares, side))
		what := fmt.Sprintf("1,000 squares of %d x %[1]d cells", side)
		took := w.inTurn(what, query(db, "levels", "SELECT sum(ccbf_polygon_sum(levels, g)) FROM q, s"), query(db, "plain", "SELECT sum(ccbf_polygon_sum(plain, g)) FROM q, s"))
		r := took[0].over(took[1])
		t.Row(what, r)
		rows = append(rows, r.row(what, ""))
		if side <= 8 {
			small = append(small, r.atMost("time of "+what+", the worst of the small ones, with levels / without", 1))
		}
	}
	w.claim(worst(small))
	s.Short("with levels %s are summed %s times as fast.", what, faster)
	s.Rows("ratio", "Time of sums with levels as a part of the time without.", "time with levels / without", rows)
}

// sums asks one column for polygons, one by one.
func sums(db *sql.DB, column string, polygons []string) contender {
	return contender{name: column, run: func() {
		ask := report.Must(db.Prepare("SELECT ccbf_polygon_sum(" + column + ", ?) FROM s"))
		defer ask.Close()
		for _, p := range polygons {
			var sum uint64
			report.Check(ask.QueryRow(p).Scan(&sum))
		}
	}}
}

// places asks for very many places and boxes of one sketch.
func places(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	points := crimes(c)
	n, boxes := report.Pick(c, 20_000, 500_000, 2_000_000), report.Pick(c, 20, 200, 1000)
	run(db, "CREATE TABLE p AS "+points,
		"CREATE TABLE s AS SELECT ccbf_agg(lon, lat, 0.001) AS exact, ccbf_agg(lon, lat, 0.001, {exact: false}) AS dense FROM p",
		"CREATE TABLE counted AS SELECT floor(lon / 0.001)::BIGINT x, floor(lat / 0.001)::BIGINT y, count(*) n FROM p GROUP BY ALL",
		fmt.Sprintf("CREATE TABLE q AS SELECT lon, lat FROM p, range(%d) t(i) ORDER BY hash(p.rowid, i) LIMIT %d", 1+n/50_000, n),
		// A hundred cells wide and high, in the middle of England: edges, and the cells between.
		fmt.Sprintf(`CREATE TABLE boxes AS SELECT x * 0.001 AS x0, y * 0.001 AS y0, (x + 100) * 0.001 AS x1, (y + 100) * 0.001 AS y1, x AS "left", y AS bottom, x + 99 AS "right", y + 99 AS top
			FROM (SELECT (hash(i) %% 3000)::BIGINT - 3000 AS x, (hash(i, 1) %% 3000)::BIGINT + 51000 AS y FROM range(%d) t(i))`, boxes),
		"CREATE TABLE box AS FROM boxes LIMIT 1")
	w := newStopwatch(c, s)
	s.Text("Points are the UK crimes in cells of 0.001 degrees: an exact sketch, a dense one of a megabyte, and the exact table of cells and counts. %d places are drawn from the points; boxes are 0.1 by 0.1 degrees, in the middle of England. The table is joined by equality for places, by comparison for boxes. Places by tile are looked up in one sketch per map tile of zoom 11, places by category in one sketch of points with a random category each. DuckDB copies a sketch that all rows share once for each 2,048 rows, and less often if it is a variable.", n)
	t := s.Table("question", "sketch", "time / exact table")
	var rows []report.Row
	for _, q := range []struct {
		what, table string
		ours        string     // with the sketch to be filled in
		limits      [2]float64 // what is promised, exact and dense; 0 for nothing
	}{
		{fmt.Sprintf("%d places", n), "SELECT sum(n) FROM q JOIN counted ON floor(lon / 0.001) = x AND floor(lat / 0.001) = y",
			"SELECT sum(ccbf_get(%s, lon, lat)) FROM q, s", [2]float64{1, 1}},
		{"1 box", inBoxes("box"), "SELECT sum(ccbf_bbox_sum(%s, x0, y0, x1, y1)) FROM box, s", [2]float64{}},
		{fmt.Sprintf("%d boxes", boxes), inBoxes("boxes"), "SELECT sum(ccbf_bbox_sum(%s, x0, y0, x1, y1)) FROM boxes, s", [2]float64{25. / 460, 280. / 460}},
	} {
		exact, dense := fmt.Sprintf(q.ours, "exact"), fmt.Sprintf(q.ours, "dense")
		agree(db, q.table, exact)
		took := w.inTurn(q.what, query(db, "exact table", q.table), query(db, "exact sketch", exact), query(db, "dense sketch", dense))
		for i, form := range []string{"exact", "dense"} {
			r := took[i+1].over(took[0])
			t.Row(q.what, form, r)
			if q.limits[i] > 0 {
				w.claim(r.atMost(fmt.Sprintf("time of %s, %s sketch / exact table", q.what, form), q.limits[i]))
			}
			rows = append(rows, r.row(q.what, form))
		}
	}
	rows = append(rows, manyPlaces(db, c, w, t, n)...)
	rows = append(rows, lookupRate(c, w))
	s.Short("very many places take %s of the time of a join with the exact table from a dense sketch, %s from an exact one; very many boxes %s and %s.",
		report.Num(rows[1].At), report.Num(rows[0].At), report.Num(rows[5].At), report.Num(rows[4].At))
	s.Rows("ratio", "Time of questions to one sketch as a part of the exact table's.", "time / exact table", rows)
}

// inBoxes is the exact query for the sum over boxes.
func inBoxes(table string) string {
	return "SELECT coalesce(sum(n), 0) FROM counted, " + table + ` WHERE x BETWEEN "left" AND "right" AND y BETWEEN bottom AND top`
}

// agree is an error where queries differ in their only number.
func agree(db *sql.DB, queries ...string) {
	want := number(db, queries[0])
	for _, q := range queries[1:] {
		n := number(db, q)
		report.Require(n == want, "%v is the answer to %s\nand %v to %s", want, queries[0], n, q)
	}
}

// lookupRate is for the promise of lookups in a constant dense sketch of a
// megabyte, on one thread, beside a join with the exact table.
func lookupRate(c report.Config, w stopwatch) report.Row {
	db := open(1)
	defer db.Close()
	n := report.Pick(c, 20_000, 1_000_000, 10_000_000)
	const made = "SELECT (hash(i, 1) % 4096)::DOUBLE x, (hash(i, 2) % 4096)::DOUBLE y FROM range(150000) t(i)"
	run(db, "CREATE TABLE s AS SELECT ccbf_agg(x, y, 1, {exact: false}) s FROM ("+made+")",
		"CREATE TABLE counted AS SELECT x, y, count(*) n FROM ("+made+") GROUP BY ALL",
		fmt.Sprintf("CREATE TABLE p AS SELECT (hash(i, 3) %% 4096)::DOUBLE x, (hash(i, 4) %% 4096)::DOUBLE y FROM range(%d) t(i)", n))
	took := w.inTurn(fmt.Sprintf("%d lookups, 1 thread", n), query(db, "ccbf_get", "SELECT sum(ccbf_get(s, x, y)) FROM p, s"), query(db, "join", "SELECT sum(n) FROM p JOIN counted USING (x, y)"))
	r := took[0].over(took[1])
	w.claim(took[0].rate("time of `ccbf_get`, constant dense sketch of 1 MiB, 1 thread", "at least 15 million a second", float64(n), 15e6, r, "a join"))
	return r.row("places, few of them there, 1 thread", "dense")
}

// manySketches asks many sketches about one area, beside the exact query over
// the table that has been counted before.
func manySketches(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	run(db, "CREATE TABLE p AS "+crimes(c))
	w := newStopwatch(c, s)
	ofDays := days(db, w)
	ofTiles := tiles(db, w)
	ofBoxes := boxes(db, w)
	s.Short("a county over 365 daily sketches takes %s times the exact query over counted cells if they are merged first, %s times if each is queried.", report.Num(ofDays[0].At), report.Num(ofDays[1].At))
	s.Rows("ratio", "Time of one area over many sketches, beside the exact query (days, boxes) and beside those that matter (tiles).", "time / reference", slices.Concat(ofDays, ofTiles, ofBoxes))
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
	w.s.Text("**Days.** A county over 365 sketches, one for each day, drawn at random; the reference is the exact query over the table of days, cells and counts, which is given the cells inside.")
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
	w.s.Text("**Tiles.** A town in %d of %d sketches, one for each map tile of zoom 11; the reference queries only those of the town.", near, all)
	t := w.s.Table("tiles asked", "time / those that matter")
	t.Row("all", took[1].over(took[0]))
	t.Row("those that overlap the town's box", took[2].over(took[0]))
	return []report.Row{took[1].over(took[0]).row("all tiles / those that matter", ""), took[2].over(took[0]).row("tiles with ccbf_bbox_overlaps / those that matter", "")}
}
