package serve

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// numbered returns a database with categories that are numbers.
const numbered = towns + `;
CREATE TABLE numbered AS SELECT ccbf_agg(lon, lat, 0.01, {category: tile}) AS s FROM points;
CREATE TABLE either AS SELECT ccbf_agg(lon, lat, 0.01, {category: month, totals: true}) AS s FROM points`

// asked sends a request and returns the status and the body.
func asked(t *testing.T, method, url, body string, header map[string]string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// A client's mistake has a status from 400 to 499 and an error that describes it.
func TestClientMistakes(t *testing.T) {
	url := started(t, database(t, numbered))
	sum := func(table, rest string) string { return `{"table": "` + table + `", "column": "s", ` + rest + `}` }
	const box = `"box": [0, 50, 1, 51]`
	const large = `"box": [-1e308, -1e308, 1e308, 1e308]`
	for _, c := range []struct {
		path, body string
		status     int
		text       string
	}{
		{"/tiles/dense/s/14/8214/5470.png?category=x", "", 400, "without a category"},
		{"/api/hotspots", sum("dense", box+`, "category": "x"`), 400, "without a category"},
		{"/api/sum", sum("dense", box+`, "category": "x"`), 400, "without a category"},
		{"/tiles/kinds/s/2/2/1.png?category=no+such", "", 400, "no category"},
		{"/api/sum", sum("kinds", box), 200, `"estimate"`},
		{"/api/sum", sum("kinds", box+`, "category": "no such"`), 400, "no category"},
		{"/tiles/numbered/s/2/2/1.png?category=1", "", 200, ""},
		{"/api/sum", sum("numbered", box+`, "category": "1"`), 200, `"estimate"`},
		{"/api/sum", sum("numbered", box+`, "category": "one"`), 400, "no category"},
		{"/api/hotspots", sum("numbered", box+`, "category": "1"`), 200, ""},
		{"/api/hotspots", sum("either", box+`, "category": "month 1"`), 200, ""},
		{"/api/sum", sum("either", box), 200, ""},
		{"/api/sum", sum("dense", large), 422, "ccbf_polygon_estimate"},
		{"/api/sum", sum("kinds", large+`, "category": "month 1"`), 422, "ccbf_polygon_estimate"},
		{"/api/sum", sum("dense", `"box": [0, 50, 1e300, 51]`), 422, "ccbf_polygon_estimate"},
		{"/api/sum", sum("dense", `"box": [-1, 49, 3, 53]`), 422, "the limit is"},
		{"/api/sum", sum("dense", `"box": [0, 50, 1e999, 51]`), 400, "not the JSON"},
		{"/api/sum", sum("dense", `"polygon": {"type": "Polygon", "coordinates": [[[0, 50], [1e308, 50], [-1e308, 51], [0, 51]]]}`), 422, "ccbf_polygon_estimate"},
		{"/api/sum", sum("dense", `"polygon": {"type": "GeometryCollection", "geometries": []}`), 400, "empty"},
		{"/api/sum", sum("dense", `"polygon": {"type": "FeatureCollection", "features": []}`), 400, "empty"},
		{"/api/sum", sum("dense", `"polygon": {"type": "MultiPolygon", "coordinates": []}`), 400, "empty"},
		{"/api/sum", sum("dense", `"polygon": {"type": "Polygon", "coordinates": []}`), 400, "empty"},
		{"/api/sum", sum("dense", `"polygon": {"type": "Feature", "geometry": null}`), 400, "the polygon is empty"},
		{"/api/sum", sum("dense", `"polygon": 7`), 400, "GeoJSON"},
		{"/api/hotspots", sum("dense", large), 422, "the limit is"},
		{"/api/hotspots", sum("kinds", large+`, "category": "month 1"`), 200, ""},
	} {
		method := http.MethodGet
		if c.body != "" {
			method = http.MethodPost
		}
		status, text := asked(t, method, url+c.path, c.body, nil)
		if status != c.status || !strings.Contains(text, c.text) {
			t.Errorf("%s %s: %d %.200s, want %d and %q", c.path, c.body, status, text, c.status, c.text)
		}
	}
	if status, text := asked(t, http.MethodPost, url+"/api/sum", sum("dense", box), map[string]string{"Content-Type": "text/plain"}); status != 415 {
		t.Errorf("a text that calls itself no JSON: %d %s", status, text)
	}
}

// No request of a page of another site runs, in whatever way it is sent.
func TestOtherSites(t *testing.T) {
	url := started(t, database(t, towns))
	host := strings.TrimPrefix(url, "http://")
	const question = `{"table": "kinds", "column": "s", "box": [0, 50, 9, 59], "category": "month 2"}`
	port := host[strings.LastIndexByte(host, ':'):]
	for _, c := range []struct {
		method, path string
		header       map[string]string
		status       int
	}{
		{"POST", "/api/sum", nil, 200},
		{"POST", "/api/sum", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": url}, 200},
		{"POST", "/api/sum", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"POST", "/api/sum", map[string]string{"Sec-Fetch-Site": "same-site"}, 403}, // another port
		{"POST", "/api/sum", map[string]string{"Sec-Fetch-Site": "new word"}, 403},
		{"POST", "/api/sum", map[string]string{"Origin": "https://map.example"}, 403},
		{"POST", "/api/sum", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{"POST", "/api/sum", map[string]string{"Origin": "null"}, 403},
		{"POST", "/api/sum", map[string]string{"Origin": "http://%"}, 403},
		{"POST", "/api/sum", map[string]string{"Host": "map.example" + port, "Origin": "http://map.example" + port}, 403},
		{"GET", "/api/layers", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"GET", "/tiles/july/s%22k/2/2/1.png", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}, 403},
		{"GET", "/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200},
		{"GET", "/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
		{"GET", "/api/layers", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403},
		{"GET", "/api/layers", map[string]string{"Host": "localhost:9000"}, 200}, // through a tunnel
		{"GET", "/api/layers", map[string]string{"Host": "LOCALHOST." + port}, 200},
		{"GET", "/api/layers", map[string]string{"Host": "[::1]" + port}, 200},
		{"GET", "/api/layers", map[string]string{"Host": "127.0.0.1"}, 200},
		{"GET", "/api/layers", map[string]string{"Host": "localhost.map.example" + port}, 403},
		{"GET", "/api/layers", map[string]string{"Host": "127.0.0.1.map.example" + port}, 403},
	} {
		body := ""
		if c.method == http.MethodPost {
			body = question
		}
		if status, text := asked(t, c.method, url+c.path, body, c.header); status != c.status {
			t.Errorf("%s %s %v: %d %.100s, want %d", c.method, c.path, c.header, status, text, c.status)
		}
	}
	if !namesOf([]string{"Maps.Example."}).contains("maps.example:80") || namesOf(nil).contains("maps.example:80") {
		t.Error("the server goes by other names than it was told")
	}
}

// Only a limited number of requests run at a time. A further one waits as long as its client does.
func TestAnswersAtATime(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	h := limited(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-end
	}))
	codes := make(chan int, atOnce)
	for range atOnce {
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
			codes <- w.Code
		}()
		<-begun
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
	close(end)
	for range atOnce {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("status %d", code)
		}
	}
}
