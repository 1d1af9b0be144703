package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Every layer is drawn at every zoom, also counters over the whole world. The response says whether
// cells were sampled, and whether all counts can be chance.
func TestEveryLayerDraws(t *testing.T) {
	const world = `CREATE TABLE points AS SELECT (hash(i) % 360)::DOUBLE - 179.5 + (hash(i, 1) % 1000) / 1000 AS lon, (hash(i, 2) % 160)::DOUBLE - 80 + (hash(i, 3) % 1000) / 1000 AS lat FROM range(20000) t(i);
		CREATE TABLE small AS FROM (SELECT 'tree' AS form, ccbf_agg(lon, lat, 0.001, {bytes: 4096}) AS s FROM points UNION ALL
			SELECT 'counters', ccbf_agg(lon, lat, 0.001, {bytes: 4096, overflow: 'counters'}) FROM points);
		CREATE TABLE levels AS SELECT ccbf_agg(lon, lat, 0.001, {bytes: 65536, exact: false, levels: 3}) AS s FROM points;
		CREATE TABLE months AS SELECT i % 60 AS month, ccbf_agg(lon, lat, 0.0001, {bytes: 8192, exact: false}) AS s FROM points, range(60) t(i) GROUP BY month`
	url := started(t, database(t, world))
	for _, layer := range []string{"small", "levels", "months"} {
		for _, at := range []string{"0/0/0", "1/1/0", "3/4/2", "7/64/42", "12/2048/1361", "18/131072/87150"} {
			if n := drawnPixels(t, fmt.Sprintf("%s/tiles/%s/s/%s.png", url, layer, at)); n == 0 && layer != "levels" && at != "18/131072/87150" {
				t.Errorf("%s at %s shows nothing", layer, at)
			}
		}
		_, body := get(t, url+"/api/scale?table="+layer+"&column=s&xmin=-180&ymin=-80&xmax=180&ymax=80&pixel=0.5")
		if s := decoded[viewScale](t, body); !s.Sampled || !s.Dense || (s.Top > 0) == s.Hidden || s.Hidden != (layer == "levels") {
			t.Errorf("%s: the scale is %s", layer, body)
		}
	}
}

// A BLOB that is not a sketch is named and left out, also from sums.
func TestBadRows(t *testing.T) {
	url, db := served(t, towns+`;
		CREATE TABLE partly AS SELECT month, CASE WHEN month = 'month 1' THEN s."s""k"[:20] WHEN month = 'month 2' THEN s."s""k"[:-2] || '\x00'::BLOB ELSE s."s""k" END AS s FROM "to wns" s WHERE tile = 0 ORDER BY month DESC;
		CREATE TABLE none AS SELECT 'no sketch'::BLOB AS s`)
	layers := layersOf(t, url)
	if l := layers["none"]; l != nil {
		t.Errorf("a table without sketches is a layer: %+v", l)
	}
	some := layers["partly"]
	if some == nil || some.Rows != 1 || some.BadRows != 2 || len(some.Bad) != 2 || some.Bad[0].Row != 1 || some.Bad[1].Row != 2 || !strings.Contains(some.Bad[1].Error, "not a valid sketch") {
		t.Fatalf("the layer is %+v", some)
	}
	a := summed(t, url, `{"table": "partly", "column": "s", "box": [0, 50, 1, 51]}`)
	if truth := number(t, db, "SELECT count(*) FROM points WHERE tile = 0 AND month = 'month 0'"); a.Estimate != truth || truth == 0 || !a.Certain {
		t.Errorf("%+v, want %v", a, truth)
	}
}

// A row whose categories have another type than those before is named and left out, also from sums. One with larger
// cells is not.
func TestMixedRows(t *testing.T) {
	url, db := served(t, `CREATE TABLE points AS SELECT i % 10 x, i % 7 y FROM range(100) t(i);
		CREATE TABLE mixed AS SELECT ccbf_agg(x + 0.5, y + 0.5, 1, {category: x}) AS s FROM points
			UNION ALL SELECT ccbf_agg(x + 0.5, y + 0.5, 1, {category: 'text'}) FROM points
			UNION ALL SELECT ccbf_agg(x + 0.5, y + 0.5, 2, {category: x}) FROM points`)
	l := layersOf(t, url)["mixed"]
	if l == nil || l.Rows != 2 || l.BadRows != 1 || l.Total != 200 || l.Finest != 1 || l.Res != 2 || !strings.Contains(l.Bad[0].Error, "of type VARCHAR, those of rows before of type BIGINT") {
		t.Fatalf("the layer is %+v", l)
	}
	a := summed(t, url, `{"table": "mixed", "column": "s", "box": [0, 0, 6, 90]}`)
	if truth := number(t, db, "SELECT 2 * count(*) FROM points WHERE x < 6"); a.Estimate != truth || !a.Certain {
		t.Errorf("%+v, want %v", a, truth)
	}
}

// A layer that exceeds the memory limit has an error, and the others are served.
func TestLayerTooLarge(t *testing.T) {
	file := database(t, towns)
	kinds := int64(number(t, opened(t, file+"?"+confined), "SELECT sum(octet_length(s)) FROM kinds"))
	layers, err := newServer(file, kinds+1).all(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, l := range layers {
		if l.Error == "" {
			good++
		} else if !strings.Contains(l.Error, "start with a larger -memory") {
			t.Errorf("%s: %s", l.Table, l.Error)
		}
	}
	if good == 0 || good == len(layers) {
		t.Errorf("%d of %d layers fit", good, len(layers))
	}
}

// Trees (nested squares with counts) are a layer like others. The bounds of sums hold, and no place
// with many points is missing. TestEveryLayerDraws draws them.
func TestTreesAreServed(t *testing.T) {
	url, db := served(t, towns+`; CREATE TABLE trees AS SELECT tile, ccbf_agg(lon, lat, 0.001, {bytes: 1500}) AS s FROM points GROUP BY tile`)
	if trees := number(t, db, "SELECT count(*) FROM trees WHERE (ccbf_info(s)).encoding = 'tree'"); trees != 4 {
		t.Fatalf("%v trees", trees)
	}
	if l := layersOf(t, url)["trees"]; l == nil || l.Exact != 0 || l.Total != 12000 {
		t.Errorf("the layer of trees is %+v", l)
	}
	for _, box := range [][4]float64{{0.3, 50.3, 0.6, 50.6}, {0, 50, 2, 52}, {0.4, 50.4, 0.41, 50.41}} {
		a := summed(t, url, fmt.Sprintf(`{"table": "trees", "column": "s", "box": [%g, %g, %g, %g]}`, box[0], box[1], box[2], box[3]))
		// By the centres of cells.
		truth := number(t, db, fmt.Sprintf(`SELECT count(*) FROM (SELECT (2 * floor(round(lon * 1e6) / 1000) + 1) / 2000 AS x, (2 * floor(round(lat * 1e6) / 1000) + 1) / 2000 AS y FROM points) WHERE x >= %g AND x < %g AND y >= %g AND y < %g`,
			box[0], box[2], box[1], box[3]))
		if truth == 0 || a.Low > truth || truth > a.High || a.Estimate < a.Low || a.Estimate > a.High {
			t.Errorf("box %v: %+v of %v points", box, a, truth)
		}
	}
	_, body := post(t, url+"/api/hotspots", `{"table": "trees", "column": "s", "box": [0, 50, 2, 52], "k": 5}`)
	most := number(t, db, "SELECT max(n) FROM (SELECT count(*) AS n FROM points GROUP BY floor(round(lon * 1e6) / 1000), floor(round(lat * 1e6) / 1000))")
	if h := decoded[hotspots](t, body); len(h.Spots) != 5 || float64(h.Spots[0].Count) < most {
		t.Errorf("the largest cell has %v points: %s", most, body)
	}
}

// typed returns a database that has the same points with categories of several types, with and
// without totals, and as counters.
const typed = `CREATE TABLE points AS SELECT (hash(i) % 1000) / 1000 AS lon, 50 + (hash(i, 1) % 1000) / 1000 AS lat,
		date '2024-01-01' + (i % 90)::INTEGER AS day, (i % 20 - 5)::INTEGER AS number, ['fire', 'theft', 'a; ''b'''][1 + (i % 3)::INTEGER] AS kind,
		(i % 4 / 2)::DECIMAL(5, 1) AS half, i % 3 = 0 AS solved, timestamp '2024-01-01' + to_hours((i % 50)::INTEGER) AS hour FROM range(5000) t(i);
	CREATE TABLE days AS SELECT ccbf_agg(lon, lat, 0.01, {category: day}) AS s FROM points;
	CREATE TABLE numbers AS SELECT ccbf_agg(lon, lat, 0.01, {category: number, totals: true}) AS s FROM points;
	CREATE TABLE kinds AS SELECT ccbf_agg(lon, lat, 0.01, {category: kind}) AS s FROM points;
	CREATE TABLE halves AS SELECT ccbf_agg(lon, lat, 0.01, {category: half}) AS s FROM points;
	CREATE TABLE solved AS SELECT ccbf_agg(lon, lat, 0.01, {category: solved}) AS s FROM points;
	CREATE TABLE hours AS SELECT ccbf_agg(lon, lat, 0.01, {category: hour}) AS s FROM points;
	CREATE TABLE pairs AS SELECT ccbf_agg(lon, lat, 0.01, {category: {kind: kind, day: day, half: half}, bytes: 64000000}) AS s FROM points;
	CREATE TABLE trees AS SELECT ccbf_agg(lon, lat, 0.0001, {category: day, bytes: 4096}) AS s FROM points;
	CREATE TABLE counters AS SELECT ccbf_agg(lon, lat, 0.01, {category: day, exact: false}) AS s FROM points`

// Categories of every type are listed in their order. One, a range or all of them can be selected,
// and the counts equal those of GROUP BY.
func TestCategories(t *testing.T) {
	url, db := served(t, typed)
	sum := func(table, where string) areaSum {
		t.Helper()
		return summed(t, url, fmt.Sprintf(`{"table": %q, "column": "s", "box": [-1, 49, 2, 52], "where": [%s]}`, table, where))
	}
	count := func(where string) float64 {
		t.Helper()
		return number(t, db, "SELECT count(*) FROM points WHERE "+where)
	}
	layers := layersOf(t, url)
	for table, c := range map[string]struct{ column, grain string }{
		"days": {"day", "day"}, "numbers": {"number", ""}, "kinds": {"kind", ""}, "halves": {"half", ""}, "solved": {"solved", ""}, "hours": {"hour", ""}, "trees": {"day", "day"},
	} {
		l := layers[table]
		at := l.slider(byCategory)
		if at < 0 || l.Sliders[at].Grain != c.grain {
			t.Fatalf("%s: sliders %+v", table, l.Sliders)
		}
		values := l.Sliders[at].Values
		list := text(t, db, fmt.Sprintf("SELECT string_agg(regexp_replace(v::VARCHAR, '\\.0$', ''), '|' ORDER BY v) FROM (SELECT DISTINCT %s AS v FROM points)", c.column))
		if want := strings.Split(list, "|"); !slices.Equal(values, want) {
			t.Errorf("%s: categories %v, want %v", table, values, want)
		}
		if a := sum(table, ""); a.Estimate != 5000 || a.Low != a.High {
			t.Errorf("%s: all are %+v", table, a)
		}
		one, two := values[1], values[len(values)-1]
		quoted := func(v string) string { return "'" + strings.ReplaceAll(v, "'", "''") + "'" }
		where := fmt.Sprintf(`{"by": "(category)", "value": %q}`, one)
		if a, want := sum(table, where), count(c.column+" = "+quoted(one)); a.Estimate != want {
			t.Errorf("%s: %s are %+v, want %v\n%s", table, one, a, want, a.SQL)
		} else if same := answered(t, db, a.SQL); same.Estimate != want {
			t.Errorf("%s: %s are %+v, want %v\n%s", table, one, same, want, a.SQL)
		}
		where = fmt.Sprintf(`{"by": "(category)", "value": %q, "to": %q}`, one, two)
		if a, want := sum(table, where), count(fmt.Sprintf("%s BETWEEN %s AND %s", c.column, quoted(one), quoted(two))); a.Estimate != want {
			t.Errorf("%s: %s to %s are %+v, want %v\n%s", table, one, two, a, want, a.SQL)
		}
		status, body := post(t, url+"/api/bars", fmt.Sprintf(`{"table": %q, "column": "s", "box": [-1, 49, 2, 52], "bars": "(category)", "all": true}`, table))
		b := decoded[bars](t, body)
		if status != http.StatusOK || len(b.Bars) != len(values) {
			t.Fatalf("%s: %d %s", table, status, body)
		}
		for _, bar := range b.Bars {
			if want := count(c.column + " = " + quoted(*bar.Value)); bar.Estimate != want {
				t.Errorf("%s: the bar of %s is %v, want %v", table, *bar.Value, bar.Estimate, want)
			}
		}
		if n := drawnPixels(t, url+"/tiles/"+table+"/s/8/128/86.png"); n == 0 {
			t.Errorf("%s: nothing is drawn of all", table)
		}
	}
	testParts(t, url, layers["pairs"], sum, count)
	if l := layers["counters"]; l.slider(byCategory) >= 0 || l.Class != "DATE" {
		t.Errorf("counters list categories: %+v", l)
	}
	if a := sum("counters", `{"by": "(category)", "value": "2024-01-03"}`); a.High < count("day = '2024-01-03'") {
		t.Errorf("counters of a day: %+v", a)
	}
	if status, body := get(t, url+"/tiles/counters/s/8/128/86.png"); status != http.StatusBadRequest || !strings.Contains(string(body), "give one") {
		t.Errorf("counters without a category: %d %s", status, body)
	}
}

// testParts: STRUCT categories of a kind, a day and a DECIMAL are selected by one or several
// fields, by values or ranges. Bars show the values of a field.
func testParts(t *testing.T, url string, l *layer, sum func(table, where string) areaSum, count func(where string) float64) {
	t.Helper()
	var columns []string
	for _, s := range l.Sliders {
		columns = append(columns, fmt.Sprintf("%s %s %d %s", s.Column, s.Type, len(s.Values), s.Grain))
	}
	if want := []string{"(category)._1 VARCHAR 3 ", "(category)._2 DATE 90 day", "(category)._3 DECIMAL 4 "}; !slices.Equal(columns, want) {
		t.Fatalf("fields of STRUCTs: %q, want %q", columns, want)
	}
	const (
		theft   = `{"by": "(category)._1", "value": "theft"}`
		quoted  = `{"by": "(category)._1", "value": "a; 'b'"}`
		january = `{"by": "(category)._2", "value": "2024-01-01", "to": "2024-01-31"}`
		halves  = `{"by": "(category)._3", "value": "0.5", "to": "1"}`
	)
	for where, want := range map[string]string{
		theft: "kind = 'theft'", quoted: "kind = 'a; ''b'''", january: "month(day) = 1", halves: "half BETWEEN 0.5 AND 1",
		theft + ", " + january:                  "kind = 'theft' AND month(day) = 1",
		quoted + ", " + january + ", " + halves: "kind = 'a; ''b''' AND month(day) = 1 AND half BETWEEN 0.5 AND 1",
	} {
		a := sum("pairs", where)
		if n := count(want); a.Estimate != n || a.Low != a.High {
			t.Errorf("%s: %+v, want %v\n%s", where, a, n, a.SQL)
		}
	}
	for field, column := range map[string]string{"_1": "kind", "_2": "day", "_3": "half"} {
		status, body := post(t, url+"/api/bars", fmt.Sprintf(`{"table": "pairs", "column": "s", "box": [-1, 49, 2, 52], "where": [%s], "bars": "(category).%s", "all": true}`, january, field))
		if status != http.StatusOK {
			t.Fatalf("bars of %s: %d %s", column, status, body)
		}
		rest := "month(day) = 1"
		if column == "day" {
			rest = "true" // a condition on the bars' own field is ignored
		}
		total := 0.0
		for _, bar := range decoded[bars](t, body).Bars {
			total += bar.Estimate
			where := fmt.Sprintf("%s = '%s' AND %s", column, strings.ReplaceAll(*bar.Value, "'", "''"), rest)
			if want := count(where); bar.Estimate != want {
				t.Errorf("the bar of %s %s is %v, want %v", column, *bar.Value, bar.Estimate, want)
			}
		}
		if want := count(rest); total != want {
			t.Errorf("bars of %s add up to %v, want %v", column, total, want)
		}
	}
	status, body := post(t, url+"/api/sum", `{"table": "pairs", "column": "s", "box": [-1, 49, 2, 52], "where": [{"by": "(category)", "value": "(theft, 2024-01-02, 0.5)"}]}`)
	if status != http.StatusBadRequest || !strings.Contains(string(body), "choose by a field") {
		t.Errorf("a whole STRUCT: %d %s", status, body)
	}
	if n := drawnPixels(t, url+"/tiles/pairs/s/8/128/86.png?where="+queryText("["+theft+"]")); n == 0 {
		t.Error("nothing is drawn of thefts")
	}
}

// The first view shows the densest part, or the two largest of distant groups. A few points at (0, 0) or
// outside the world do not change it. Points on both sides of 180 degrees are shown together. Points
// without a valid longitude and latitude are reported, and count in sums.
func TestFirstView(t *testing.T) {
	const places = `CREATE MACRO town(lon, lat, n, seed) AS TABLE SELECT lon + (hash(i, seed) % 1000) / 1000 AS lon, lat + (hash(i, seed + 1) % 1000) / 1000 AS lat FROM range(n) t(i);
		CREATE TABLE small AS SELECT -74 + (lon + 74) / 5 AS lon, 40.6 + (lat - 40) / 5 AS lat FROM town(-74, 40, 30000, 1);
		CREATE TABLE zeros AS SELECT ccbf_agg(lon, lat, 0.001) AS s FROM (FROM small UNION ALL SELECT 0, 0 FROM range(900));
		CREATE TABLE wrong AS SELECT ccbf_agg(lon, lat, 0.001) AS s FROM (FROM small UNION ALL SELECT 0, 0 FROM range(900) UNION ALL SELECT 0, 404.98);
		CREATE TABLE slips AS SELECT ccbf_agg(lon, lat, 0.001) AS s FROM (FROM small UNION ALL SELECT lon * 100, lat * 100 FROM small LIMIT 30020);
		CREATE TABLE metres AS SELECT ccbf_agg(580000 + lon * 100, 4500000 + lat * 100, 10) AS s FROM small;
		CREATE TABLE even AS SELECT ccbf_agg((hash(i) % 360)::DOUBLE - 180, (hash(i, 1) % 160)::DOUBLE - 80, 1) AS s FROM range(30000) t(i);
		CREATE TABLE one AS SELECT ccbf_agg(10, 50, 0.001) AS s;
		CREATE TABLE kinds AS SELECT ccbf_agg(lon, lat, 0.001, {category: 'a'}) AS s FROM (FROM small UNION ALL SELECT 0, 0 FROM range(900));
		CREATE TABLE nothing AS SELECT ccbf_empty(0.01) AS s;
		CREATE TABLE scattered AS SELECT ccbf_agg(lon, lat, 0.01) AS s FROM (FROM town(10, 50, 20000, 1) UNION ALL SELECT (hash(i) % 300)::DOUBLE - 150, (hash(i, 1) % 120)::DOUBLE - 60 FROM range(500) t(i));
		CREATE TABLE groups AS SELECT ccbf_agg(lon, lat, 0.01) AS s FROM (FROM town(10, 50, 5000, 1) UNION ALL FROM town(40, 52, 4000, 3) UNION ALL FROM town(-70, -30, 900, 5) UNION ALL FROM town(150, -40, 900, 7));
		CREATE TABLE fiji AS SELECT ccbf_agg(if(lon > 180, lon - 360, lon), lat, 0.01) AS s FROM (FROM town(177, -18, 5000, 1) UNION ALL FROM town(181, -17, 5000, 3));
		CREATE TABLE trips AS SELECT ccbf_agg(lon, lat, 0.01) AS s FROM (SELECT CASE WHEN i < 10 THEN 190.505 ELSE 170.005 + i % 100 / 100 END AS lon, 10.005 AS lat FROM range(1000) t(i))`
	url := started(t, database(t, places))
	small := [4]float64{-74, 40.6, -73.8, 40.8}
	const pixels = 2*360./lookSide + 0.01 // two pixels of the world
	for _, c := range []struct {
		table           string
		box             [4]float64
		smaller, larger float64 // by how much each side of the view may lie inside and outside of the box
		least, most     float64 // points that are reported as outside of the view
		beyond          float64
	}{
		// Each side may leave out 0.1% of the points, and those within a pixel of it.
		{"zeros", small, 0.05, 0.05, 900, 1024, 0},
		{"wrong", small, 0.05, 0.05, 900, 1024, 1},
		{"slips", small, 0.05, 0.05, 0, 124, 20},
		{"kinds", small, 0.05, 0.05, 900, 1024, 0},
		{"even", [4]float64{-180, -80, 180, 80}, 1, 1, 0, 124, 0},
		{"one", [4]float64{10, 50, 10, 50}, 0.02, 0.02, 0, 0, 0},
		{"nothing", [4]float64{}, 0, 0, 0, 0, 0},
		// The view may leave out at most 5% of the towns.
		{"scattered", [4]float64{10, 50, 11, 51}, 0.1, pixels, 1, 1525, 0},
		{"groups", [4]float64{10, 50, 41, 53}, 0.1, pixels, 1800, 2250, 0},
		{"fiji", [4]float64{177, -18, 182, -16}, 0.1, 0.1, 0, 500, 0},
		{"trips", [4]float64{170, 10, 171, 10.01}, 0.1, pixels, 0, 50, 10},
	} {
		_, body := get(t, url+"/api/look?column=s&table="+c.table)
		at := decoded[layerExtent](t, body)
		for i, outwards := range []float64{-1, -1, 1, 1} {
			if by := outwards * (at.Box[i] - c.box[i]); by > c.larger || by < -c.smaller {
				t.Errorf("%s: the view is %v, want about %v", c.table, at.Box, c.box)
				break
			}
		}
		if !at.Degrees || at.Outside < c.least || at.Outside > c.most || at.Beyond != c.beyond {
			t.Errorf("%s: %s", c.table, body)
		}
	}
	_, body := get(t, url+"/api/look?column=s&table=metres")
	if at := decoded[layerExtent](t, body); at.Degrees {
		t.Errorf("metres are degrees: %s", body)
	}
	if a := summed(t, url, `{"table": "trips", "column": "s", "box": [169, 9, 191, 11]}`); a.Estimate != 1000 {
		t.Errorf("all are %+v", a)
	}
}
