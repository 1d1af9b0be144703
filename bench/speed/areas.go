package main

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// polygons sums countries over an exact sketch of the cities.
func polygons(c report.Config, s *report.Section) {
	db := world(c)
	defer db.Close()
	countries := column[string](db, "SELECT g FROM c")
	xs, ys := coordinates(db, "cities")
	resolutions := report.Pick(c, []string{"0.1", "0.01"}, []string{"0.1", "0.01", "0.001"}, []string{"0.1", "0.01", "0.001"})
	w := newStopwatch(c, s, len(resolutions))
	s.Text("`sum(ccbf_polygon_sum(s, g))` of %d countries as GeoJSON over one exact sketch of %d cities, beside asking for each %dth city in a country's bounding box whether it lies inside, with orb's planar package on one thread, GeoJSON read by the same parser.", len(countries), len(xs), every)
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
	w := newStopwatch(c, s, 1+len(sides))
	s.Text("Sums over a dense sketch of a megabyte with 8 levels, and over one without, which asks for every cell inside. Cells are 0.01 degrees; the points are the cities.")
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
