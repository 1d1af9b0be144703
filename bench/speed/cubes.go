package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// cube is points with attributes, as the papers on cubes of points have them: how many, where
// they are, and in which cells they are counted.
type cube struct {
	name       string
	points     int
	from       string // lon, lat and the attributes of the i-th of POINTS
	keys       string // the attributes
	res        string
	box, wide  string // a town or a quarter, and everything
	few, hours string // conditions on the attributes: of some rows, and of a third of the hours
}

// scattered is lon and lat around a centre, with a normal distribution of so many degrees
// (Box and Muller 1958).
func scattered(lon, lat, degrees string) string {
	return fmt.Sprintf(`%[1]s + %[3]s * sqrt(-2 * ln((hash(i, 1) %% 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 2) %% 1000000) / 1e6) AS lon,
		%[2]s + %[3]s * sqrt(-2 * ln((hash(i, 3) %% 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 4) %% 1000000) / 1e6) AS lat`, lon, lat, degrees)
}

// clock is an hour of the day: few at night, most in the evening.
const clock = "(4 + 20 * sqrt((hash(i, 5) % 100000) / 100000))::INTEGER % 24 AS hour"

// cubesOf are check-ins over the world, in 20,000 towns of which the r-th has points by
// 1/r, and pickups in one city.
func cubesOf(c report.Config) []cube {
	town := "(exp(ln(20000) * (hash(i, 7) % 1000000) / 1e6))::INTEGER"
	return []cube{
		{
			name: "check-ins", points: report.Pick(c, 45_000, 450_000, 4_500_000), keys: "hour, weekday", res: "0.001",
			from: "SELECT " + scattered("(hash(town, 8) % 300000) / 1000 - 150", "(hash(town, 9) % 110000) / 1000 - 50", "0.05") + ", hour, weekday FROM (SELECT i, " + town + " AS town, " + clock + ", (hash(i, 6) % 7)::INTEGER AS weekday FROM range(POINTS) t(i))",
			box:  "-10, 35, 30, 60", wide: "-180, -85, 180, 85", few: "weekday >= 5", hours: "hour BETWEEN 16 AND 23",
		},
		{
			name: "pickups", points: report.Pick(c, 245_000, 2_450_000, 24_500_000), keys: "hour", res: "0.0002",
			from: "SELECT " + scattered("-73.95 + (hash(i, 8) % 16) * 0.01", "40.66 + (hash(i, 9) % 20) * 0.01", "0.01") + ", hour FROM (SELECT i, " + clock + " FROM range(POINTS) t(i))",
			box:  "-73.96, 40.7, -73.9, 40.75", wide: "-74.1, 40.5, -73.6, 41", few: "hour BETWEEN 7 AND 9", hours: "hour BETWEEN 16 AND 23",
		},
	}
}

// answerOf is what an interactive map has time for, and what Pahins et al. (2017, abstract)
// measured themselves by.
const answerOf = 40 * time.Millisecond

// cubes asks sketches what Nanocubes and Hashedcubes are asked, on points of their sizes.
func cubes(c report.Config, s *report.Section) {
	dir := report.Must(os.MkdirTemp("", "ccbfsql-speed"))
	defer os.RemoveAll(dir)
	w := newStopwatch(c, s)
	s.Text(`Nanocubes (Lins, Klosowski and Scheidegger 2013, IEEE TVCG 19(12)) and Hashedcubes (Pahins, Stephens, Scheidegger and Comba 2017, IEEE TVCG 23(1)) hold points with attributes
in memory, so that a map, a histogram or a time series of any selection comes at once. Both are tried on 4.5 million check-ins of Brightkite, Hashedcubes also on 24.5 million pickups of green taxis. Here are seeded points of these numbers:
check-ins in 20,000 towns of the world, by hour of the day and weekday, in cells of 0.001 degrees, 168 exact sketches; pickups in one city, by hour of the day, in cells of 0.0002 degrees, 24 exact sketches. Beside them are the exact table of
cells, attributes and counts in memory, and what part of 40 ms an answer takes on the machine of the run: the abstract of Hashedcubes has it that about 2%% of its queries take longer than 40 ms, on hundreds of millions of points. What the papers say of bytes and of building times is in their
tables, of other machines and of the real points, and is not repeated here.`)
	sizes := s.Table("points", "how many", "cells with attributes", "sketches, bytes a point", "exact table in Parquet with zstd, bytes a point", "building / exact table")
	t := s.Table("points", "question", "of 40 ms", "time / exact table")
	var rows []report.Row
	var late int
	for _, q := range cubesOf(c) {
		db := open(2)
		run(db, "CREATE TABLE p AS "+strings.ReplaceAll(q.from, "POINTS", strconv.Itoa(q.points)))
		ours := fmt.Sprintf("CREATE OR REPLACE TABLE s AS SELECT %s, ccbf_agg(lon, lat, %s, {bytes: 67108864}) AS s FROM p GROUP BY ALL", q.keys, q.res)
		exact := fmt.Sprintf("CREATE OR REPLACE TABLE counted AS SELECT %s, floor(lon / %[2]s)::INTEGER AS x, floor(lat / %[2]s)::INTEGER AS y, count(*)::INTEGER AS n FROM p GROUP BY ALL", q.keys, q.res)
		built := inRounds(w, report.Pick(c, 1, 1, 3), q.name+", building", query(db, "exact table", exact), query(db, "sketches", ours))
		report.Require(number(db, "SELECT count(*) FROM s WHERE NOT (ccbf_info(s)).exact") == 0, "a sketch of %s is not exact", q.name)
		file := filepath.Join(dir, q.name+".parquet")
		run(db, fmt.Sprintf("COPY (FROM counted ORDER BY ALL) TO '%s' (COMPRESSION zstd)", file))
		n := float64(q.points)
		sizes.Row(q.name, q.points, number(db, "SELECT count(*) FROM counted"), number(db, "SELECT sum(octet_length(s)) FROM s")/n, float64(report.Must(os.Stat(file)).Size())/n, built[1].over(built[0]))
		for _, ask := range cubeQuestions(q) {
			agreeCubes(db, ask)
			took := w.inTurn(q.name+", "+ask.what, query(db, "exact table", ask.exact), query(db, "sketches", ask.ours))
			part := make(ratio, len(took[1]))
			for i, d := range took[1] {
				part[i] = float64(d) / float64(answerOf)
			}
			of := took[1].over(took[0])
			t.Row(q.name, ask.what, part, of)
			rows = append(rows, of.row(q.name+", "+ask.what, ""))
			if part.median() > 1 {
				late++
			}
			w.s.Keep("time of "+q.name+", "+ask.what, of)
		}
		report.Check(db.Close())
	}
	s.Text(`What they can and this cannot: their times hardly depend on how many rows a selection has, as sums over attributes are made beforehand, while here every chosen sketch is asked, so that a further attribute, or time in thousands of hours
instead of 24, means more rows, each with its own cells; Nanocubes have every zoom down to their finest one without a size of cells chosen at first; Hashedcubes lead from a selection to the original records, which sketches forget.
What this can and they cannot: areas are polygons, counted to the cell; rows are those of a database, joined, grouped, deleted and appended by SQL, and united in any order, from any machine; a sketch that would grow too large becomes one of bounded bytes whose counts have bounds that hold;
nothing has to be in memory, or built, before the first question.`)
	s.Short("of %d questions that cubes of points are for, %d take longer than 40 ms; %s takes %s of the exact table's time.", len(rows), late, rows[0].Name, report.Num(rows[0].At))
	s.Rows("ratio", "Time of questions as a part of the exact table's.", "time / exact table", rows)
}

// inRounds is inTurn of so many rounds, for what takes long.
func inRounds(w stopwatch, rounds int, what string, contenders ...contender) []sample {
	w.rounds = rounds
	return w.inTurn(what, contenders...)
}

// cubeQuestion is one for a cube, and the exact table's answer to it; same are two
// statements of one number each that agree.
type cubeQuestion struct {
	what, ours, exact string
	same              [2]string
}

// cubeQuestions are the three kinds: a picture of a selection, a histogram of an attribute
// over an area, and a count.
func cubeQuestions(q cube) []cubeQuestion {
	within := func(box string) string {
		return fmt.Sprintf("(x + 0.5) * %[1]s >= ([%[2]s])[1] AND (x + 0.5) * %[1]s < ([%[2]s])[3] AND (y + 0.5) * %[1]s >= ([%[2]s])[2] AND (y + 0.5) * %[1]s < ([%[2]s])[4]", q.res, box)
	}
	picture := func(what, box, rows string) cubeQuestion {
		return cubeQuestion{
			what:  what,
			ours:  fmt.Sprintf("SELECT octet_length(ccbf_png(ccbf_union_agg(s), %s, 512, 512)) FROM s WHERE %s", box, rows),
			exact: fmt.Sprintf("SELECT count(*) FROM (SELECT floor(((x + 0.5) * %[1]s - ([%[2]s])[1]) / (([%[2]s])[3] - ([%[2]s])[1]) * 512) AS i, floor((([%[2]s])[4] - (y + 0.5) * %[1]s) / (([%[2]s])[4] - ([%[2]s])[2]) * 512) AS j, sum(n) AS n FROM counted WHERE %[3]s AND %[4]s GROUP BY i, j)", q.res, box, within(box), rows),
			same: [2]string{
				fmt.Sprintf("SELECT ccbf_bbox_sum(ccbf_union_agg(s), %s) FROM s WHERE %s", box, rows),
				fmt.Sprintf("SELECT sum(n) FROM counted WHERE %s AND %s", within(box), rows),
			},
		}
	}
	histogram := fmt.Sprintf("SELECT hour, sum(ccbf_bbox_sum(s, %s)) AS n FROM s GROUP BY hour", q.box)
	counted := fmt.Sprintf("SELECT hour, sum(n) AS n FROM counted WHERE %s GROUP BY hour", within(q.box))
	sum := fmt.Sprintf("SELECT sum(ccbf_bbox_sum(s, %s)) FROM s WHERE %s", q.box, q.few)
	table := fmt.Sprintf("SELECT sum(n) FROM counted WHERE %s AND %s", within(q.box), q.few)
	largest := func(of string) string { return "SELECT max(n * 100 + hour) FROM (" + of + ")" }
	return []cubeQuestion{
		picture("picture of an area, some rows", q.box, q.few),
		picture("picture of an area, a third of the hours", q.box, q.hours),
		picture("picture of everything, all rows", q.wide, "true"),
		{"histogram of an area by hour", histogram, counted, [2]string{largest(histogram), largest(counted)}},
		{"count of an area, some rows", sum, table, [2]string{sum, table}},
	}
}

// agreeCubes checks that both say the same.
func agreeCubes(db *sql.DB, q cubeQuestion) {
	a, b := number(db, q.same[0]), number(db, q.same[1])
	report.Require(a == b && a > 0, "%s: %v, the exact table has %v", q.what, a, b)
}
