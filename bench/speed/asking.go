package main

import (
	"database/sql"
	"fmt"
	"math"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// polygons sums countries over an exact sketch of the cities.
func polygons(b *bench) {
	b.world()
	countries := duck.Column[string](b.db, "SELECT g FROM c")
	xs, ys := coordinates(b.db, "cities")
	b.Set("countries", len(countries), "cities", len(xs), "every", every)
	for _, res := range report.Pick(b.c, []string{"0.1", "0.01"}, []string{"0.1", "0.01", "0.001"}, []string{"0.1", "0.01", "0.001"}) {
		b.run("CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(lon, lat, " + res + ") s FROM cities")
		b.compare("cells of "+res, report.At{"res": res}, contender{name: "point in polygon", run: func() { insideOf(countries, xs, ys) }},
			b.query("ccbf_polygon_sum", "SELECT sum(ccbf_polygon_sum(s, g)) FROM c, s"))
		b.Set("finest", res)
	}
}

// every is which cities the point-in-polygon test is for: for all it takes seconds.
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

// levels sums countries, and squares down to a cell, over a dense sketch of the cities with
// levels and over one without.
func levels(b *bench) {
	b.world()
	b.make("levels", nil)
	countries := duck.Column[string](b.db, "SELECT g FROM c")
	countries = countries[:len(countries)/report.Pick(b.c, 5, 10, 1)]
	// In queries of their own: together they have more cells than one may ask for.
	what := fmt.Sprintf("%d countries", len(countries))
	b.compare(what, nil, sums(b.db, "plain", countries), sums(b.db, "levels", countries))
	b.Set("countries", what, "faster", rounds(report.Column(b.All("ratio"), func(r float64) float64 { return 1 / r })))
	for _, side := range report.Pick(b.c, []int{1, 8}, []int{1, 4, 16, 64}, []int{1, 2, 4, 8, 12, 16, 24, 32, 64, 256}) {
		b.make("squares", side)
		what := fmt.Sprintf("1,000 squares of %d x %[1]d cells", side)
		b.compare(what, report.At{"small": side <= 8}, b.query("plain", "SELECT sum(ccbf_polygon_sum(plain, g)) FROM q, s"), b.query("levels", "SELECT sum(ccbf_polygon_sum(levels, g)) FROM q, s"))
	}
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
func places(b *bench) {
	n, boxes := report.Pick(b.c, 20_000, 500_000, 2_000_000), report.Pick(b.c, 20, 200, 1000)
	b.make("places", report.At{"crimes": crimes(b.c), "n": n, "boxes": boxes})
	b.Set("n", n)
	const ofBoxes = "SELECT sum(ccbf_bbox_sum(%%s, x0, y0, x1, y1)) FROM %s, s"
	for _, q := range []struct{ what, of, table, ours string }{ // ours with the sketch to be filled in
		{fmt.Sprintf("%d places", n), "places", "SELECT sum(n) FROM q JOIN counted ON floor(lon / 0.001) = x AND floor(lat / 0.001) = y",
			"SELECT sum(ccbf_get(%s, lon, lat)) FROM q, s"},
		{"1 box", "box", text("in boxes", "box"), fmt.Sprintf(ofBoxes, "box")},
		{fmt.Sprintf("%d boxes", boxes), "boxes", text("in boxes", "boxes"), fmt.Sprintf(ofBoxes, "boxes")},
	} {
		exact, dense := fmt.Sprintf(q.ours, "exact"), fmt.Sprintf(q.ours, "dense")
		agree(b.db, q.table, exact)
		others := []contender{b.query("exact", exact), b.query("dense", dense)}
		if q.of == "places" {
			others = append(others, b.first("exact", exact))
		}
		b.compare(q.what, report.At{"question": q.what, "of": q.of}, b.query("exact table", q.table), others...)
	}
	b.manyPlaces(n)
	b.lookupRate()
}

// manyPlaces asks for n places of q: of a sketch for each map tile, and of one with
// categories, a category each. The table is joined by tile or category and by cell.
func (b *bench) manyPlaces(n int) {
	few, many := 487, report.Pick(b.c, 1000, 5000, 5000)
	b.make("kinds of places", report.At{"n": n, "few": few, "many": many})
	for _, q := range []struct{ what, by, ours string }{
		{"places, by tile", "tile", "SELECT sum(ccbf_get(s, lon, lat)) FROM asked JOIN ofTiles USING (tile)"},
		{fmt.Sprintf("places, by %d categories", few), "few", "SELECT sum(ccbf_get(s.few, lon, lat, q.few)) FROM asked q, ofKinds s"},
		{fmt.Sprintf("places, by %d categories, the sketch in a variable", few), "few", "SELECT sum(ccbf_get(getvariable('few'), lon, lat, few)) FROM asked"},
		{fmt.Sprintf("places, by %d categories, the sketch by LEFT JOIN", few), "few", "SELECT sum(ccbf_get(s.few, lon, lat, q.few)) FROM asked q LEFT JOIN ofKinds s ON (lon IS NULL) = (s.few IS NULL)"},
		{fmt.Sprintf("places, by %d categories", many), "many", "SELECT sum(ccbf_get(s.many, lon, lat, q.many)) FROM asked q, ofKinds s"},
		{fmt.Sprintf("places, by %d categories, the sketch in a variable", many), "many", "SELECT sum(ccbf_get(getvariable('many'), lon, lat, many)) FROM asked"},
		{fmt.Sprintf("places, by %d categories, the sketch by LEFT JOIN", many), "many", "SELECT sum(ccbf_get(s.many, lon, lat, q.many)) FROM asked q LEFT JOIN ofKinds s ON (lon IS NULL) = (s.many IS NULL)"},
	} {
		b.make("counted by", q.by)
		table := text("in kinds", q.by)
		agree(b.db, table, q.ours)
		b.compare(q.what, report.At{"question": q.what, "of": "kinds"}, b.query("exact table", table), b.query("exact", q.ours), b.first("exact", q.ours))
	}
}

// first is a query that finds no sketch kept decoded, as none is once a database was closed.
func (b *bench) first(name, query string) contender {
	return contender{name: name + ", first query", run: func() { duck.Run(b.db, query) }, fresh: func() {
		db := duck.Open(1)
		duck.Run(db, "SELECT 1")
		report.Check(db.Close())
	}}
}

// lookupRate is for the promise of lookups in a constant dense sketch of a megabyte, on one
// thread, beside a join with the exact table.
func (b *bench) lookupRate() {
	n := report.Pick(b.c, 20_000, 1_000_000, 10_000_000)
	b.run("SET threads = 1")
	b.make("lookups", n)
	b.Set("looked up", n)
	b.compare("places, few of them there, 1 thread", nil, b.query("join", "SELECT sum(n) FROM p JOIN counted USING (x, y)"), b.query("dense", "SELECT sum(ccbf_get(s, x, y)) FROM p, s"),
		b.query("dense, by LEFT JOIN", "SELECT sum(ccbf_get(s, x, y)) FROM p LEFT JOIN s ON (x IS NULL) = (s IS NULL)"))
}

// manySketches asks many sketches about one area, beside the exact query over the table that
// has been counted before.
func manySketches(b *bench) {
	b.run("CREATE TABLE p AS " + crimes(b.c))
	b.days()
	b.tiles()
	b.boxes()
	b.histogram()
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
	b.compare("county over 365 days / exact query", report.At{"over": "days"}, b.query("exact query", exact), b.query("merged", merged), b.query("one by one", each))
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
		b.compare("box of "+box.what+" cells over days / exact query", report.At{"box": box.what}, b.query("exact query", exact), b.query("one by one", one), b.query("merged", all))
	}
}

// histogram asks for the points of a county on each day, of one sketch whose categories are
// the days of boxes. The reference is one sum over the county.
func (b *bench) histogram() {
	b.make("by day", report.Pick(b.c, 65536, 1<<20, 1<<20))
	for _, form := range []string{"exact", "tree"} {
		sum := "SELECT ccbf_polygon_sum(" + form + ", g) FROM byDay, county"
		days := "SELECT list_sum(list_transform(ccbf_categories(" + form + ", g), lambda day: day.total)) FROM byDay, county"
		if form == "exact" {
			agree(b.db, sum, days)
		}
		b.compare("a county on each day / in all, "+form, report.At{"over": "categories", "form": form}, b.query("sum", sum), b.query("histogram", days))
	}
}
