package serve

import (
	"fmt"
	"net/http"
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
