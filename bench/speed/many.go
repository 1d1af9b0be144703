package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// manySketches asks many sketches about one area, beside the exact query over the table that
// has been counted before.
func manySketches(b *bench) {
	b.run("CREATE TABLE p AS " + crimes(b.c))
	b.days()
	b.tiles()
	b.boxes()
}

// around is an outline of 60 corners around a place, so many times 0.9 by 0.5 degrees.
func around(lon, lat, size float64) string {
	var corners []string
	for i := range 61 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%60) / 60)
		d := size * (0.85 + 0.15*math.Sin(float64(i%60)*1.7))
		corners = append(corners, fmt.Sprintf("%.6f %.6f", lon+0.45*d*cos, lat+0.25*d*sin))
	}
	return "POLYGON ((" + strings.Join(corners, ", ") + "))"
}

// daily makes a sketch and a table for each day. The UK file knows months only, so the days are drawn.
func (b *bench) daily(day string) {
	b.run("CREATE OR REPLACE TABLE dated AS SELECT lon, lat, "+day+" AS day FROM p",
		"CREATE OR REPLACE TABLE days AS SELECT day, ccbf_agg(lon, lat, 0.001) s FROM dated GROUP BY day",
		"CREATE OR REPLACE TABLE counted AS SELECT day, floor(lon / 0.001)::BIGINT x, floor(lat / 0.001)::BIGINT y, count(*) n FROM dated GROUP BY ALL")
}

// days sums a county over 365 sketches, one for each day.
func (b *bench) days() {
	b.daily("hash(rowid) % 365")
	b.run("CREATE TABLE county AS SELECT '"+around(-2.9, 53.45, 1)+"' g",
		// The cells whose centres lie in the county: a line from there to the east
		// crosses an odd number of its edges. They are known before the clock starts.
		`CREATE TABLE inside AS
			WITH corners AS (SELECT split_part(c, ' ', 1)::DOUBLE x, split_part(c, ' ', 2)::DOUBLE y, i
				FROM (SELECT unnest(string_split(g[11:-3], ', ')) c, generate_subscripts(string_split(g[11:-3], ', '), 1) i FROM county)),
			edges AS (SELECT a.x x0, a.y y0, b.x x1, b.y y1 FROM corners a JOIN corners b ON b.i = a.i + 1)
			SELECT x, y FROM (SELECT DISTINCT x, y, (x + 0.5) * 0.001 cx, (y + 0.5) * 0.001 cy FROM counted), edges
			GROUP BY x, y, cx, cy HAVING count(*) FILTER ((y0 > cy) <> (y1 > cy) AND cx < x0 + (cy - y0) * (x1 - x0) / (y1 - y0)) % 2 = 1`,
		"CREATE TABLE bounds AS SELECT min(x) x0, max(x) x1, min(y) y0, max(y) y1 FROM inside")
	const (
		exact = `SELECT sum(n) FROM counted SEMI JOIN inside USING (x, y)
			WHERE x BETWEEN (SELECT x0 FROM bounds) AND (SELECT x1 FROM bounds) AND y BETWEEN (SELECT y0 FROM bounds) AND (SELECT y1 FROM bounds)`
		merged = "SELECT ccbf_polygon_sum(ccbf_union_agg(s), any_value(g)) FROM days, county"
		each   = "SELECT sum(ccbf_polygon_sum(s, g)) FROM days, county"
	)
	agree(b.db, exact, merged, each)
	r := b.compare("county over 365 days / exact query", report.At{"over": "days"}, b.query("exact query", exact), b.query("merged", merged), b.query("one by one", each))
	b.promise(r[0].within("time of a county over 365 days, merged and summed", 100*time.Millisecond, "the exact query").because("merging reads every cell of every day, near the county or not"))
}

// tiles sums a town over one sketch for each map tile, most of which lie elsewhere.
func (b *bench) tiles() {
	b.run("CREATE TABLE tiles AS SELECT quadkey(lon, lat, 11) tile, ccbf_agg(lon, lat, 0.001) s FROM p GROUP BY tile",
		"CREATE TABLE town AS SELECT '"+around(-2.9, 53.45, 0.5)+"' g, -3.125 x0, 53.325 y0, -2.675 x1, 53.575 y1",
		"CREATE TABLE near AS SELECT s FROM tiles, town WHERE ccbf_bbox_overlaps(s, x0, y0, x1, y1)")
	const (
		those    = "SELECT sum(ccbf_polygon_sum(s, g)) FROM near, town"
		asked    = "SELECT sum(ccbf_polygon_sum(s, g)) FROM tiles, town"
		overlaps = asked + " WHERE ccbf_bbox_overlaps(s, x0, y0, x1, y1)"
	)
	agree(b.db, those, asked, overlaps)
	b.Set("all", number(b.db, "SELECT count(*) FROM tiles"), "near", number(b.db, "SELECT count(*) FROM near"))
	b.compare("town over tiles / those that matter", report.At{"over": "tiles", "way": "one by one"}, b.query("those in it", those), b.query("all", asked))
	b.compare("town over tiles, ccbf_bbox_overlaps / those that matter", report.At{"over": "tiles", "way": "one by one"}, b.query("those in it", those), b.query("those that overlap it", overlaps))
}

// dailySketches is how many sketches one box is asked of.
const dailySketches = 487

// boxes sums a box over daily sketches.
func (b *bench) boxes() {
	b.daily(fmt.Sprintf("hash(rowid, 7) %% %d", dailySketches))
	b.Set("sketches", dailySketches)
	var each, merged []claim
	for _, box := range []struct {
		what                     string
		west, south, east, north int // in cells
	}{
		{"30 x 30", -120, 51_490, -90, 51_520},
		{"450 x 250", -3_125, 53_325, -2_675, 53_575},
		{"3,000 x 3,000", -3_000, 51_000, 0, 54_000},
	} {
		// A quarter of a cell off the edges, so that rounding cannot move them.
		degrees := func(cell int) float64 { return float64(cell)/1000 + 0.00025 }
		bounds := fmt.Sprintf("%.5f, %.5f, %.5f, %.5f", degrees(box.west), degrees(box.south), degrees(box.east), degrees(box.north))
		exact := fmt.Sprintf("SELECT coalesce(sum(n), 0) FROM counted WHERE x BETWEEN %d AND %d AND y BETWEEN %d AND %d", box.west, box.east-1, box.south, box.north-1)
		one, all := "SELECT sum(ccbf_bbox_sum(s, "+bounds+")) FROM days", "SELECT ccbf_bbox_sum(ccbf_union_agg(s), "+bounds+") FROM days"
		agree(b.db, exact, one, all)
		r := b.compare("box of "+box.what+" cells over days / exact query", report.At{"box": box.what}, b.query("exact query", exact), b.query("one by one", one), b.query("merged", all))
		each = append(each, r[0].atMost(fmt.Sprintf("time of a box over %d days, each sketch asked / exact query, slowest: %s cells", dailySketches, box.what), 1))
		merged = append(merged, r[1].atMost(fmt.Sprintf("time of a box over %d days, merged first / exact query, slowest: %s cells", dailySketches, box.what), 1.5))
	}
	b.promise(worst(each).because("a box that cuts most blocks decodes most cells"))
	b.promise(worst(merged).because("merging decodes, sorts and writes every cell of every day, in the box or not"))
}
