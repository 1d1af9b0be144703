package serve

import (
	"database/sql"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
)

// chosen returns a database with difficult layers: counters over a large area, bytes that are not a
// sketch, metres, categories.
const chosen = `CREATE TABLE points AS SELECT date '2018-10-01' + to_months((i % 3)::INTEGER) AS month, ['theft', 'fire', 'drugs', 'other'][1 + (hash(i, 6) % 4)::INTEGER] AS kind, i % 5 = 0 AS solved,
		(hash(i // 600) % 5000) / 1000 - 3.5 + sqrt(-2 * ln((hash(i, 1) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 2) % 1000000) / 1e6) * 0.03 AS lon,
		(hash(i // 600, 3) % 3500) / 1000 + 50.8 + sqrt(-2 * ln((hash(i, 4) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 5) % 1000000) / 1e6) * 0.02 AS lat
	FROM range(60000) t(i);
	CREATE TABLE crimes AS SELECT quadkey(lon, lat, 5) AS tile, month, kind, solved, ccbf_agg(lon, lat, 0.01) AS sketch FROM points GROUP BY ALL;
	CREATE TABLE small AS SELECT ccbf_agg(lon, lat, 0.001, {bytes: 131072, exact: false}) AS s FROM points;
	CREATE TABLE partly AS SELECT i, CASE i WHEN 1 THEN '\x00\x01'::BLOB ELSE sketch END AS s FROM (SELECT row_number() OVER () - 1 AS i, sketch FROM crimes LIMIT 3) ORDER BY i;
	CREATE TABLE metres AS SELECT ccbf_agg(500000 + lon * 70000, lat * 111000, 100) AS s FROM points;
	CREATE TABLE kinds AS SELECT ccbf_agg(lon, lat, 0.01, {category: kind}) AS s FROM points`

// count returns the exact count of an area. A cell is inside if its centre is.
func count(t *testing.T, db *sql.DB, where string) float64 {
	t.Helper()
	return number(t, db, "SELECT count(*) FROM (SELECT *, (2 * floor(round(lon * 1e6) / 1e4) + 1) / 200 AS x, (2 * floor(round(lat * 1e6) / 1e4) + 1) / 200 AS y FROM points) WHERE "+where)
}

// A user's selection decides what is shown, and nothing of the previous one stays. Reload, Back and
// saved files restore it.
func TestBrowserStates(t *testing.T) {
	t.Parallel()
	file := database(t, chosen)
	out := browsed(t, "states.mjs", started(t, file))
	type asked struct {
		Estimate float64
		SQL      string
		URL      string
		Pressed  []string
	}
	type state struct {
		Tiles, Answer, Error, Reason, Bad, Legend string
		Spots, Pins                               int
		Sliders, Names                            []string
		Bars                                      []struct {
			Value    string
			Estimate float64
		}
	}
	var read struct {
		Month, Both, Reloaded, Back, Dropped asked
		Forward                              float64
		Bars                                 []struct {
			Value    string
			Estimate float64
		}
		Spots struct {
			Places []string
			SQL    string
		}
		Copied, CSV, Link, Category string
		PNG                         struct {
			Name          string
			Window        struct{ Width, Height int }
			Width, Height int
		}
		GeoJSON struct {
			Features []struct {
				Geometry   struct{ Type string }
				Properties map[string]any
			}
		}
		At struct {
			Box                   [4]float64
			Cells, Estimate, High float64
			Text                  string
		}
		Metres, Partly, Small, Kinds, Wrong state
		Versus                              struct {
			Estimate            float64
			Text, Tiles, Legend string
		}
		Problems []string
		Failed   int
	}
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	db := opened(t, file+"?"+confined)
	const area, months = "x >= -3 AND x < 1 AND y >= 51 AND y < 53", " AND month < '2018-12-01'"
	if want := count(t, db, area+months); read.Month.Estimate != want || want == 0 {
		t.Errorf("two months: %v, want %v\n%s", read.Month.Estimate, want, read.Month.SQL)
	}
	if len(read.Bars) != 4 {
		t.Errorf("bars are %v", read.Bars)
	}
	for _, b := range read.Bars {
		if want := count(t, db, area+months+" AND kind = "+lexer.QuoteText(b.Value)); b.Estimate != want {
			t.Errorf("the bar of %s is %v, want %v", b.Value, b.Estimate, want)
		}
	}
	want := count(t, db, area+months+" AND kind = 'theft'")
	if read.Both.Estimate != want || len(read.Both.Pressed) != 1 || !strings.HasPrefix(read.Both.Pressed[0], "theft") {
		t.Errorf("two months and a kind: %+v, want %v", read.Both, want)
	}
	if read.Reloaded.Estimate != want || read.Reloaded.SQL != read.Both.SQL || read.Reloaded.URL != read.Link || read.Forward != want {
		t.Errorf("a reload shows %+v, forward %v, want %v", read.Reloaded, read.Forward, want)
	}
	if read.Back.Estimate != read.Month.Estimate || read.Back.SQL != read.Month.SQL {
		t.Errorf("Back shows %+v", read.Back)
	}
	theft, fire := want, count(t, db, area+months+" AND kind = 'fire'")
	sign := "+"
	if fire < theft {
		sign = "−"
	}
	if v := read.Versus; v.Estimate != fire || !strings.HasPrefix(strings.ReplaceAll(v.Text, ",", ""), sign+jsonNumber(math.Abs(fire-theft))+" against "+jsonNumber(theft)) || !strings.Contains(v.Tiles, "versus=") || !strings.Contains(v.Legend, "Orange: more") {
		t.Errorf("fire compared with theft: %+v, want %v and %v", v, fire, theft)
	}
	if read.Copied != read.Both.SQL {
		t.Errorf("the clipboard has %q", read.Copied)
	}
	if n := len(read.Spots.Places); n == 0 || n > 20 || !strings.Contains(read.Spots.SQL, "ccbf_polygon_sum") {
		t.Errorf("places are %v by\n%s", read.Spots.Places, read.Spots.SQL)
	}
	if p := read.PNG; p.Name != "ccbfsql.png" || p.Width == 0 || p.Width != p.Window.Width || p.Height <= p.Window.Height {
		t.Errorf("the picture is %+v", read.PNG)
	}
	if !strings.Contains(read.CSV, "\nkind,fire,") || !strings.Contains(read.CSV, "\nplace,1,") || !strings.Contains(read.CSV, jsonNumber(want)+","+jsonNumber(want)+","+jsonNumber(want)) {
		t.Errorf("the CSV is %s", read.CSV)
	}
	if f := read.GeoJSON.Features; len(f) != 1+len(read.Spots.Places) || f[0].Properties["count"] != want {
		t.Errorf("the GeoJSON is %+v", f)
	}
	if b := read.At.Box; read.At.Cells == 0 || read.At.Estimate != read.At.High {
		t.Errorf("nothing below the pointer: %+v", read.At)
	} else if want := count(t, db, sprintBox(b)); math.Abs(read.At.Estimate-want) > 0 {
		t.Errorf("below the pointer are %v in %v, want %v", read.At.Estimate, b, want)
	}
	for name, s := range map[string]state{"metres": read.Metres, "partly": read.Partly, "small": read.Small, "kinds": read.Kinds} {
		if s.Answer != "" || s.Spots != 0 || s.Pins != 0 || s.Error != "" {
			t.Errorf("%s has of the layer before: %+v", name, s)
		}
		if s.Tiles == "" || s.Legend == "" {
			t.Errorf("%s: tiles %q, legend %q", name, s.Tiles, s.Legend)
		}
	}
	if !strings.Contains(read.Metres.Reason, "not longitudes and latitudes") {
		t.Errorf("metres are told as %q", read.Metres.Reason)
	}
	if !strings.Contains(read.Partly.Bad, "1 row left out") || !strings.Contains(read.Partly.Bad, "Row 2: ") {
		t.Errorf("a bad row is told as %q", read.Partly.Bad)
	}
	if !strings.Contains(read.Small.Legend, "sample of the cells") {
		t.Errorf("the legend of counters says %q", read.Small.Legend)
	}
	if strings.Join(read.Kinds.Names, " ") != "all drugs fire other theft" || len(read.Kinds.Bars) != 4 {
		t.Errorf("categories are %v, bars %v", read.Kinds.Names, read.Kinds.Bars)
	}
	if !strings.Contains(read.Wrong.Error, "not WKT") {
		t.Errorf("a wrong area is told as %q", read.Wrong.Error)
	}
	if want := count(t, db, "x >= -3 AND y >= 51 AND x < 1 AND (y - 51) < (x + 3) / 2 OR x >= 1 AND x < 2 AND y >= 54 AND y - 54 < x - 1"); math.Abs(read.Dropped.Estimate-want) > 0 {
		t.Errorf("a file of two polygons: %v, want %v\n%s", read.Dropped.Estimate, want, read.Dropped.SQL)
	}
	if !strings.Contains(read.Category, `did you mean "theft"`) {
		t.Errorf("a category that is not there is told as %q", read.Category)
	}
	if len(read.Problems) > 0 || read.Failed > 0 {
		t.Errorf("the browser complains: %q, %d tiles failed", read.Problems, read.Failed)
	}
}

func sprintBox(b [4]float64) string {
	return "x > " + jsonNumber(b[0]) + " AND y > " + jsonNumber(b[1]) + " AND x < " + jsonNumber(b[2]) + " AND y < " + jsonNumber(b[3])
}
