package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"strings"
	"testing"
)

// numbered returns a database with categories that are numbers.
const numbered = towns + `;
CREATE TABLE numbered AS SELECT ccbf_agg(lon, lat, 0.01, {category: tile}) AS s FROM points;
CREATE TABLE either AS SELECT ccbf_agg(lon, lat, 0.01, {category: month, totals: true}) AS s FROM points`

// A client's mistake has a status from 400 to 499 and an error that describes it, with the nearest
// name if one is unknown.
func TestClientMistakes(t *testing.T) {
	url := started(t, database(t, numbered))
	sum := func(table, rest string) string { return `{"table": "` + table + `", "column": "s", ` + rest + `}` }
	july := func(rest string) string { return `{"table": "july", "column": "s\"k", ` + rest + `}` }
	const (
		box   = `"box": [0, 50, 1, 51]`
		large = `"box": [-1e308, -1e308, 1e308, 1e308]`
		towns = "/tiles/to%20wns/s%22k/"
	)
	ring := strings.Repeat("[0,50],[9,50],[9,59],", 40_000)
	for _, c := range []struct {
		path, body string
		status     int
		text       string
	}{
		{towns + "99/0/0.png", "", 404, "zoom 99"},
		{towns + "-1/0/0.png", "", 404, "zoom -1"},
		{towns + "2/4/0.png", "", 404, "from 0 to 3"},
		{towns + "2/0/99999999999999999999.png", "", 400, "numbers for Z, X and Y"},
		{towns + "2/0/0.jpg", "", 400, "a tile is"},
		{towns + "2/0/0.png?by=month&value=month+9", "", 400, "is never"},
		{towns + "2/2/1.png?by=month&value=mont+1", "", 400, `did you mean \"month 1\"`},
		{towns + "2/2/1.png?where=" + queryText(`[{"by":"month","value":"Month2"}]`), "", 400, `did you mean \"month 2\"`},
		{towns + "2/2/1.png?where=month", "", 400, "where is not a list"},
		{towns + "2/2/1.png?categroy=x&top=9", "", 400, `no parameter \"categroy\"; did you mean \"category\"?`},
		{"/tiles/to%20wns/s%22k.json?fromat=png", "", 400, "did you mean"},
		{towns + "2/2/1.png?value=month+1", "", 400, `no column \"\"`}, // without by
		{towns + "2/2/1.png?top=-1", "", 400, "above 0"},
		{towns + "2/0/0.png?by=n&value=1", "", 400, "no column"},
		{towns + "6/32/21.png?versus={}", "", 400, ""}, // without top
		{towns + "6/32/21.png?top=1&versus=month", "", 400, ""},
		{towns + `6/32/21.png?top=1&versus={"where":[{"by":"month","value":"m"}]}`, "", 400, ""},
		{towns + "6/32/21.mvt?versus={}", "", 400, ""},
		{towns + "9/0/0", "", 400, ""},
		{towns + "9/0/0.pbf", "", 200, ""},
		{"/tiles/to%20wns/s%22k.json?format=jpg", "", 400, ""},
		{"/tiles/to%20wns/s%22k.json?format=png", "", 200, `"tiles":["http://127.0.0.1`},
		{"/tiles/to%20wns/s%22k", "", 404, ""},
		{"/tiles/to%20wns/none.json", "", 404, ""},
		{"/tiles/points/lon/2/0/0.png", "", 404, "no sketches"},
		{"/tiles/to%20wns%22%3B%20DROP%20TABLE%20points%3B--/s%22k/2/0/0.png", "", 404, "no sketches"},
		{"/tiles/kinds/s/2/2/1.png?palette=jet", "", 400, "must be one of viridis"},
		{"/tiles/kinds/s/2/2/1.png?scale=equal", "", 400, "needs steps"},
		{"/tiles/kinds/s/2/2/1.png?scale=equal&steps=2,1", "", 400, "rising numbers"},
		{"/tiles/kinds/s/2/2/1.png?category=month+4", "", 400, `no category \"month 4\"; did you mean \"month`},
		{"/tiles/kinds/s/2/2/1.png?category=something+else", "", 400, `no category \"something else\"`},
		{"/tiles/kinds/s/2/2/1.png?category=" + strings.Repeat("x", 5000), "", 400, "no category"},
		{"/tiles/dense/s/14/8214/5470.png?category=x", "", 400, "without a category"},
		{"/tiles/numbered/s/2/2/1.png?category=1", "", 200, ""},
		{"/../../etc/passwd", "", 404, ""},
		{"/api/sum", "", 405, ""},
		{"/api/at?table=july&column=s%22k&x=5&y=95&side=1", "", 400, "a latitude"},
		{"/api/scale?table=july&column=s%22k&xmin=x&ymin=0&xmax=1&ymax=1&pixel=1", "", 400, "must be a number"},
		{"/api/scale?table=july&column=s%22k&xmin=nan&ymin=0&xmax=1&ymax=1&pixel=1", "", 400, "must be a number"},
		{"/api/scale?table=july&column=s%22k&xmin=0&ymin=50&xmax=1&ymax=51&pixel=1e-300", "", 400, "not above 0"},
		{"/api/at?table=july&column=s%22k&x=5&y=5&side=-1", "", 400, "must not be below 0"},
		{towns + "2/2/1.png?by=month&value=month+2&to=month+1", "", 400, `begins with \"month 2\", which is after its end`},
		{"/api/hotspots", july(`"box": [0, 0, 1, 1], "k": 1000000`), 400, "from 1 to 1000"},
		{"/api/sum", "{", 400, "not the JSON"},
		{"/api/sum", `{"sql": "DROP TABLE points"}`, 400, "unknown field"},
		{"/api/sum", july(box) + " {}", 400, "more after"},
		{"/api/sum", `{"table": "july", "column": "s\"k"}`, 400, "a polygon or a box"},
		{"/api/sum", july(`"box": [1, 2, 0, 3]`), 400, "a box is"},
		{"/api/sum", july(`"box": [400000, 300000, 500000, 400000]`), 400, "not in degrees"},
		{"/api/sum", july(`"polygon": {"type": "Point", "coordinates": [0, 50]}`), 400, "Point"},
		{"/api/sum", july(`"polygon": {"type": "Polygon", "coordinates": [[` + ring[:len(ring)-1] + `]]}`), 400, "at most 100000"},
		{"/api/sum", `{"table": "` + strings.Repeat("x", maxBody) + `"}`, 413, "more than 1048576 bytes"},
		{"/api/sum", sum("kinds", box+`, "where": [{"by": "n", "value": null}]`), 400, "has no value"},
		{"/api/sum", sum("kinds", box+`, "where": [{"by": "n"}]`), 400, "has no value"},
		{"/api/sum", sum("kinds", box+`, "where": [{"by": "n", "value": 1}]`), 400, "where.value in the body must not be a JSON number"},
		{"/api/at?table=kinds&column=s&x=5&y=5&side=1&by=n", "", 400, "has no value"},
		{"/api/at?table=july&column=s%22k&x=5&x=6&y=5&side=1", "", 400, `\"x\" of /api/at is given 2 times`},
		{"/api/hotspots", sum("dense", box+`, "category": "x"`), 400, "without a category"},
		{"/api/sum", sum("dense", box+`, "category": "x"`), 400, "without a category"},
		{"/api/sum", sum("kinds", box), 200, `"estimate"`},
		{"/api/sum", sum("kinds", box+`, "category": "no such"`), 400, "no category"},
		{"/api/sum", sum("numbered", box+`, "category": "1"`), 200, `"estimate"`},
		{"/api/sum", sum("numbered", box+`, "category": "one"`), 400, "no category"},
		{"/api/hotspots", sum("numbered", box+`, "category": "1"`), 200, ""},
		{"/api/hotspots", sum("either", box+`, "category": "month 1"`), 200, ""},
		{"/api/sum", sum("either", box), 200, ""},
		{"/api/sum", sum("dense", large), 422, "ccbf_polygon_estimate"},
		{"/api/sum", sum("kinds", large+`, "category": "month 1"`), 200, "9223372036854775808"},
		{"/api/sum", sum("dense", `"box": [0, 50, 1e300, 51]`), 422, "ccbf_polygon_estimate"},
		{"/api/sum", sum("dense", `"box": [-1, 49, 3, 53]`), 422, "the limit is"},
		{"/api/sum", sum("dense", `"box": [0, 50, 1e999, 51]`), 400, "must not be a JSON number 1e999"},
		{"/api/sum", sum("dense", `"polygon": {"type": "Polygon", "coordinates": [[[0, 50], [1e308, 50], [-1e308, 51], [0, 51]]]}`), 422, "ccbf_polygon_estimate"},
		{"/api/sum", sum("dense", `"polygon": {"type": "GeometryCollection", "geometries": []}`), 400, "empty"},
		{"/api/sum", sum("dense", `"polygon": {"type": "FeatureCollection", "features": []}`), 400, "empty"},
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
		resp, text := ask(t, method, url+c.path, c.body, nil)
		if resp.StatusCode != c.status || !strings.Contains(string(text), c.text) {
			t.Errorf("%.200s %.200s: %d %.200s, want %d and %q", c.path, c.body, resp.StatusCode, text, c.status, c.text)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%.200s: header %s is %q", c.path, name, got)
			}
		}
	}
	if resp, text := ask(t, http.MethodPost, url+"/api/sum", sum("dense", box), map[string]string{"Content-Type": "text/plain"}); resp.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("a text that calls itself no JSON: %d %s", resp.StatusCode, text)
	}
	if resp, _ := ask(t, http.MethodDelete, url+"/api/layers", "", nil); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("deleting: %d", resp.StatusCode)
	}
}

func queryText(text string) string { return neturl.QueryEscape(text) }

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
		if resp, text := ask(t, c.method, url+c.path, body, c.header); resp.StatusCode != c.status {
			t.Errorf("%s %s %v: %d %.100s, want %d", c.method, c.path, c.header, resp.StatusCode, text, c.status)
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
