package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A difference has one colour if there is more, another if there is less, and none between equal
// rows.
func TestDifference(t *testing.T) {
	url := started(t, database(t, towns))
	const path = "/tiles/to%20wns/s%22k/6/32/21.png?top=20000"
	const month, all = "&by=month&value=month+1", ""
	const versusMonth, versusAll = `&versus={"where":[{"by":"month","value":"month%201"}]}`, `&versus={}`
	for query, want := range map[string]struct{ more, less bool }{
		all + versusMonth:   {more: true},
		month + versusAll:   {less: true},
		month + versusMonth: {},
	} {
		more, less := 0, 0
		for _, c := range pixels(t, url+path+query) {
			if c.R > c.B {
				more++
			} else {
				less++
			}
		}
		if more > 0 != want.more || less > 0 != want.less {
			t.Errorf("%s: %d pixels with more, %d with less, want %+v", query, more, less, want)
		}
	}
	_, body := get(t, url+`/api/scale?table=to+wns&column=s%22k&xmin=0&ymin=50&xmax=2&ymax=52&pixel=0.01&versus={"where":[{"by":"month","value":"month%201"}]}`)
	if s := decoded[viewScale](t, body); len(s.Colours) != 2*(steps+1) || !(s.Top > 0) {
		t.Errorf("the scale is %s", body)
	}
}

// Pictures of counters show the towns and nothing between them, because what collisions add is
// subtracted. Counts in vector tiles are never below the truth.
func TestEmptyCountryIsEmpty(t *testing.T) {
	url := started(t, database(t, `CREATE TABLE towns AS SELECT i % 2 AS month, ccbf_agg(lon, lat, 0.001, {bytes: 16384, exact: false, mode: mode}) AS s, mode
		FROM (SELECT i, (i % 2) * 0.6 + 0.01 * sqrt(-2 * ln((hash(i) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 1) % 1000000) / 1e6) AS lon,
			(i % 2) * 0.6 + 0.01 * (hash(i, 2) % 1000) / 1000 AS lat FROM range(20000) t(i)
			UNION ALL SELECT i, i // 2 * 0.9 - 0.1, i // 2 * 0.9 - 0.1 FROM range(4) t(i)), (VALUES ('mi'), ('standard')) m(mode) GROUP BY ALL`))
	tile := func(lon, lat float64) string { // of zoom 10, 0.35 degrees wide
		return fmt.Sprintf("10/%d/%d", int((lon+180)/360*1024), int(512-lat/360*1024)) // near the equator
	}
	for _, mode := range []string{"mi", "standard"} {
		where := "?where=" + queryText(`[{"by": "mode", "value": "`+mode+`"}]`)
		for at, want := range map[string]bool{tile(0.01, 0.005): true, tile(0.61, 0.605): true, tile(0.1, 0.61): false, tile(0.6, 0.1): false} {
			n := drawnPixels(t, url+"/tiles/towns/s/"+at+".png"+where)
			// A town has about 100 pixels. 0.1% of all pixels may be chance.
			if want && n < 15 || !want && n > tileSide*tileSide/1000 {
				t.Errorf("%s at %s: %d pixels", mode, at, n)
			}
		}
	}
	if status, body := get(t, url+"/tiles/towns/s/"+tile(0.1, 0.61)+".mvt"); status != http.StatusOK || len(body) == 0 {
		t.Errorf("vector tiles are without their counts: %d, %d bytes", status, len(body))
	}
}

// A tile has its points where the projection puts them, and the four tiles below it show the same
// places.
func TestTiles(t *testing.T) {
	url := started(t, database(t, towns))
	// It reaches from 0 to 5.6 degrees east and from 48.9 to 52.5 north.
	const path = "/tiles/to%20wns/s%22k/6/32/21.png"
	img := tileAt(t, url+path)
	if b := img.Bounds(); b.Dx() != tileSide || b.Dy() != tileSide {
		t.Fatalf("a tile of %v", b)
	}
	filled := func(lon, lat float64) bool {
		x, y := mercatorPixel(lon, lat, 6)
		_, _, _, a := img.At(x-32*tileSide, y-21*tileSide).RGBA()
		return a != 0
	}
	for _, p := range []struct {
		lon, lat float64
		want     bool
	}{{0.5, 50.5, true}, {1.5, 50.5, true}, {0.5, 51.5, true}, {1.5, 51.5, true}, {1, 50.5, false}, {0.5, 51, false}, {0.1, 50.1, false}, {1.5, 51.9, false}} {
		if got := filled(p.lon, p.lat); got != p.want {
			t.Errorf("the pixel of (%v, %v) has points: %v", p.lon, p.lat, got)
		}
	}
	// At a low zoom, and on the other side of the world.
	if n := drawnPixels(t, url+"/tiles/to%20wns/s%22k/7/0/0.png") + drawnPixels(t, url+"/tiles/to%20wns/s%22k/24/0/0.png"); n > 0 {
		t.Errorf("%d pixels without points have a colour", n)
	}
	// One of the towns, and all of them.
	one, all := drawnPixels(t, url+path+"?by=tile&value=0"), drawnPixels(t, url+path)
	if one == 0 || all < 3*one {
		t.Errorf("%d pixels of one town, %d of four", one, all)
	}
}

// A tile in which no sketch has points is not drawn.
func TestBlankTile(t *testing.T) {
	layers, err := newServer(database(t, towns), 1<<30).all(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	style, _ := styleOf(nil)
	draw := func() { _, err = layers[0].tile(t.Context(), filter{}, 7, 0, 0, style) }
	if n := testing.AllocsPerRun(9, draw); n > 9 || err != nil {
		t.Errorf("%v allocations, error %v", n, err)
	}
}

// Tiles without a top have common colours, also for categories of counters: only the larger of two towns is light.
func TestColoursOfCategory(t *testing.T) {
	url := started(t, database(t, `CREATE TABLE towns AS SELECT ccbf_agg(i % 8 // 7 * 90 + hash(i) % 9 / 10, hash(i, 1) % 9 / 10, 0.1, {category: 'a', exact: false}) AS s FROM range(8000) t(i)`))
	for at, want := range map[string]bool{"6/32/31": true, "6/48/31": false} {
		light := false
		for _, c := range pixels(t, url+"/tiles/towns/s/"+at+".png?category=a") {
			light = light || c.G > 0xb0
		}
		if light != want {
			t.Errorf("%s is light: %v", at, light)
		}
	}
}

// A layer in metres is drawn in its own plane, cell by cell.
func TestPlane(t *testing.T) {
	url := started(t, database(t, `CREATE TABLE metres AS SELECT ccbf_agg(x, y, 100) AS s FROM (VALUES (500050, 4000050), (500050, 4000050), (500150, 4000050), (503050, 4002050)) t(x, y)`))
	_, body := get(t, url+"/api/look?table=metres&column=s")
	at := decoded[layerExtent](t, body)
	if at.Degrees || at.Plane == nil || at.Plane.Side != 25600 {
		t.Fatalf("the look is %s", body)
	}
	// At zoom 1 a pixel is half as wide as a cell: a cell has 4 pixels.
	drawn := map[[2]int]uint8{}
	for x := range 2 {
		for y := range 2 {
			for p := range pixels(t, fmt.Sprintf("%s/tiles/metres/s/1/%d/%d.png?top=1", url, x, y)) {
				px, py := x*tileSide+p.X, y*tileSide+p.Y
				cell := [2]int{int(at.Plane.West)/100 + px/2, int(at.Plane.North)/100 - 1 - py/2}
				drawn[cell]++
			}
		}
	}
	want := map[[2]int]uint8{{5000, 40000}: 4, {5001, 40000}: 4, {5030, 40020}: 4}
	if fmt.Sprint(drawn) != fmt.Sprint(want) {
		t.Errorf("pixels of cells: %v, want %v", drawn, want)
	}
	if _, body := get(t, url+"/api/at?table=metres&column=s&x=500070&y=4000020&side=1"); decoded[place](t, body).Estimate != 2 {
		t.Errorf("at a place with two points: %s", body)
	}
}

// Vector tiles have two extensions, empty ones have no bytes, and TileJSON has their address. TestGDAL reads them.
func TestVectorTiles(t *testing.T) {
	url := started(t, database(t, towns))
	if status, body := get(t, url+"/tiles/to%20wns/s%22k/9/256/171.mvt?by=month&value=month+1"); status != http.StatusOK || len(body) == 0 {
		t.Errorf("%d, %d bytes", status, len(body))
	}
	if status, body := get(t, url+"/tiles/to%20wns/s%22k/9/0/0.mvt"); status != http.StatusOK || len(body) != 0 {
		t.Errorf("an empty tile: %d, %d bytes", status, len(body))
	}
	_, body := ask(t, http.MethodGet, url+"/tiles/to%20wns/s%22k.json?by=month&value=month+1", "", map[string]string{"X-Forwarded-Proto": "https"})
	j := decoded[tileJSON](t, body)
	if j.TileJSON != "3.0.0" || len(j.Tiles) != 1 || j.Tiles[0] != "https"+url[len("http"):]+"/tiles/to%20wns/s%22k/{z}/{x}/{y}.mvt?by=month&value=month+1" || len(j.Vectors) != 1 || j.Bounds != [4]float64{0.25, 50.25, 1.75, 51.75} {
		t.Errorf("TileJSON is %s", body)
	}
	if c := j.Center; c != [3]float64{1, 51, 7} { // a view of 1.5 degrees: at zoom 7 a tile is 2.8 wide, and 1.8 high here
		t.Errorf("the centre is %v", c)
	}
}

// Pages of permitted origins can load tiles and nothing else. Pages of other origins can load
// nothing.
func TestCORS(t *testing.T) {
	url, _ := startedWith(t, Options{File: database(t, towns), CORS: []string{"https://maps.example"}})
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
	url, db := served(t, towns)
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

	// At a low zoom all points are in one tile, as squares of many cells.
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
	for line := range strings.Lines(text(t, db, `SELECT string_agg(concat_ws(' ', x, y, n), chr(10))
		FROM (SELECT grid_cell(lon, 0.01) AS x, grid_cell(lat, 0.01) AS y, count(*) AS n FROM points WHERE month = 'month 1' GROUP BY ALL)`)) {
		var at [2]int
		var n float64
		if _, err := fmt.Sscan(line, &at[0], &at[1], &n); err != nil {
			t.Fatal(err)
		}
		exact[at] = n
	}
	seen := map[[2]int]bool{}
	for _, f := range near.Features {
		var at [2]int
		ring := f.Geometry.Coordinates[0]
		for axis := range at {
			at[axis] = int(math.Floor((ring[0][axis] + ring[2][axis]) / 2 / 0.01)) // the middle of a part, between two corners, is in its cell
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
	url, _ := startedWith(t, Options{File: database(t, towns), CORS: []string{page.URL}})
	type drawn struct {
		Counts   int
		Most     float64
		Problems []string
	}
	read := browsed[drawn](t, "tiles.mjs", page.URL, url+"/tiles/july/s%22k.json")
	if read.Counts == 0 || !(read.Most >= 1) || len(read.Problems) > 0 {
		t.Errorf("the page has %+v", read)
	}
}
