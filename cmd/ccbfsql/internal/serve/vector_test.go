package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"
)

// Vector tiles have two extensions, empty ones have no bytes, and TileJSON names their address.
// TestGDAL reads them.
func TestVectorTiles(t *testing.T) {
	url := started(t, database(t, towns))
	if status, body := get(t, url+"/tiles/to%20wns/s%22k/9/256/171.mvt?by=month&value=month+1"); status != http.StatusOK || len(body) == 0 {
		t.Errorf("%d, %d bytes", status, len(body))
	}
	if status, body := get(t, url+"/tiles/to%20wns/s%22k/9/0/0.mvt"); status != http.StatusOK || len(body) != 0 {
		t.Errorf("an empty tile: %d, %d bytes", status, len(body))
	}
	_, body := get(t, url+"/tiles/to%20wns/s%22k.json?by=month&value=month+1")
	j := decoded[tileJSON](t, body)
	if j.TileJSON != "3.0.0" || len(j.Tiles) != 1 || j.Tiles[0] != url+"/tiles/to%20wns/s%22k/{z}/{x}/{y}.mvt?by=month&value=month+1" || len(j.Vectors) != 1 || j.Bounds != [4]float64{0.25, 50.25, 1.75, 51.75} {
		t.Errorf("TileJSON is %s", body)
	}
	for path, want := range map[string]int{"/tiles/to%20wns/none.json": 404, "/tiles/to%20wns/s%22k": 404, "/tiles/to%20wns/s%22k.json?format=jpg": 400, "/tiles/to%20wns/s%22k/9/0/0.pbf": 200, "/tiles/to%20wns/s%22k/9/0/0": 400} {
		if status, body := get(t, url+path); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
}

// Pages of permitted origins can load tiles and nothing else. Pages of other origins can load
// nothing.
func TestCORS(t *testing.T) {
	url, _ := startedWith(t, Options{Database: database(t, towns), CORS: []string{"https://maps.example"}})
	for _, c := range []struct {
		path, origin string
		status       int
		allowed      string
	}{
		{"/tiles/july/s%22k/2/2/1.png", "https://maps.example", 200, "https://maps.example"},
		{"/tiles/july/s%22k.json", "https://maps.example", 200, "https://maps.example"},
		{"/tiles/july/s%22k/2/2/1.mvt", "https://maps.example:444", 403, ""},
		{"/tiles/july/s%22k/2/2/1.mvt", "null", 403, ""},
		{"/api/layers", "https://maps.example", 403, ""},
		{"/tiles/july/s%22k/2/2/1.png", "", 403, ""},
	} {
		header := map[string]string{"Sec-Fetch-Site": "cross-site"}
		if c.origin != "" {
			header["Origin"] = c.origin
		}
		resp, _ := ask(t, http.MethodGet, url+c.path, "", header)
		if got := fmt.Sprint(resp.StatusCode, resp.Header.Get("Access-Control-Allow-Origin"), resp.Header.Get("Vary")); got != fmt.Sprint(c.status, c.allowed, "Origin") {
			t.Errorf("%s from %q: %s", c.path, c.origin, got)
		}
	}
}

// GDAL reads a vector tile, and all vector tiles of a zoom through TileJSON. Every cell is in its place,
// with the count of the exact table. TestTiles looks at pictures.
func TestGDAL(t *testing.T) {
	if firstOf("ogr2ogr") == "" {
		t.Skip("left out: no ogr2ogr (Debian's gdal-bin)")
	}
	file := database(t, towns)
	url := started(t, file)
	db := opened(t, file+"?"+confined)
	type features struct {
		Features []struct {
			Properties struct {
				Count float64
				Cell  bool
			}
			Geometry struct{ Coordinates [][][2]float64 }
		}
	}
	read := func(args ...string) (f features) {
		t.Helper()
		out, err := exec.Command("ogr2ogr", append([]string{"-f", "GeoJSON", "/vsistdout/", "-t_srs", "EPSG:4326"}, args...)...).Output()
		if err == nil {
			err = json.Unmarshal(out, &f)
		}
		if err != nil {
			t.Fatalf("ogr2ogr %v: %v", args, err)
		}
		return f
	}

	// At a low zoom all points are in one tile, as parts whose counts are rounded to thousandths.
	sum := 0.0
	far := read("MVT:" + url + "/tiles/to%20wns/s%22k/3/4/2.pbf")
	for _, f := range far.Features {
		sum += f.Properties.Count
	}
	if math.Abs(sum-12000) > 0.0005*float64(len(far.Features))+1e-6*12000 {
		t.Errorf("GDAL reads %v points in %d parts, of 12000", sum, len(far.Features))
	}

	// All tiles of zoom 9, of one month. Cells on an edge are divided.
	layer := url + "/tiles/to%20wns/s%22k"
	const month = "?by=month&value=month%201"
	near := read("MVT:"+layer+"/9", "-oo", "METADATA_FILE="+layer+".json"+month, "-oo", "TILE_EXTENSION=mvt"+month)
	exact := map[[2]int]float64{}
	rows, err := db.Query(`SELECT floor(c.x / 0.01)::INTEGER, floor(c.y / 0.01)::INTEGER, sum(c.count)::DOUBLE
		FROM (SELECT unnest(ccbf_cells("s""k")) AS c FROM "to wns" WHERE month = 'month 1') GROUP BY ALL`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var at [2]int
		var n float64
		if err := rows.Scan(&at[0], &at[1], &n); err != nil {
			t.Fatal(err)
		}
		exact[at] = n
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	seen := map[[2]int]bool{}
	for _, f := range near.Features {
		low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
		for _, p := range f.Geometry.Coordinates[0] {
			for axis, v := range p {
				low[axis], high[axis] = min(low[axis], v), max(high[axis], v)
			}
		}
		var at [2]int
		for axis := range at {
			at[axis] = int(math.Floor((low[axis] + high[axis]) / 2 / 0.01)) // the middle of a part is in its cell
		}
		seen[at] = true
		if f.Properties.Count != exact[at] || !f.Properties.Cell {
			t.Errorf("GDAL reads %v at cell %v, which has %v", f.Properties.Count, at, exact[at])
		}
	}
	if len(seen) != len(exact) || len(exact) == 0 {
		t.Errorf("GDAL reads %d cells of %d", len(seen), len(exact))
	}
}

// A MapLibre page of another, permitted origin reads TileJSON and draws the vector tiles.
func TestOtherOriginDrawsTiles(t *testing.T) {
	t.Parallel()
	files := http.FileServer(http.Dir(filepath.Join("..", "..", "..", "..", "web", "node_modules", "maplibre-gl", "dist")))
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><div id="map" style="position: fixed; inset: 0"></div>`))
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer page.Close()
	url, _ := startedWith(t, Options{Database: database(t, towns), CORS: []string{page.URL}})
	var read struct {
		Counts   int
		Most     float64
		Problems []string
	}
	out := browsed(t, "tiles.mjs", page.URL, url+"/tiles/july/s%22k.json")
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if read.Counts == 0 || !(read.Most >= 1) || len(read.Problems) > 0 {
		t.Errorf("the page has %+v", read)
	}
}
