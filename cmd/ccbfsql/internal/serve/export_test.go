package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// exportOf writes a database to a folder.
func exportOf(t *testing.T, file string, atLeast uint64) (folder, out string) {
	t.Helper()
	if !exists("page/index.html") {
		t.Skip("left out: make web has not built the page")
	}
	folder = t.TempDir()
	var text strings.Builder
	e := Export{Options: Options{Database: file, Memory: 1 << 28}, Folder: folder, AtLeast: atLeast}
	if err := e.Write(t.Context(), &text); err != nil {
		t.Fatal(err)
	}
	return folder, text.String()
}

// question is one that both the server and an exported page answer.
type bothAsked struct {
	Name string `json:"name"` // of the worker's function
	Args []any  `json:"args"`
	path string // of the server; a body is posted
	body any
}

// An exported page answers as the server does, without a network but for its own host.
func TestExportAnswersAsServe(t *testing.T) {
	t.Parallel()
	file := database(t, crimes+`;
		CREATE TABLE kinds AS SELECT ccbf_agg(lon, lat, 0.01, {category: kind}) AS sketch FROM (SELECT (hash(i) % 4000) / 1000 - 3.5 AS lon, (hash(i, 1) % 3000) / 1000 + 51 AS lat, ['a', 'b', 'ç'][1 + i % 3] AS kind FROM range(20000) t(i));
		CREATE TABLE pairs AS SELECT ccbf_agg(lon, lat, 0.01, {category: {kind: kind, n: n}}) AS sketch FROM (SELECT (hash(i) % 4000) / 1000 - 3.5 AS lon, (hash(i, 1) % 3000) / 1000 + 51 AS lat, ['a', 'b', 'ç'][1 + i % 3] AS kind, i % 5 AS n FROM range(20000) t(i));
		CREATE TABLE trees AS SELECT i % 2 AS half, ccbf_agg(lon, lat, 0.001, {bytes: 8192}) AS sketch FROM (SELECT i, (hash(i) % 4000) / 1000 - 3.5 AS lon, (hash(i, 1) % 3000) / 1000 + 51 AS lat FROM range(40000) t(i)) GROUP BY ALL;
		CREATE TABLE counters AS SELECT ccbf_agg(0, 0, 1, {exact: false}) AS sketch`)
	folder, out := exportOf(t, file, 0)
	if !strings.Contains(out, "Left out counters.sketch: its sketches are counters") {
		t.Errorf("export said %q", out)
	}
	host := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer host.Close()
	server := started(t, file)

	polygon := json.RawMessage(`{"type": "Polygon", "coordinates": [[[-3.2, 51.1], [-0.4, 51.3], [-0.2, 53.6], [-2.9, 52.7], [-3.2, 51.1]], [[-2, 52], [-1, 52], [-1, 52.5], [-2, 52]]]}`)
	october := []words{{By: "month", Value: "2018-10-01 00:00:00", To: "2018-11-01 00:00:00"}}
	kind := []words{{By: byCategory, Value: "b"}}
	field := []words{{By: byCategory + "._1", Value: "b"}, {By: byCategory + "._2", Value: "1", To: "3"}}
	all := []words{}
	type object = map[string]any
	var asked []bothAsked
	post := func(name, table string, where []words, more object) {
		q := object{"table": table, "column": "sketch", "where": where}
		for k, v := range more {
			q[k] = v
		}
		asked = append(asked, bothAsked{name, []any{q}, "/api/" + name, q})
	}
	get := func(name string, args []any, path string, table string, where []words, versus any, more object) {
		v := url.Values{"table": {table}, "column": {"sketch"}}
		text, err := json.Marshal(where)
		if err != nil {
			t.Fatal(err)
		}
		v.Set("where", string(text))
		if versus != nil {
			if text, err = json.Marshal(versus); err != nil {
				t.Fatal(err)
			}
			v.Set("versus", string(text))
		}
		for k, value := range more {
			v.Set(k, fmt.Sprint(value))
		}
		asked = append(asked, bothAsked{name, args, path + "?" + v.Encode(), nil})
	}
	for _, c := range []struct {
		table, by string
		where     []words
	}{{"tiles", "month", all}, {"tiles", "month", october}, {"kinds", byCategory, all}, {"kinds", byCategory, kind}, {"pairs", byCategory + "._2", field}, {"trees", "half", all}} {
		for _, area := range []object{{"polygon": polygon}, {"box": []float64{-2.5, 51.2, -1.1, 52.7}}} {
			post("sum", c.table, c.where, area)
			more := object{"bars": c.by}
			for k, v := range area {
				more[k] = v
			}
			post("bars", c.table, c.where, more)
			if c.table != "trees" {
				spots := object{"k": 15, "apart": 0.05}
				for k, v := range area {
					spots[k] = v
				}
				post("hotspots", c.table, c.where, spots)
			}
		}
		choice := object{"table": c.table, "column": "sketch", "where": c.where}
		for _, side := range []float64{0, 0.01, 0.1} {
			get("at", []any{choice, -1.7345, 52.2345, side}, "/api/at", c.table, c.where, nil, object{"x": -1.7345, "y": 52.2345, "side": side})
		}
		for _, scale := range []string{"log", "linear", "equal"} {
			box := []float64{-4, 50.5, 2, 55}
			get("scale", []any{choice, box, 0.01, object{"palette": "viridis", "scale": scale}}, "/api/scale", c.table, c.where, nil,
				object{"xmin": -4, "ymin": 50.5, "xmax": 2, "ymax": 55, "pixel": 0.01, "palette": "viridis", "scale": scale})
		}
		for _, at := range [][3]int{{5, 15, 10}, {8, 126, 84}, {13, 4056, 2702}} {
			style := object{"palette": "inferno", "scale": "log", "top": 4e6}
			get("tile", []any{object{"choice": choice, "style": style}, at[0], at[1], at[2]},
				fmt.Sprintf("/tiles/%s/sketch/%d/%d/%d.png", c.table, at[0], at[1], at[2]), c.table, c.where, nil, style)
		}
	}
	versus := object{"where": []words{{By: "month", Value: "2018-12-01 00:00:00"}}}
	less := object{"table": "tiles", "column": "sketch", "where": october, "versus": versus}
	style := object{"palette": "inferno", "scale": "log", "top": 4e6}
	get("tile", []any{object{"choice": less, "style": style}, 8, 126, 84}, "/tiles/tiles/sketch/8/126/84.png", "tiles", october, versus, style)
	get("scale", []any{less, []float64{-4, 50.5, 2, 55}, 0.01, object{"palette": "viridis", "scale": "log"}}, "/api/scale", "tiles", october, versus,
		object{"xmin": -4, "ymin": 50.5, "xmax": 2, "ymax": 55, "pixel": 0.01, "palette": "viridis", "scale": "log"})

	questions, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Answers  []json.RawMessage
		Estimate float64
		Bars     []float64
		SQL      int
		Picture  float64
		Problems []string
	}
	if err := json.Unmarshal(browsed(t, "exported.mjs", host.URL, string(questions)), &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Problems) > 0 || read.SQL != 0 || !(read.Picture > 0) {
		t.Errorf("the page has %v", read)
	}
	drawn := 0
	for i, q := range asked {
		want := answerOf(t, server+q.path, q.body)
		if q.Name == "tile" {
			drawn += sameTile(t, q, read.Answers[i], want)
			continue
		}
		var a, b any
		if err := json.Unmarshal(read.Answers[i], &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(want, &b); err != nil {
			t.Fatal(err)
		}
		if d := difference("", a, b); d != "" {
			text, _ := json.Marshal(q)
			t.Errorf("%s: %s", text, d)
		}
	}
	if drawn < 10_000 {
		t.Errorf("the tiles have %d pixels with points", drawn)
	}
	// The page and SQL agree about a box.
	var sum answer
	q := map[string]any{"table": "kinds", "column": "sketch", "box": []float64{-3, 51, 0, 54}}
	if err := json.Unmarshal(answerOf(t, server+"/api/sum", q), &sum); err != nil {
		t.Fatal(err)
	}
	if read.Estimate != sum.Estimate || !(sum.Estimate > 1000) || len(read.Bars) == 0 {
		t.Errorf("the page shows %v by %v, SQL says %v", read.Estimate, read.Bars, sum.Estimate)
	}
	t.Logf("%d answers; first picture after %.0f ms", len(asked), read.Picture)
}

// A single file opens from disk, asks for no other, and answers as the server does.
func TestExportSingle(t *testing.T) {
	t.Parallel()
	if !exists("page/index.html") {
		t.Skip("left out: make web has not built the page")
	}
	file := database(t, "CREATE TABLE kinds AS SELECT ccbf_agg(lon, lat, 0.01, {category: kind}) AS sketch FROM (SELECT (hash(i) % 4000) / 1000 - 3.5 AS lon, (hash(i, 1) % 3000) / 1000 + 51 AS lat, ['a', 'b', 'ç'][1 + i % 3] AS kind FROM range(20000) t(i))")
	single := filepath.Join(t.TempDir(), "map with spaces.html")
	var out strings.Builder
	e := Export{Options: Options{Database: file, Memory: 1 << 28}, Folder: single, Single: true}
	if err := e.Write(t.Context(), &out); err != nil || !strings.Contains(out.String(), "1 sketches in ") {
		t.Fatalf("%v, %q", err, out.String())
	}
	var read struct {
		Estimate float64
		Bars     []float64
		Picture  float64
		Problems []string
	}
	address := url.URL{Scheme: "file", Path: single}
	if err := json.Unmarshal(browsed(t, "exported.mjs", address.String(), "[]"), &read); err != nil {
		t.Fatal(err)
	}
	var sum answer
	q := map[string]any{"table": "kinds", "column": "sketch", "box": []float64{-3, 51, 0, 54}}
	if err := json.Unmarshal(answerOf(t, started(t, file)+"/api/sum", q), &sum); err != nil {
		t.Fatal(err)
	}
	if read.Estimate != sum.Estimate || !(sum.Estimate > 1000) || len(read.Bars) != 3 || !(read.Picture > 0) || len(read.Problems) > 0 {
		t.Errorf("the page shows %+v, SQL says %v", read, sum.Estimate)
	}

	e.Folder = t.TempDir()
	if err := e.Write(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("into a folder: %v", err)
	}
}

// answerOf is what the server answers.
func answerOf(t *testing.T, address string, body any) []byte {
	t.Helper()
	var in io.Reader
	method := http.MethodGet
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		in, method = bytes.NewReader(text), http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, in)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v\n%s", address, a.StatusCode, err, text)
	}
	return text
}

// difference says how two answers differ; sums of shares may differ by rounding. Only the server
// says how long it took and by which SQL.
func difference(at string, a, b any) string {
	switch b := b.(type) {
	case map[string]any:
		m, ok := a.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %v, not %v", at, a, b)
		}
		for k, v := range b {
			if k == "sql" || k == "ms" {
				continue
			}
			if d := difference(at+"."+k, m[k], v); d != "" {
				return d
			}
		}
	case []any:
		l, ok := a.([]any)
		if !ok || len(l) != len(b) {
			return fmt.Sprintf("%s is %v, not %v", at, a, b)
		}
		for i := range b {
			if d := difference(fmt.Sprint(at, i, " "), l[i], b[i]); d != "" {
				return d
			}
		}
	case float64:
		n, ok := a.(float64)
		if !ok || math.Abs(n-b) > 1e-9*math.Abs(b) {
			return fmt.Sprintf("%s is %v, not %v", at, a, b)
		}
	default:
		if a != b {
			return fmt.Sprintf("%s is %v, not %v", at, a, b)
		}
	}
	return ""
}

// sameTile compares the pixels of a tile. Values at the border of two colours may have either, as
// sums of shares are rounded. It returns how many have a colour.
func sameTile(t *testing.T, q bothAsked, got json.RawMessage, want []byte) (drawn int) {
	t.Helper()
	var a struct{ Pixels []byte }
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%v: %v in %s", q, err, got)
	}
	img, err := png.Decode(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Pixels) != 4*tileSide*tileSide {
		t.Fatalf("%v has %d bytes of pixels: %s", q, len(a.Pixels), got)
	}
	differ := 0
	for i := range tileSide * tileSide {
		r, g, b, alpha := img.At(i%tileSide, i/tileSide).RGBA() // premultiplied
		p := a.Pixels[4*i:][:4]
		if alpha > 0 {
			drawn++
		}
		far := math.Abs(float64(alpha>>8)-float64(p[3])) > 1
		for k, v := range []uint32{r, g, b} {
			far = far || math.Abs(float64(v>>8)-float64(p[k])*float64(p[3])/255) > 2
		}
		if far {
			differ++
		}
	}
	if differ > drawn/200 {
		t.Errorf("%v: %d of %d pixels differ", q.path, differ, drawn)
	}
	return drawn
}

// With -at-least, no row of an export has a square of fewer points.
func TestExportAtLeast(t *testing.T) {
	file := database(t, towns)
	folder, _ := exportOf(t, file, 5)
	text, err := os.ReadFile(filepath.Join(folder, manifestFile))
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Sketches string
		Index    int
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile(filepath.Join(folder, m.Sketches))
	if err != nil {
		t.Fatal(err)
	}
	var index []rowIndex
	if err := json.Unmarshal(all[:m.Index], &index); err != nil {
		t.Fatal(err)
	}
	rest, squares := all[m.Index:], 0
	for _, rows := range index {
		for _, n := range rows.Lengths {
			v, err := ccbf.NewView(rest[:n])
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
			if i := v.Info(); i.AtLeast != 5 {
				t.Errorf("a sketch has squares of at least %d points", i.AtLeast)
			}
			squares += int(v.Info().Leaves)
		}
	}
	if len(rest) > 0 || squares == 0 {
		t.Errorf("%d bytes after the last sketch, %d squares", len(rest), squares)
	}
}
