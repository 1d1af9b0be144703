package main

import (
	"database/sql"
	"fmt"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// points are a table of coordinates, x and y.
type points struct {
	table, what string
	res         float64
	limit       float64 // that was promised for ccbf_agg beside the exact GROUP BY
}

// exactCells counts the points of each cell in a table of that name.
func (p points) exactCells(name string) string {
	return fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT floor(x / %v) AS cx, floor(y / %[2]v) AS cy, count(*) AS n FROM %s GROUP BY ALL", name, p.res, p.table)
}

// aggregate builds one sketch of real and of skewed points.
func aggregate(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	data := aggregated(db, c)
	w := newStopwatch(c, s, len(data))
	s.Text("`ccbf_agg` with its default options, and with `exact: false`, beside `SELECT floor(x / res), floor(y / res), count(*) ... GROUP BY ALL` and beside " +
		"`approx_count_distinct` of the cells, which keeps nothing but an estimate of their number. A sketch that outgrows a megabyte becomes dense.")
	t := s.Table("points", "how many", "in cells", "form", "ccbf_agg / GROUP BY", "dense ccbf_agg / GROUP BY", "approx_count_distinct / GROUP BY", "its error")
	var rows []report.Row
	ratios := map[string]ratio{}
	for _, p := range data {
		const cell = "floor(x / %v) * 4294967296 + floor(y / %[1]v)"
		took := w.inTurn(p.what,
			query(db, "ccbf_agg", fmt.Sprintf("CREATE OR REPLACE TEMP TABLE a AS SELECT ccbf_agg(x, y, %v) AS s FROM %s", p.res, p.table)),
			query(db, "exact GROUP BY", p.exactCells("b")),
			query(db, "ccbf_agg, dense", fmt.Sprintf("CREATE OR REPLACE TEMP TABLE d AS SELECT ccbf_agg(x, y, %v, {exact: false}) AS s FROM %s", p.res, p.table)),
			query(db, "approx_count_distinct", fmt.Sprintf("CREATE OR REPLACE TEMP TABLE e AS SELECT approx_count_distinct("+cell+") AS n FROM %s", p.res, p.table)))
		var n, cells, estimate int
		var form string
		report.Check(db.QueryRow("SELECT (SELECT sum(n)::BIGINT FROM b), (SELECT count(*) FROM b), (SELECT n FROM e), (SELECT (ccbf_info(s)).encoding FROM a)").Scan(&n, &cells, &estimate, &form))
		ours := took[0].over(took[1])
		t.Row(p.what, n, cells, form, ours, took[2].over(took[1]), took[3].over(took[1]), report.Percent(float64(estimate)/float64(cells)-1))
		w.claim(ours.atMost("time of `ccbf_agg` / exact GROUP BY, "+p.what, p.limit))
		ratios[p.table] = ours
		rows = append(rows, ours.row(p.what, "ccbf_agg"), took[2].over(took[1]).row(p.what, "ccbf_agg, dense"), took[3].over(took[1]).row(p.what, "approx_count_distinct"))
	}
	s.Short("`ccbf_agg` takes %s of the time of the exact GROUP BY on the real points as they are filed, %s on points of Zipf's law.", ratios["filed"], ratios["ranks"])
	s.Rows("ratio", "Time of ccbf_agg, of its dense form, and of approx_count_distinct, as a part of the exact GROUP BY's.", "time / exact GROUP BY", rows)
}

// aggregated makes the tables of aggregate: the UK's crimes in two orders, and
// points with three kinds of skew.
func aggregated(db *sql.DB, c report.Config) []points {
	uk := crimes(c)
	n := report.Pick(c, 20_000, 1_000_000, 10_000_000)
	// u^-5 inverts the distribution function of ranks with P(r) ~ r^-1.2; a
	// rank is put on the grid by a multiplication modulo 2^24.
	const rank = "floor(((%d::DOUBLE ^ -0.2 - 1) * ((hash(i, %d) %% 1000000007) / 1000000007.0) + 1) ^ -5)"
	cell := fmt.Sprintf(rank, 1<<24, 1)
	axis := func(seed int) string { return fmt.Sprintf(rank, 4097, seed) }
	run(db,
		"CREATE TABLE filed AS SELECT lon AS x, lat AS y FROM ("+uk+")",
		"CREATE TABLE shuffled AS FROM filed ORDER BY hash(rowid)",
		fmt.Sprintf("CREATE TABLE ranks AS SELECT (k %% 4096)::DOUBLE x, (k // 4096)::DOUBLE y FROM (SELECT (%s::UBIGINT * 2654435761 %% 16777216)::BIGINT k FROM range(%d) t(i))", cell, n),
		fmt.Sprintf("CREATE TABLE axes AS SELECT (%s * 1597 %% 4096)::DOUBLE x, (%s * 2971 %% 4096)::DOUBLE y FROM range(%d) t(i)", axis(2), axis(3), n),
		fmt.Sprintf("CREATE TABLE spread AS SELECT (((hash(i, 4) %% 4096) / 4096.0) ^ 1.7 * 4096)::DOUBLE x, ((hash(i, 5) %% 4194304) / 1024.0)::DOUBLE y FROM range(%d) t(i)", n),
	)
	return []points{
		{"filed", "UK crimes, as filed", 0.001, 1.0},
		{"shuffled", "UK crimes, shuffled", 0.001, 1.0},
		{"ranks", "Zipf 1.2 by cell", 1, 0.8},
		{"axes", "Zipf 1.2 by axis", 1, 0.8},
		{"spread", "little skew", 1, 0.8},
	}
}

// groups builds very many small sketches.
func groups(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	n := report.Pick(c, 2_000, 100_000, 1_000_000)
	table := fmt.Sprintf(`CREATE TABLE p AS SELECT (i %% %d)::INTEGER g, ((hash(i, 1) %% 10000) / 1000.0)::DOUBLE x, ((hash(i, 2) %% 10000) / 1000.0)::DOUBLE y
		FROM (SELECT i FROM range(%d) t(i) ORDER BY hash(i))`, n, 5*n)
	run(db, table)
	const (
		ours  = "SELECT count(s) FROM (SELECT g, ccbf_agg(x, y, 1) s FROM p GROUP BY g) WHERE octet_length(s) > 0"
		exact = "SELECT count(n) FROM (SELECT g, floor(x / 1) x, floor(y / 1) y, count(*) n FROM p GROUP BY ALL) WHERE n > 0"
		count = "SELECT count(n) FROM (SELECT g, count(*) n FROM p GROUP BY g) WHERE n > 0"
	)
	w := newStopwatch(c, s, 2)
	took := w.inTurn("groups", query(db, "ccbf_agg", ours), query(db, "exact GROUP BY group, cell", exact), query(db, "count(*)", count))
	peaks := make(map[string]ratio) // bytes a group
	runs := min(w.rounds, 5)        // each a process that makes its table first
	for range runs {
		for _, q := range []string{ours, exact, count} {
			peaks[q] = append(peaks[q], peak(q, table)/float64(n))
		}
	}
	w.s.Step()
	above, overExact := make(ratio, runs), make(ratio, runs)
	for i := range runs {
		above[i] = max(0, peaks[ours][i]-peaks[count][i])
		overExact[i] = peaks[ours][i] / peaks[exact][i]
	}
	byTime := took[0].over(took[1])
	w.claim(byTime.atMost("time of `ccbf_agg` / exact GROUP BY group, cell", 3))
	w.claim(above.atMost("bytes a group at the peak, above those of `count(*)`", 300))
	s.Short("%d sketches of five points take %s of the time of the exact GROUP BY of groups and cells, and %s bytes a group above what DuckDB needs for the groups alone.", n, byTime, report.Num(above.median()))
	s.Text("%d groups of 5 points each, in random order; the peak is that of resident memory in a process of its own, %d times.", n, runs)
	t := s.Table("groups", "time / exact GROUP BY", "time / count(*)", "peak / exact GROUP BY", "peak, bytes a group", "of count(*)")
	t.Row(n, byTime, took[0].over(took[2]), overExact, peaks[ours], peaks[count])
	s.Rows("ratio", "Time and peak of resident memory of ccbf_agg over many small groups.", "ccbf_agg / other", []report.Row{
		byTime.row("time / exact GROUP BY", ""), took[0].over(took[2]).row("time / count(*)", ""), overExact.row("peak / exact GROUP BY", "")})
}
