package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
)

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
