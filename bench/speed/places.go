package main

import (
	"database/sql"
	"fmt"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// manyPlaces asks for n places of q: of a sketch for each map tile, and of one with
// categories, a category each. The table is joined by tile or category and by cell.
func manyPlaces(db *sql.DB, c report.Config, w stopwatch, t *report.Table, n int) []report.Row {
	few, many := 487, report.Pick(c, 1000, 5000, 5000)
	run(db,
		fmt.Sprintf("CREATE TABLE named AS SELECT lon, lat, quadkey(lon, lat, 11) AS tile, (hash(rowid, 5) %% %d)::INT AS few, 'c' || hash(rowid, 6) %% %d AS many FROM p", few, many),
		fmt.Sprintf("CREATE TABLE asked AS SELECT lon, lat, tile, few, many FROM named, range(%d) t(i) ORDER BY hash(lon, lat, few, i) LIMIT %d", 1+n/50_000, n),
		"CREATE TABLE ofTiles AS SELECT tile, ccbf_agg(lon, lat, 0.001) AS s FROM named GROUP BY tile",
		"CREATE TABLE ofKinds AS SELECT ccbf_agg(lon, lat, 0.001, {bytes: 16000000, category: few}) AS few, ccbf_agg(lon, lat, 0.001, {bytes: 16000000, category: many}) AS many FROM named",
		"SET VARIABLE few = (SELECT few FROM ofKinds)", "SET VARIABLE many = (SELECT many FROM ofKinds)")
	var rows []report.Row
	for _, q := range []struct{ what, by, ours string }{
		{"places, by tile", "tile", "SELECT sum(ccbf_get(s, lon, lat)) FROM asked JOIN ofTiles USING (tile)"},
		{fmt.Sprintf("places, by %d categories", few), "few", "SELECT sum(ccbf_get(s.few, lon, lat, q.few)) FROM asked q, ofKinds s"},
		{fmt.Sprintf("places, by %d categories, the sketch in a variable", few), "few", "SELECT sum(ccbf_get(getvariable('few'), lon, lat, few)) FROM asked"},
		{fmt.Sprintf("places, by %d categories", many), "many", "SELECT sum(ccbf_get(s.many, lon, lat, q.many)) FROM asked q, ofKinds s"},
		{fmt.Sprintf("places, by %d categories, the sketch in a variable", many), "many", "SELECT sum(ccbf_get(getvariable('many'), lon, lat, many)) FROM asked"},
	} {
		run(db, "CREATE OR REPLACE TABLE countedBy AS SELECT "+q.by+" AS k, floor(lon / 0.001)::BIGINT x, floor(lat / 0.001)::BIGINT y, count(*) n FROM named GROUP BY ALL")
		table := "SELECT sum(n) FROM asked JOIN countedBy ON " + q.by + " = k AND floor(lon / 0.001) = x AND floor(lat / 0.001) = y"
		agree(db, table, q.ours)
		took := w.inTurn(q.what, query(db, "exact table", table), query(db, "exact sketch", q.ours))
		r := took[1].over(took[0])
		t.Row(q.what, "exact", r)
		w.claim(r.atMost(fmt.Sprintf("time of %d %s / exact table", n, q.what), 1))
		rows = append(rows, r.row(q.what, "exact"))
	}
	return rows
}
