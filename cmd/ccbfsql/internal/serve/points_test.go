package serve

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/internal/data"
)

// A file becomes a map with one command. The columns are found, the resolution suits, sketches are
// grouped by time and kind, and the sums equal those of the file.
func TestServePoints(t *testing.T) {
	folder := t.TempDir()
	db := opened(t, "")
	csv := filepath.Join(folder, "thefts of 2018.csv")
	save := filepath.Join(folder, "saved.duckdb")
	if _, err := db.Exec(fmt.Sprintf(`COPY (SELECT -74 + (i %% 1000) / 5000 AS start_lng, 40.6 + (i %% 777) / 5000 AS start_lat,
			timestamp '2018-10-01' + to_hours((i %% 2000)::INTEGER) AS began, i %% 3 = 0 AS solved, i AS id, 'note ' || i AS note FROM range(6000) t(i)
			UNION ALL SELECT NULL, 40, NULL, NULL, 0, '') TO %s`, lexer.QuoteText(csv))); err != nil {
		t.Fatal(err)
	}
	url, out := startedWith(t, Options{File: csv, Points: Points{Save: save}})
	for _, want := range []string{"as they have no point: 1.", "6000 points by day and solved, in cells of 0.001 ", "date_trunc('day', \"began\")::DATE AS \"day\"", "Serving " + save} {
		if !strings.Contains(out, want) {
			t.Errorf("it says %q, not %q", out, want)
		}
	}
	layers := layersOf(t, url)
	if l := layers["thefts of 2018"]; len(layers) != 1 || l == nil || l.Total != 6000 || len(l.Sliders) != 2 || l.Rows != 168 {
		t.Fatalf("layers are %s", encoded(t, layers))
	}
	a := summed(t, url, `{"table": "thefts of 2018", "column": "sketch", "box": [-75, 40, -73, 42], "where": [{"by": "solved", "value": "true"}, {"by": "day", "value": "2018-10-01", "to": "2018-10-02"}]}`)
	if want := number(t, db, "SELECT count(*) FROM range(6000) t(i) WHERE i % 2000 < 48 AND i % 3 = 0"); a.Estimate != want {
		t.Errorf("%+v, want %v", a, want)
	}
	saved := opened(t, save+"?"+confined)
	if total := number(t, saved, `SELECT sum(ccbf_total(sketch)) FROM "thefts of 2018"`); total != 6000 {
		t.Errorf("saved are %v points", total)
	}
}

// A column that names its rows, as an address does, is no group: a map of it would publish them.
func TestGroups(t *testing.T) {
	p := &plan{rows: 50}
	kinds := []*statistics{{tableColumn{"email", "VARCHAR"}, 50, 0}, {tableColumn{"kind", "VARCHAR"}, 3, 0}, {tableColumn{"street", "VARCHAR"}, 13, 0}}
	if err := p.group(kinds, nil, ""); err != nil || len(p.groups) != 1 || p.groups[0].name != "kind" {
		t.Errorf("groups are %v, %v", p.groups, err)
	}
}

// The resolution follows from the number of points, their spread, and the squares of a degree that have points.
func TestResolution(t *testing.T) {
	for _, c := range []struct{ points, squares, width, height, want float64 }{
		{5000, 1, 0.2, 0.2, 0.001},           // A town: sqrt(0.04 / 50,000) = 0.0009.
		{5e6, 1, 0.2, 0.2, 0.0001},           // 0.00003, and 10 m at least.
		{1045096, 35, 5.15, 3.99, 0.001},     // England and Wales: 0.0014.
		{171075, 13_000, 225, 77, 0.1},       // The world: 0.09.
		{287, 250, 200, 80, 0.1},             // 0.3, and 10 km at most.
		{5000, 5, 176, 70, 0.01},             // Berlin, Paris and Fiji: 0.01, not 0.5.
		{5000, 1, 0.2, 0, 0.0001},            // Along a road, as if 1/100 as wide: 0.00009.
		{10, 1, 0.02, 0.02, 0.0001},          // Few: 100 cells along the side.
		{100, 1, 0, 0, 0.001},                // One place.
		{5000, 5000, 30_000, 30_000, 100},    // metres: 134
		{5e6, 4_900_000, 30_000, 30_000, 10}, // 4.2
	} {
		if got := resolution(c.points, c.squares, c.width, c.height); got != c.want {
			t.Errorf("%+v: cells of %v", c, got)
		}
	}
}

// The choices for real files.
func TestPlanOfRealFiles(t *testing.T) {
	for file, want := range map[string]string{
		"uk_crime_2018q4.parquet":          "1045096 points by month and category, in cells of 0.001 ",
		"nyc_taxi_pickups.parquet":         "28014 points, in cells of 0.0001 ",
		"geonames_cities.parquet":          "171075 points, in cells of 0.1 ",
		"jhu_covid19_confirmed_global.csv": "287 points, in cells of 0.1 ",
	} {
		path := data.Path(file)
		_, out := startedWith(t, Options{File: path})
		if !strings.Contains(out, want) || !strings.Contains(out, "Serving "+path) {
			t.Errorf("%s: %s", file, out)
		}
	}
}

// An error asks for what cannot be found in a file.
func TestPointsAsks(t *testing.T) {
	folder := t.TempDir()
	csv := written(t, folder, "two.csv", "pickup_lon,dropoff_lon,lat,word\n1.5,2.5,50.5,a\n")
	for _, c := range []struct {
		file, text string
		points     Points
	}{
		{csv, "x and y are both column pickup_lon", Points{X: "pickup_lon", Y: "pickup_lon"}},
		{csv, "pickup_lon and dropoff_lon may each be the column of x: choose one with -x COLUMN", Points{}},
		{csv, `no column "pickup_lan"; did you mean "pickup_lon"?`, Points{X: "pickup_lan"}},
		{csv, "word", Points{X: "pickup_lon", Y: "word"}},
		{filepath.Join(folder, "none.csv"), "none.csv", Points{}},
		{written(t, folder, "empty.csv", "lon,lat\n"), "lon is VARCHAR, not of numbers", Points{}},
		{written(t, folder, "comma.csv", "place;lon;lat\na;1,5;2,5\n"), "lon is VARCHAR, not of numbers", Points{}},
		{written(t, folder, "nulls.csv", "lon,lat\n1.5,\n,2.5\n"), "has no row with a point in lon and lat", Points{}},
		{written(t, folder, "words.csv", "a,b\nx,y\n"), "there is none", Points{}},
	} {
		err := Run(t.Context(), Options{File: c.file, Points: c.points, Addr: "127.0.0.1:0", Memory: 1 << 28}, new(strings.Builder))
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for name, want := range map[string]bool{
		"a.parquet": true, "a.CSV.gz": true, "https://x.example/p/a.parquet?sig=1": true, "s3://b/a.json": true,
		"a.duckdb": false, "a.db": false, "a": false, "parquet": false,
	} {
		if o := (Options{File: name}); o.IsPoints() != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// A file at a URL is served like a local one, with and without DuckDB's extension httpfs. A hostile
// file does no harm.
func TestStrangersFiles(t *testing.T) {
	folder := t.TempDir()
	db := opened(t, "")
	// Two columns of times, 5,000 kinds, a boolean. TestFirstView has the view of points at (0, 0), and of metres.
	if _, err := db.Exec(fmt.Sprintf(`COPY (SELECT 2.1 + (hash(i) %% 1000) / 3000 AS "Longitude (WGS84)", 48.8 + (hash(i, 1) %% 1000) / 5000 AS "Latitude (WGS84)", 'kind ' || i %% 5000 AS kind,
			date '2020-01-01' + (i %% 700)::INTEGER AS day, timestamptz '2020-01-01 00:00:00+00' + to_hours((i %% 5000)::INTEGER) AS at, i %% 2 = 0 AS solved FROM range(6000) t(i)
			UNION ALL SELECT 0, 0, 'none', NULL, NULL, NULL FROM range(600)) TO %s`, lexer.QuoteText(filepath.Join(folder, "points.parquet")))); err != nil {
		t.Fatal(err)
	}
	files := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer files.Close()
	url, out := startedWith(t, Options{File: files.URL + "/points.parquet?key=1"})
	if !strings.Contains(out, "6600 points by month and solved, in cells of 0.01 ") || !strings.Contains(out, `CREATE TABLE "points"`) {
		t.Errorf("it says %s", out)
	}
	a := summed(t, url, `{"table": "points", "column": "sketch", "box": [1, 48, 3, 50], "where": [{"by": "solved", "value": "false"}, {"by": "month", "value": "2020-01-01", "to": "2020-01-01"}]}`)
	if want := number(t, db, "SELECT count(*) FROM range(6000) t(i) WHERE i % 700 < 31 AND i % 2 = 1"); a.Estimate != want {
		t.Errorf("%+v, want %v", a, want)
	}
	err := Run(t.Context(), Options{File: files.URL + "/none.parquet", Addr: "127.0.0.1:0", Memory: 1 << 28}, new(strings.Builder))
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Points of a GEOMETRY column and of a table in a database are served, by the requested period.
// Without -table the page lists the tables of points, and builds their sketches.
func TestServeTable(t *testing.T) {
	folder := t.TempDir()
	const rows = "SELECT lon, lat, date '2020-01-01' + (i % 60)::INTEGER AS began FROM (SELECT i, (hash(i) % 1000) / 1000 AS lon, 50 + (hash(i, 1) % 1000) / 1000 AS lat FROM range(3000) t(i))"
	file := database(t, "CREATE TABLE trips AS "+rows+`;
		COPY (SELECT ('POINT (' || lon || ' ' || lat || ')')::GEOMETRY AS place, began FROM (`+rows+`) UNION ALL SELECT 'LINESTRING (0 0, 1 1)'::GEOMETRY, date '2020-01-01' UNION ALL SELECT 'MULTIPOINT (0.5 50.5, 0.6 50.6)'::GEOMETRY, date '2020-01-01') TO '`+filepath.Join(folder, "geo.parquet")+"'")
	sum := func(url, table, where string) float64 {
		t.Helper()
		return summed(t, url, `{"table": "`+table+`", "column": "sketch", "box": [-1, 49, 2, 52], "where": [`+where+`]}`).Estimate
	}
	url, out := startedWith(t, Options{File: filepath.Join(folder, "geo.parquet"), Points: Points{Grain: "month"}})
	if !strings.Contains(out, "3001 rows of points by month") || sum(url, "geo", "") != 3002 || sum(url, "geo", `{"by": "month", "value": "2020-02-01"}`) != 1450 {
		t.Errorf("points of a GEOMETRY column: %s", out)
	}
	url, _ = startedWith(t, Options{File: file, Points: Points{Table: "trips"}})
	if n := sum(url, "trips_sketches", `{"by": "began", "value": "2020-01-03"}`); n != 50 {
		t.Errorf("a day of a table has %v points, want 50", n)
	}
	url, out = startedWith(t, Options{File: file})
	_, body := get(t, url+"/api/tables")
	if !strings.Contains(out, "-table trips") || !strings.Contains(string(body), `"table":"trips","x":"lon","y":"lat"`) {
		t.Errorf("it offers %s and %s", out, body)
	}
	if status, body := post(t, url+"/api/build", `{"table": "nothing"}`); status != http.StatusNotFound {
		t.Errorf("a table that is not there: %d %s", status, body)
	}
	if status, body := post(t, url+"/api/build", `{"table": "trips"}`); status != http.StatusOK {
		t.Fatalf("building: %d %s", status, body)
	}
	if n := sum(url, "trips_sketches", ""); n != 3000 {
		t.Errorf("what was built has %v points", n)
	}
}

// Usual names of coordinates are whole names or parts of names; easting and northing are whole names only.
func TestNamesOfCoordinates(t *testing.T) {
	for _, c := range []struct{ names, x, y string }{
		{"id lon lat", "lon", "lat"},
		{"Easting Northing id", "Easting", "Northing"},
		{"site_x site_y site_easting site_northing", "site_x", "site_y"},
		{"lon_a lat_a old_northing", "lon_a", "lat_a"},
		{"my_easting my_northing", "", ""},
		{"from_lon from_lat to_lon to_lat", "", ""},
		{"longitude latitude long_name", "longitude", "latitude"},
	} {
		var columns []tableColumn
		for name := range strings.FieldsSeq(c.names) {
			columns = append(columns, tableColumn{name: name, typ: "DOUBLE"})
		}
		x, xErr := coordinate(columns, "", "x")
		y, yErr := coordinate(columns, "", "y")
		if x != c.x || y != c.y || (xErr == nil) != (c.x != "") || (yErr == nil) != (c.y != "") {
			t.Errorf("%s: %q and %q (%v, %v), want %q and %q", c.names, x, y, xErr, yErr, c.x, c.y)
		}
	}
}
