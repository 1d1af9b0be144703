package main

import (
	"database/sql"
	"fmt"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// dailySketches is how many sketches one box is asked of.
const dailySketches = 487

// boxes sums a box over daily sketches. The UK file knows months only, so that the days
// are drawn.
func boxes(db *sql.DB, w stopwatch) []report.Row {
	run(db,
		fmt.Sprintf("CREATE OR REPLACE TABLE dated AS SELECT lon, lat, hash(rowid, 7) %% %d AS day FROM p", dailySketches),
		"CREATE OR REPLACE TABLE days AS SELECT day, ccbf_agg(lon, lat, 0.001) s FROM dated GROUP BY day",
		"CREATE OR REPLACE TABLE counted AS SELECT day, floor(lon / 0.001)::BIGINT x, floor(lat / 0.001)::BIGINT y, count(*) n FROM dated GROUP BY ALL")
	w.s.Text("**Boxes.** A box over %d sketches, one for each day, drawn at random; the reference is the sum over the table of days, cells and counts.", dailySketches)
	t := w.s.Table("box, cells of 0.001", "each / exact query", "merged first / exact query")
	var rows []report.Row
	var each, merged []claim
	for _, b := range []struct {
		what                     string
		west, south, east, north int // in cells
	}{
		{"30 x 30", -120, 51_490, -90, 51_520},
		{"450 x 250", -3_125, 53_325, -2_675, 53_575},
		{"3,000 x 3,000", -3_000, 51_000, 0, 54_000},
	} {
		// A quarter of a cell off the edges, so that rounding cannot move them.
		box := fmt.Sprintf("%.5f, %.5f, %.5f, %.5f", float64(b.west)/1000+0.00025, float64(b.south)/1000+0.00025, float64(b.east)/1000+0.00025, float64(b.north)/1000+0.00025)
		exact := fmt.Sprintf("SELECT coalesce(sum(n), 0) FROM counted WHERE x BETWEEN %d AND %d AND y BETWEEN %d AND %d", b.west, b.east-1, b.south, b.north-1)
		one := "SELECT sum(ccbf_bbox_sum(s, " + box + ")) FROM days"
		all := "SELECT ccbf_bbox_sum(ccbf_union_agg(s), " + box + ") FROM days"
		agree(db, exact, one, all)
		took := w.inTurn("a box of "+b.what+" cells over days", query(db, "exact query", exact), query(db, "each", one), query(db, "merged", all))
		ofEach, ofMerged := took[1].over(took[0]), took[2].over(took[0])
		t.Row(b.what, ofEach, ofMerged)
		each = append(each, ofEach.atMost(fmt.Sprintf("time of a box over %d days, each sketch asked / exact query, slowest: %s cells", dailySketches, b.what), 1))
		merged = append(merged, ofMerged.atMost(fmt.Sprintf("time of a box over %d days, merged first / exact query, slowest: %s cells", dailySketches, b.what), 1.5))
		rows = append(rows, ofEach.row("box of "+b.what+" cells, each / exact query", ""), ofMerged.row("box of "+b.what+" cells, merged / exact query", ""))
	}
	w.claim(worst(each).because("a box that cuts most blocks decodes most cells"))
	w.claim(worst(merged).because("merging decodes, sorts and writes every cell of every day, in the box or not"))
	return rows
}
