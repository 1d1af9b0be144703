package main

import (
	"fmt"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// drawing is a question of maps, and the exact table's answer to it.
type drawing struct {
	what, ours, exact string
	limit             time.Duration // that was promised; 0 for none
}

// drawings are the questions about an area; London's centre has cells that are
// larger than pixels.
func drawings(res, threshold string) []drawing {
	const country, city = "-6.5, 49.8, 2.0, 55.9", "-0.15, 51.49, -0.09, 51.53"
	within := " WHERE (x + 0.5) * " + res + " BETWEEN -6.5 AND 2.0 AND (y + 0.5) * " + res + " BETWEEN 49.8 AND 55.9"
	// One number for each pixel in which a cell's centre lies.
	pixels := "SELECT count(*) FROM (SELECT floor(((x + 0.5) * " + res + " + 6.5) / 8.5 * 1024) AS i, floor((55.9 - (y + 0.5) * " + res + ") / 6.1 * 1024) AS j, sum(n) AS n FROM counted" + within + " GROUP BY i, j)"
	return []drawing{
		{"cells of " + threshold + " points or more", "SELECT len(ccbf_hotspots(%s, " + country + ", " + threshold + ")) FROM s", "SELECT count(*) FROM (SELECT x, y, n FROM counted" + within + " AND n >= " + threshold + " ORDER BY n DESC)", 50 * time.Millisecond},
		{"the 100 largest cells", "SELECT len(ccbf_top_k(%s, " + country + ", 100)) FROM s", "SELECT count(*) FROM (SELECT x, y, n FROM counted" + within + " ORDER BY n DESC LIMIT 100)", 50 * time.Millisecond},
		{"raster of 1024 x 1024", "SELECT len(ccbf_raster(%s, " + country + ", 1024, 1024)) FROM s", pixels, 0},
		{"PNG of 1024 x 1024", "SELECT octet_length(ccbf_png(%s, " + country + ", 1024, 1024)) FROM s", pixels, 150 * time.Millisecond},
		{"PNG of 1024 x 1024, a city", "SELECT octet_length(ccbf_png(%s, " + city + ", 1024, 1024)) FROM s", pixels, 150 * time.Millisecond},
	}
}

// maps lists the largest cells of the whole country, and draws it, from one
// sketch of a megabyte.
func maps(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	run(db, "CREATE TABLE p AS "+crimes(c))
	s.Text("One sketch of the UK crimes, exact or dense with 12 levels in a megabyte, and the exact table of cells and counts. The table's answer to a picture is one number for each pixel of the country; it draws nothing.")
	t := s.Table("cells", "question", "exact sketch / table", "dense sketch / table")
	var rows []report.Row
	claims := make([][]claim, len(drawings("", "")))
	w := newStopwatch(c, s, 2*len(claims))
	for _, r := range []struct{ res, threshold string }{{"0.01", "500"}, {"0.001", "100"}} {
		run(db, fmt.Sprintf(`CREATE OR REPLACE TABLE s AS
			SELECT ccbf_agg(lon, lat, %[1]s) AS exact, ccbf_agg(lon, lat, %[1]s, {exact: false, levels: 12}) AS dense FROM p`, r.res),
			fmt.Sprintf("CREATE OR REPLACE TABLE counted AS SELECT floor(lon / %[1]s)::BIGINT x, floor(lat / %[1]s)::BIGINT y, count(*) n FROM p GROUP BY ALL", r.res))
		for i, d := range drawings(r.res, r.threshold) {
			exact := fmt.Sprintf(d.ours, "exact")
			if i == 0 {
				agree(db, d.exact, exact)
			}
			what := d.what + ", cells of " + r.res
			took := w.inTurn(what, query(db, "exact table", d.exact), query(db, "exact sketch", exact), query(db, "dense sketch", fmt.Sprintf(d.ours, "dense")))
			ratios := [2]ratio{took[1].over(took[0]), took[2].over(took[0])}
			t.Row(r.res, d.what, ratios[0], ratios[1])
			for form, name := range []string{"exact", "dense"} {
				rows = append(rows, ratios[form].row(what, name))
				if d.limit > 0 {
					judged := took[form+1].within("time of "+what+", "+name+" sketch, the slowest of four", d.limit, ratios[form], "the exact table")
					if name == "dense" && r.res == "0.001" {
						judged = judged.because("so many cells with 12 levels are too much for a megabyte: most places without points seem to have some")
					}
					claims[i] = append(claims[i], judged)
				}
			}
		}
	}
	for _, of := range claims {
		if of != nil {
			w.claim(worst(of))
		}
	}
	s.Short("a picture of the country takes %s of the exact table's time for its pixels from an exact sketch, %s from a dense one (cells of 0.01 degrees).", report.Num(rows[6].At), report.Num(rows[7].At))
	s.Rows("ratio", "Time of questions of maps as a part of the exact table's.", "time / exact table", rows)
}
