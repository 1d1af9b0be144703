package serve

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"iter"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/connector"
)

// towns returns a database of sketches by four tiles and three months: 12,000 points around (0.5,
// 50.5) in England and its three neighbours.
const towns = `CREATE TABLE points AS SELECT 'month ' || i % 3 AS month, i % 4 AS tile, i % 4 % 2 + 0.25 + (hash(i, 1) % 500) / 1000 AS lon, 50.25 + i % 4 // 2 + (hash(i, 2) % 500) / 1000 AS lat FROM range(12000) t(i);
CREATE TABLE "to wns" AS SELECT month, tile, count(*) AS n, ccbf_agg(lon, lat, 0.01) AS "s""k" FROM points GROUP BY ALL ORDER BY ALL;
CREATE VIEW july AS SELECT * FROM "to wns" WHERE month = 'month 1';
CREATE TABLE kinds AS SELECT ccbf_agg(lon, lat, 0.01, {category: month}) AS s FROM points;
CREATE TABLE dense AS SELECT ccbf_agg(lon, lat, 0.00001, {exact: false, bytes: 65536}) AS s FROM points;
CREATE TABLE other AS SELECT 'text'::BLOB AS b, 1 AS n, cms_agg(month) AS c FROM points`

// database creates a database file with SQL.
func database(t testing.TB, statements string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "towns.duckdb")
	change(t, file, statements)
	return file
}

// change runs SQL on a database file.
func change(t testing.TB, file, statements string) {
	t.Helper()
	db, err := connector.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// written writes a file to a folder and returns its path.
func written(t testing.TB, folder, name, body string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// opened opens a database, which is closed when the test ends.
func opened(t testing.TB, name string) *sql.DB {
	t.Helper()
	db, err := connector.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// served creates a database file with SQL. It returns the address of a server, and the database as
// the server opens it.
func served(t testing.TB, statements string) (url string, db *sql.DB) {
	t.Helper()
	file := database(t, statements)
	return started(t, file), opened(t, file+"?"+confined)
}

// layersOf returns the layers of a server by table.
func layersOf(t testing.TB, url string) map[string]*layer {
	t.Helper()
	_, body := get(t, url+"/api/layers")
	layers := map[string]*layer{}
	for _, l := range decoded[[]*layer](t, body) {
		layers[l.Table] = l
	}
	return layers
}

// answered returns the sum that the SQL on the page has.
func answered(t testing.TB, db *sql.DB, query string) (a areaSum) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&a.Estimate, &a.Low, &a.High, &a.Cells, &a.Sketches); err != nil {
		t.Errorf("%v\n%s", err, query)
	}
	return a
}

// result returns the one value of a query.
func result[T any](t testing.TB, db *sql.DB, query string) (v T) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&v); err != nil {
		t.Fatalf("%v in %s", err, query)
	}
	return v
}

func number(t testing.TB, db *sql.DB, query string) float64 { return result[float64](t, db, query) }

func text(t testing.TB, db *sql.DB, query string) string { return result[string](t, db, query) }

// summed requests a sum.
func summed(t testing.TB, url, question string) areaSum {
	t.Helper()
	status, body := post(t, url+"/api/sum", question)
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", question, status, body)
	}
	return decoded[areaSum](t, body)
}

// DuckDB reads literals unchanged: all doubles, and texts with any characters.
func TestValuesAreReadAsTheyAre(t *testing.T) {
	db := opened(t, "")
	texts, doubles := []any{"it's", "a\x00b", "\x00", "'\x00'"}, []any{51.2, -1e-9, 1e300, 123456.78901234567}
	for i := range 300 {
		doubles = append(doubles, 1000/float64(7*i+3))
	}
	var quoted, literals []string
	for _, v := range texts {
		quoted = append(quoted, lexer.QuoteText(v.(string)))
	}
	for _, v := range doubles {
		literals = append(literals, float(v.(float64)))
	}
	var gotTexts, gotDoubles []any
	err := db.QueryRow("SELECT ["+strings.Join(quoted, ", ")+"], list_value("+strings.Join(literals, "::DOUBLE, ")+"::DOUBLE)").Scan(&gotTexts, &gotDoubles)
	if err != nil || !slices.Equal(gotTexts, texts) || !slices.Equal(gotDoubles, doubles) {
		t.Errorf("%v, %v and %v are read as %v and %v", err, texts, doubles, gotTexts, gotDoubles)
	}
}

// started returns the address of a server of a database, which runs until the test ends.
func started(t testing.TB, file string) string {
	t.Helper()
	url, _ := startedWith(t, Options{File: file})
	return url
}

// startedWith returns the address of a server, and its output.
func startedWith(t testing.TB, o Options) (url, out string) {
	t.Helper()
	o.Addr, o.Memory = "127.0.0.1:0", 1<<28
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := Run(ctx, o, w)
		w.CloseWithError(errors.Join(errors.New("it ended"), err))
		done <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		out += line
		if what, ok := strings.CutPrefix(line, "Serving "); ok {
			_, url, _ = strings.Cut(what, " on http")
			url, _, _ = strings.Cut("http"+url, " ")
			go func() { _, _ = io.Copy(io.Discard, lines) }() // its later output
			return url, out
		}
	}
}

// reply is the head of a response.
type reply struct {
	StatusCode int
	Header     http.Header
}

// ask sends a request, with a body of JSON if it has one, and returns the head of the response and its body.
func ask(t testing.TB, method, url, body string, header map[string]string) (reply, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		if name == "Host" {
			r.Host = value
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
	return reply{resp.StatusCode, resp.Header}, text
}

// get requests a path and returns the status and the body.
func get(t testing.TB, url string) (int, []byte) {
	t.Helper()
	resp, body := ask(t, http.MethodGet, url, "", nil)
	return resp.StatusCode, body
}

func post(t testing.TB, url, body string) (int, []byte) {
	t.Helper()
	resp, answer := ask(t, http.MethodPost, url, body, nil)
	return resp.StatusCode, answer
}

// tileAt requests a tile.
func tileAt(t *testing.T, url string) image.Image {
	t.Helper()
	status, body := get(t, url)
	img, err := png.Decode(bytes.NewReader(body))
	if err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d, %v in %.200s", url, status, err, body)
	}
	return img
}

// drawnPixels returns how many pixels of a tile have a colour.
func drawnPixels(t *testing.T, url string) (n int) {
	t.Helper()
	for range pixels(t, url) {
		n++
	}
	return n
}

// pixels returns the places and the colours of the pixels of a tile that have one.
func pixels(t *testing.T, url string) iter.Seq2[image.Point, color.NRGBA] {
	t.Helper()
	img := tileAt(t, url)
	return func(yield func(image.Point, color.NRGBA) bool) {
		for i := range tileSide * tileSide {
			p := image.Pt(i%tileSide, i/tileSide)
			if c := color.NRGBAModel.Convert(img.At(p.X, p.Y)).(color.NRGBA); c.A > 0 && !yield(p, c) {
				return
			}
		}
	}
}

// encoded returns a value as JSON.
func encoded(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func decoded[T any](t testing.TB, body []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return v
}

// Every table and view with sketches of points is a layer, and no other.
func TestLayers(t *testing.T) {
	url := started(t, database(t, towns))
	_, body := get(t, url+"/api/layers")
	var got []string
	for _, l := range decoded[[]*layer](t, body) {
		line := fmt.Sprintf("%s.%s: %d rows, %d points, %d exact, categories %v", l.Table, l.Column, l.Rows, l.Total, l.Exact, l.Categories)
		for _, s := range l.Sliders {
			line += fmt.Sprintf(", %s %v", s.Column, s.Values)
		}
		got = append(got, line)
	}
	want := []string{
		"july.s\"k: 4 rows, 4000 points, 4 exact, categories false, tile [0 1 2 3]",
		"kinds.s: 1 rows, 12000 points, 1 exact, categories false, (category) [month 0 month 1 month 2]",
		"to wns.s\"k: 12 rows, 12000 points, 12 exact, categories false, month [month 0 month 1 month 2], tile [0 1 2 3]",
		"dense.s: 1 rows, 12000 points, 0 exact, categories false",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("layers are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The sum on the page is the result of the SQL on the page, and for exact sketches the number of
// points.
func TestSumIsThatOfItsSQL(t *testing.T) {
	url, db := served(t, towns)
	for _, c := range []struct{ question, where string }{
		{`{"table": "to wns", "column": "s\"k", "box": [0, 50, 1, 51]}`, "lon < 1 AND lat < 51"},
		{`{"table": "to wns", "column": "s\"k", "box": [0, 50, 1, 51], "where": [{"by": "month", "value": "month 1"}]}`, "lon < 1 AND lat < 51 AND month = 'month 1'"},
		{`{"table": "to wns", "column": "s\"k", "box": [0, 50, 9, 59], "where": [{"by": "month", "value": "month 1", "to": "month 2"}]}`, "month > 'month 0'"},
		{`{"table": "to wns", "column": "s\"k", "where": [{"by": "tile", "value": "3"}], "polygon": {"type": "Polygon", "coordinates": [[[0, 50], [9, 50], [9, 59.005], [0, 50.005]]]}}`, "tile = 3 AND floor(round(lat * 1e6) / 1e4) - 5000 <= floor(round(lon * 1e6) / 1e4)"},
		{`{"table": "kinds", "column": "s", "box": [0, 50, 9, 59], "category": "month 2"}`, "month = 'month 2'"},
		{`{"table": "to wns", "column": "s\"k", "box": [100, 50, 109, 59]}`, "false"},
	} {
		a := summed(t, url, c.question)
		same := answered(t, db, a.SQL)
		truth := number(t, db, "SELECT count(*) FROM points WHERE "+c.where)
		if a.Estimate != same.Estimate || a.Low != same.Low || a.High != same.High || a.Cells != same.Cells || a.Sketches != same.Sketches {
			t.Errorf("%s: answered %+v, its SQL gives %+v", c.question, a, same)
		}
		if a.Estimate != truth || a.Low != truth || a.High != truth {
			t.Errorf("%s: %v (%v to %v), the points are %v", c.question, a.Estimate, a.Low, a.High, truth)
		}
	}
}

// The places with the most points are the first cells of the exact table.
func TestHotspots(t *testing.T) {
	url, db := served(t, towns)
	_, body := post(t, url+"/api/hotspots", `{"table": "to wns", "column": "s\"k", "box": [0, 50, 9, 59], "k": 5, "where": [{"by": "month", "value": "month 1"}]}`)
	var got []string
	for _, s := range decoded[hotspots](t, body).Spots {
		got = append(got, fmt.Sprintf("%d at %.3f %.3f", s.Count, s.X, s.Y))
	}
	want := text(t, db, `SELECT string_agg(printf('%d at %.3f %.3f', n, (2 * x + 1) / 200, (2 * y + 1) / 200), ', ' ORDER BY n DESC, y, x) FROM (
		SELECT floor(round(lon * 1e6) / 1e4) x, floor(round(lat * 1e6) / 1e4) y, count(*) n FROM points WHERE month = 'month 1' GROUP BY ALL ORDER BY n DESC, y, x LIMIT 5)`)
	if strings.Join(got, ", ") != want {
		t.Errorf("places are %q, want %s", got, want)
	}
}

// An unused connection, as browsers open in advance, does not make the server's end a failure.
func TestUnusedConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	srv, done := httpServer(http.NotFoundHandler()), make(chan error, 1)
	accepted := make(chan struct{})
	srv.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			close(accepted)
		}
	}
	go func() { done <- serve(ctx, l, srv) }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	<-accepted
	cancel()
	if err := <-done; err != nil {
		t.Errorf("the server ends with %v", err)
	}
}

// A request that is cancelled cancels its query.
func TestCancelled(t *testing.T) {
	// The view takes minutes to read.
	file := database(t, towns+`;CREATE VIEW slow AS SELECT s."s""k" AS s FROM "to wns" s, range(100000000) r WHERE r.range % 99999999 = 99999998`)
	s := newServer(file, 1<<28)
	defer s.source.end()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequest(http.MethodGet, "http://localhost/api/layers", nil).WithContext(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		handler(s, namesOf(nil)).ServeHTTP(httptest.NewRecorder(), r)
	}()
	inUse := func() bool {
		s.source.mu.Lock()
		defer s.source.mu.Unlock()
		return s.source.db != nil && s.source.db.Stats().InUse > 0
	}
	for !inUse() {
		select {
		case <-done:
			t.Fatal("answered before it could be cancelled")
		default:
			runtime.Gosched()
		}
	}
	cancel()
	<-done // or the time limit of go test
}

// mercatorPixel returns the pixel of a place on the map of a zoom, by the formulas of the
// projection.
func mercatorPixel(lon, lat float64, z int) (x, y int) {
	side := float64(int(1)<<z) * tileSide
	phi := lat * math.Pi / 180
	return int((lon + 180) / 360 * side), int((1 - math.Log(math.Tan(phi)+1/math.Cos(phi))/math.Pi) / 2 * side)
}
