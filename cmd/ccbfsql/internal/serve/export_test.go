package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// exportOf exports a database to a folder.
func exportOf(t testing.TB, file string, atLeast uint64) (folder, out string) {
	t.Helper()
	needsPage(t)
	folder = t.TempDir()
	var text strings.Builder
	e := Export{Options: Options{File: file, Memory: 1 << 28}, Folder: folder, AtLeast: atLeast}
	if err := e.Write(t.Context(), &text); err != nil {
		t.Fatal(err)
	}
	return folder, text.String()
}

// exportTables creates tables of each form that an export has, and one that it leaves out.
const exportTables = crimes + `;
	CREATE TABLE kinds AS SELECT ccbf_agg(lon, lat, 0.01, {category: kind}) AS sketch FROM (SELECT (hash(i) % 4000) / 1000 - 3.5 AS lon, (hash(i, 1) % 3000) / 1000 + 51 AS lat, ['a', 'b', 'ç'][1 + i % 3] AS kind FROM range(20000) t(i));
	CREATE TABLE pairs AS SELECT ccbf_agg(lon, lat, 0.01, {category: {kind: kind, n: n}}) AS sketch FROM (SELECT (hash(i) % 4000) / 1000 - 3.5 AS lon, (hash(i, 1) % 3000) / 1000 + 51 AS lat, ['a', 'b', 'ç'][1 + i % 3] AS kind, i % 5 AS n FROM range(20000) t(i));
	CREATE TABLE trees AS SELECT i % 2 AS half, ccbf_agg(lon, lat, 0.001, {bytes: 8192}) AS sketch FROM (SELECT i, (hash(i) % 4000) / 1000 - 3.5 AS lon, (hash(i, 1) % 3000) / 1000 + 51 AS lat FROM range(40000) t(i)) GROUP BY ALL;
	CREATE TABLE branches AS SELECT ccbf_agg(lon, lat, 0.001, {category: kind, bytes: 8192}) AS sketch FROM (SELECT (hash(i) % (4000 >> i % 3)) / 1000 - 3.5 AS lon, (hash(i, 1) % 3000) / 1000 + 51 AS lat, ['a', 'b', 'ç'][1 + i % 3] AS kind FROM range(40000) t(i));
	CREATE TABLE counters AS SELECT ccbf_agg(0, 0, 1, {exact: false}) AS sketch`

type object = map[string]any

// bothAsked is a request that both the server and an exported page answer.
type bothAsked struct {
	Name string `json:"name"` // arguments of the worker's function
	Args []any  `json:"args"`
	path string // path of the server; a body is sent with POST
	body any
}

func posted(name, table string, where []condition, more ...object) bothAsked {
	q := object{"table": table, "column": "sketch", "where": where}
	for _, m := range more {
		maps.Copy(q, m)
	}
	return bothAsked{name, []any{q}, "/api/" + name, q}
}

// gotten returns a GET request for a selection of rows, with further parameters.
func gotten(t *testing.T, name string, args []any, path string, choice, more object) bothAsked {
	t.Helper()
	v := url.Values{}
	for k, value := range choice {
		if _, ok := value.(string); !ok {
			value = encoded(t, value)
		}
		v.Set(k, fmt.Sprint(value))
	}
	for k, value := range more {
		v.Set(k, fmt.Sprint(value))
	}
	return bothAsked{name, args, path + "?" + v.Encode(), nil}
}

// exportQuestions returns requests of each kind about exportTables.
func exportQuestions(t *testing.T) []bothAsked {
	polygon := json.RawMessage(`{"type": "Polygon", "coordinates": [[[-3.2, 51.1], [-0.4, 51.3], [-0.2, 53.6], [-2.9, 52.7], [-3.2, 51.1]], [[-2, 52], [-1, 52], [-1, 52.5], [-2, 52]]]}`)
	october := []condition{{By: "month", Value: new("2018-10-01 00:00:00"), To: "2018-11-01 00:00:00"}}
	kind := []condition{{By: byCategory, Value: new("b")}}
	kinds := []condition{{By: byCategory, Value: new("a"), To: "b"}}
	field := []condition{{By: byCategory + "._1", Value: new("b")}, {By: byCategory + "._2", Value: new("1"), To: "3"}}
	half := []condition{{By: "half", Value: new("1")}}
	all := []condition{}
	var asked []bothAsked
	for _, c := range []struct {
		table, by string
		where     []condition
	}{
		{"tiles", "month", all}, {"tiles", "month", october}, {"kinds", byCategory, all}, {"kinds", byCategory, kind}, {"pairs", byCategory + "._2", field},
		{"trees", "half", all}, {"trees", "half", half}, {"branches", byCategory, all}, {"branches", byCategory, kind}, {"branches", byCategory, kinds},
	} {
		for _, area := range []object{{"polygon": polygon}, {"box": []float64{-2.5, 51.2, -1.1, 52.7}}} {
			asked = append(asked, posted("sum", c.table, c.where, area), posted("bars", c.table, c.where, area, object{"bars": c.by}))
			if c.table != "trees" || len(c.where) > 0 { // a single tree
				asked = append(asked, posted("hotspots", c.table, c.where, area, object{"k": 15, "apart": 0.05}))
			}
		}
		choice := object{"table": c.table, "column": "sketch", "where": c.where}
		for _, side := range []float64{0, 0.01, 0.1} {
			asked = append(asked, gotten(t, "at", []any{choice, -1.7345, 52.2345, side}, "/api/at", choice, object{"x": -1.7345, "y": 52.2345, "side": side}))
		}
		for _, scale := range []string{"log", "linear", "equal"} {
			asked = append(asked, scaleAsked(t, choice, scale))
		}
		for _, at := range [][3]int{{5, 15, 10}, {8, 126, 84}, {13, 4056, 2702}} {
			asked = append(asked, tileAsked(t, choice, at))
		}
	}
	versus := object{"where": []condition{{By: "month", Value: new("2018-12-01 00:00:00")}}}
	less := object{"table": "tiles", "column": "sketch", "where": october, "versus": versus}
	return append(asked, tileAsked(t, less, [3]int{8, 126, 84}), scaleAsked(t, less, "log"))
}

func scaleAsked(t *testing.T, choice object, scale string) bothAsked {
	t.Helper()
	style := object{"palette": "viridis", "scale": scale}
	more := object{"xmin": -4, "ymin": 50.5, "xmax": 2, "ymax": 55, "pixel": 0.01}
	maps.Copy(more, style)
	return gotten(t, "scale", []any{choice, []float64{-4, 50.5, 2, 55}, 0.01, style}, "/api/scale", choice, more)
}

func tileAsked(t *testing.T, choice object, at [3]int) bothAsked {
	t.Helper()
	style := object{"palette": "inferno", "scale": "log", "top": 4e6}
	path := fmt.Sprintf("/tiles/%v/sketch/%d/%d/%d.png", choice["table"], at[0], at[1], at[2])
	rows := maps.Clone(choice) // the path has the table and the column
	delete(rows, "table")
	delete(rows, "column")
	return gotten(t, "tile", []any{object{"choice": choice, "style": style}, at[0], at[1], at[2]}, path, rows, style)
}

// exportedAnswers are the results that a browser without a network reads from an exported page.
type exportedAnswers struct {
	Answers  []json.RawMessage
	Estimate float64 // sum that the page shows for a box
	Bars     []float64
	SQL      int
	Picture  float64 // milliseconds until the first picture
	Problems []string
}

// answersAsServe sends the same requests to an exported page and to the server, and compares the
// results.
func answersAsServe(t *testing.T, address, server string) {
	t.Helper()
	asked := exportQuestions(t)
	read := browsed[exportedAnswers](t, "exported.mjs", address, encoded(t, asked))
	if len(read.Problems) > 0 || read.SQL != 0 || !(read.Picture > 0) || len(read.Answers) != len(asked) {
		t.Fatalf("the page has %+v", read)
	}
	drawn := 0
	for i, q := range asked {
		want := answerOf(t, server+q.path, q.body)
		if q.Name == "tile" {
			drawn += sameTile(t, q, read.Answers[i], want)
			continue
		}
		if d := difference("", decoded[any](t, read.Answers[i]), decoded[any](t, want)); d != "" {
			t.Errorf("%s: %s", encoded(t, q), d)
		}
	}
	if drawn < 10_000 {
		t.Errorf("the tiles have %d pixels with points", drawn)
	}
	// The page shows the sum of its first layer.
	sum := summed(t, server, `{"table": "kinds", "column": "sketch", "box": [-3, 51, 0, 54]}`)
	if read.Estimate != sum.Estimate || !(sum.Estimate > 1000) || len(read.Bars) == 0 {
		t.Errorf("the page shows %v by %v, SQL says %v", read.Estimate, read.Bars, sum.Estimate)
	}
	t.Logf("%d answers; first picture after %.0f ms", len(asked), read.Picture)
}

// An exported page has the results of the server, without a network other than its own host.
func TestExportAnswersAsServe(t *testing.T) {
	t.Parallel()
	file := database(t, exportTables)
	folder, out := exportOf(t, file, 0)
	if !strings.Contains(out, "Left out counters.sketch: its sketches are counters") {
		t.Errorf("export said %q", out)
	}
	host := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer host.Close()
	answersAsServe(t, host.URL, started(t, file))
}

// A single file opens from disk, loads no other file, and has the results of the server.
func TestExportSingle(t *testing.T) {
	t.Parallel()
	needsPage(t)
	file := database(t, exportTables)
	single := filepath.Join(t.TempDir(), "map with spaces.html")
	e := Export{Options: Options{File: file, Memory: 1 << 28}, Folder: single, Single: true}
	for range 2 { // the second replaces the first
		if err := e.Write(t.Context(), io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	address := url.URL{Scheme: "file", Path: single}
	answersAsServe(t, address.String(), started(t, file))
}

// A single file in place of a folder is an error, and so are more sketches than a browser can load
// at once.
func TestExportSingleRefuses(t *testing.T) {
	t.Parallel()
	needsPage(t)
	// The same sketch in so many rows that the limit is exceeded.
	file := database(t, `CREATE TABLE once AS SELECT ccbf_agg((hash(i) % 1000000) / 1000, (hash(i, 1) % 1000000) / 1000, 0.001) AS sketch FROM range(200000) t(i);
		CREATE TABLE many AS SELECT i, sketch FROM once, range((SELECT (67108864 // octet_length(sketch) + 1) FROM once)) t(i);
		DROP TABLE once`)
	e := Export{Options: Options{File: file, Memory: 1 << 28}, Folder: filepath.Join(t.TempDir(), "map.html"), Single: true}
	if err := e.Write(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "a single file may have 67108864: leave -single out, or build smaller sketches") {
		t.Errorf("of more than 64 MiB: %v", err)
	}
	if exists(e.Folder) {
		t.Error("there is a file all the same")
	}
	e.File, e.Folder = database(t, towns), t.TempDir()
	if err := e.Write(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("into a folder: %v", err)
	}
}

// answerOf returns the server's response.
func answerOf(t *testing.T, address string, body any) []byte {
	t.Helper()
	var status int
	var answer []byte
	if body == nil {
		status, answer = get(t, address)
	} else {
		status, answer = post(t, address, encoded(t, body))
	}
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", address, status, answer)
	}
	return answer
}

// difference describes how two results differ. Sums of fractions may differ by rounding. Only the
// server returns times and SQL.
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

// sameTile compares the pixels of a tile. Values at the border of two colours may have either,
// because sums of fractions are rounded. It returns how many pixels have a colour.
func sameTile(t *testing.T, q bothAsked, got json.RawMessage, want []byte) (drawn int) {
	t.Helper()
	a := decoded[struct{ Pixels []byte }](t, got)
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

// With -at-least, no row of an export has a square of fewer points, and the manifest has no value of
// a row without any.
func TestExportAtLeast(t *testing.T) {
	file := database(t, towns+`;CREATE TABLE hamlets AS SELECT 'hamlet ' || n AS name, ccbf_agg(7 + i / 100, 50, 0.01) AS s FROM (VALUES (3), (4), (9)) v(n), range(n) r(i) GROUP BY n`)
	folder, _ := exportOf(t, file, 5)
	text, err := os.ReadFile(filepath.Join(folder, manifestFile))
	if err != nil {
		t.Fatal(err)
	}
	if has := string(text); strings.Contains(has, "hamlet 3") || strings.Contains(has, "hamlet 4") || !strings.Contains(has, "hamlet 9") {
		t.Errorf("the manifest says %s", has)
	}
	m := decoded[struct {
		Sketches string
		Index    int
	}](t, text)
	all, err := os.ReadFile(filepath.Join(folder, m.Sketches))
	if err != nil {
		t.Fatal(err)
	}
	rest, squares := all[m.Index:], 0
	for _, rows := range decoded[[]rowIndex](t, all[:m.Index]) {
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

// BenchmarkExportedPolygon measures polygons in Chromium, in an exported page of a million crimes in 42
// sketches, all of which each polygon intersects. docs/PUBLISH.md has the result. One run queries
// 21 polygons, of which the first loads the sketches.
func BenchmarkExportedPolygon(b *testing.B) {
	folder, _ := exportOf(b, database(b, `CREATE TABLE crimes AS SELECT month, category, ccbf_agg(lon, lat, 0.001) AS sketch
		FROM '../../../../test/data/uk_crime_2018q4.parquet' GROUP BY ALL ORDER BY ALL`), 0)
	host := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer host.Close()
	// Corners in pixels from the middle of the map. At the page's zoom, 100 pixels are 0.55 degrees of longitude.
	var polygons [][][2]float64
	r := rand.New(rand.NewPCG(1, 2))
	for range 21 {
		var ring [][2]float64
		corners, x, y := 4+r.IntN(6), 120*r.Float64()-60, 120*r.Float64()-60
		for i := range corners {
			angle, far := 2*math.Pi*float64(i)/float64(corners), 70+190*r.Float64()
			ring = append(ring, [2]float64{x + far*math.Cos(angle), y + far*math.Sin(angle)})
		}
		polygons = append(polygons, ring)
	}
	for b.Loop() {
		read := browsed[struct {
			Times, Worker []float64
			Picture       float64
		}](b, "polygons.mjs", host.URL, encoded(b, polygons))
		b.ReportMetric(read.Times[0], "ms/first")
		for name, times := range map[string][]float64{"shown": read.Times, "answered": read.Worker} {
			later := slices.Sorted(slices.Values(times[1:]))
			b.ReportMetric(later[len(later)/2], "ms/"+name)
			b.ReportMetric(later[len(later)-1], "ms/slowest-"+name)
		}
		b.ReportMetric(read.Picture, "ms/picture")
	}
}
