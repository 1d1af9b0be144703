package main

import (
	"database/sql"
	"fmt"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

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
	w := newStopwatch(c, s, 4)
	s.Text("Points are the UK crimes in cells of 0.001 degrees: an exact sketch, a dense one of a megabyte, and the exact table of cells and counts. %d places are drawn from the points; boxes are 0.1 by 0.1 degrees, in the middle of England. The table is joined by equality for places, by comparison for boxes.", n)
	t := s.Table("question", "sketch", "time / exact table")
	var rows []report.Row
	for _, q := range []struct {
		what, table string
		ours        string     // with the sketch to be filled in
		limits      [2]float64 // docs/LIMITS.md's figures, exact and dense; 0 for none
	}{
		{fmt.Sprintf("%d places", n), "SELECT sum(n) FROM q JOIN counted ON floor(lon / 0.001) = x AND floor(lat / 0.001) = y",
			"SELECT sum(ccbf_get(%s, lon, lat)) FROM q, s", [2]float64{555. / 40, 95. / 40}},
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
