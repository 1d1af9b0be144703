package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/duck"
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

// days sums a county over 365 sketches, one for each day.
func (b *bench) days() {
	b.make("daily", "hash(rowid) % 365")
	b.make("county", around(-2.9, 53.45, 1))
	const (
		merged = "SELECT ccbf_polygon_sum(ccbf_union_agg(s), any_value(g)) FROM days, county"
		each   = "SELECT sum(ccbf_polygon_sum(s, g)) FROM days, county"
	)
	exact := text("in the county", nil)
	agree(b.db, exact, merged, each)
	r := b.compare("county over 365 days / exact query", report.At{"over": "days"}, b.query("exact query", exact), b.query("merged", merged), b.query("one by one", each))
	b.promise(r[0].within("time of a county over 365 days, merged and summed", 100*time.Millisecond, "the exact query").because("merging reads every cell of every day, near the county or not"))
}

// tiles sums a town over one sketch for each map tile, most of which lie elsewhere.
func (b *bench) tiles() {
	b.make("tiles", around(-2.9, 53.45, 0.5))
	const (
		those    = "SELECT sum(ccbf_polygon_sum(s, g)) FROM near, town"
		asked    = "SELECT sum(ccbf_polygon_sum(s, g)) FROM tiles, town"
		overlaps = asked + " WHERE ccbf_bbox_overlaps(s, x0, y0, x1, y1)"
	)
	agree(b.db, those, asked, overlaps)
	b.Set("all", duck.Number(b.db, "SELECT count(*) FROM tiles"), "near", duck.Number(b.db, "SELECT count(*) FROM near"))
	b.compare("town over tiles / those that matter", report.At{"over": "tiles", "way": "one by one"}, b.query("those in it", those), b.query("all", asked))
	b.compare("town over tiles, ccbf_bbox_overlaps / those that matter", report.At{"over": "tiles", "way": "one by one"}, b.query("those in it", those), b.query("those that overlap it", overlaps))
}

// dailySketches is how many sketches one box is asked of.
const dailySketches = 487

// boxes sums a box over daily sketches.
func (b *bench) boxes() {
	b.make("daily", fmt.Sprintf("hash(rowid, 7) %% %d", dailySketches))
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
