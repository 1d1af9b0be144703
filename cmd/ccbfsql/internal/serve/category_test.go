package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

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
	file := database(t, typed)
	url := started(t, file)
	db := opened(t, file+"?"+confined)
	const area = `"box": [-1, 49, 2, 52]`
	sum := func(table, where string) areaSum {
		t.Helper()
		return summed(t, url, fmt.Sprintf(`{"table": %q, "column": "s", "box": [-1, 49, 2, 52], "where": [%s]}`, table, where))
	}
	count := func(where string) float64 {
		t.Helper()
		return number(t, db, "SELECT count(*) FROM points WHERE "+where)
	}
	_, body := get(t, url+"/api/layers")
	layers := map[string]*layer{}
	for _, l := range decoded[[]*layer](t, body) {
		layers[l.Table] = l
	}
	for table, c := range map[string]struct{ column, grain string }{
		"days": {"day", "day"}, "numbers": {"number", ""}, "kinds": {"kind", ""}, "halves": {"half", ""}, "solved": {"solved", ""}, "hours": {"hour", ""}, "trees": {"day", "day"},
	} {
		l := layers[table]
		at := l.slider(byCategory)
		if at < 0 || l.Sliders[at].Grain != c.grain {
			t.Fatalf("%s: sliders %+v", table, l.Sliders)
		}
		values := l.Sliders[at].Values
		var want []string
		var list string
		if err := db.QueryRow(fmt.Sprintf("SELECT string_agg(regexp_replace(v::VARCHAR, '\\.0$', ''), '|' ORDER BY v) FROM (SELECT DISTINCT %s AS v FROM points)", c.column)).Scan(&list); err != nil {
			t.Fatal(err)
		}
		if want = strings.Split(list, "|"); !slices.Equal(values, want) {
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
		} else if err := db.QueryRow(a.SQL).Scan(new(float64), new(float64), new(float64), new(int), new(int)); err != nil {
			t.Errorf("%v in\n%s", err, a.SQL)
		}
		where = fmt.Sprintf(`{"by": "(category)", "value": %q, "to": %q}`, one, two)
		if a, want := sum(table, where), count(fmt.Sprintf("%s BETWEEN %s AND %s", c.column, quoted(one), quoted(two))); a.Estimate != want {
			t.Errorf("%s: %s to %s are %+v, want %v\n%s", table, one, two, a, want, a.SQL)
		}
		status, body := post(t, url+"/api/bars", fmt.Sprintf(`{"table": %q, "column": "s", %s, "bars": "(category)", "all": true}`, table, area))
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
