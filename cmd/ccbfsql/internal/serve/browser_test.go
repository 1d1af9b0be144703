package serve

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
)

// crimes creates a table of sketches like the police records: towns of 600 points over England, by
// tile and month.
const crimes = `CREATE TABLE tiles AS SELECT quadkey(lon, lat, 8) AS tile, date '2018-10-01' + to_months((i % 3)::INTEGER) AS month, ccbf_agg(lon, lat, 0.001) AS sketch
	FROM (SELECT i, (hash(i // 600) % 5000) / 1000 - 3.5 + sqrt(-2 * ln((hash(i, 1) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 2) % 1000000) / 1e6) * 0.03 AS lon,
		(hash(i // 600, 3) % 3500) / 1000 + 50.8 + sqrt(-2 * ln((hash(i, 4) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 5) % 1000000) / 1e6) * 0.02 AS lat
		FROM range(600000) t(i)) GROUP BY ALL`

// browsed runs a script of web/test on a page and decodes its result. It skips the test without a
// browser. All scripts share one browser, because starting it and compiling its shaders takes as
// long as a page.
func browsed[T any](t testing.TB, script, url string, more ...string) T {
	t.Helper()
	chromium, node := firstOf("chromium", "chromium-browser", "google-chrome"), firstOf("node")
	web, err := filepath.Abs("../../../../web")
	if err != nil {
		t.Fatal(err)
	}
	needsPage(t)
	for what, missing := range map[string]bool{
		"it takes minutes (make test-all)":      testing.Short(),
		"no Chromium":                           chromium == "",
		"no node":                               node == "",
		"make web has not installed Playwright": !exists(filepath.Join(web, "node_modules/playwright-core")),
	} {
		if missing {
			t.Skip("left out: " + what)
		}
	}
	shots := filepath.Join(web, "../build/screens")
	if err := os.MkdirAll(shots, 0o755); err != nil {
		t.Fatal(err)
	}
	browser.once.Do(func() { browser.at, browser.err = launched(web, node, chromium) })
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{"test/" + script, url, shots, browser.at}, more...)...)
	cmd.Dir = web
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return decoded[T](t, out)
}

var browser struct {
	once  sync.Once
	input io.Closer
	at    string
	err   error
}

// launched starts the browser and returns its address for scripts. The browser ends with this
// process, which holds the other end of its input.
func launched(web, node, chromium string) (string, error) {
	cmd := exec.Command(node, "test/launch.mjs", chromium)
	cmd.Dir = web
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	browser.input = in // otherwise the garbage collector would close it
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	return strings.TrimSpace(line), err
}

// TestBrowser: the page in a browser shows the results of the SQL that it displays.
func TestBrowser(t *testing.T) {
	t.Parallel() // one browser does not use all processors
	url, db := served(t, crimes)
	type visit struct {
		Name, Value, Shown, SQL string
		Estimate                float64
		Box                     struct {
			Estimate float64
			SQL      string
		}
		Spots, Problems []string
		Zoomed, Failed  int

		Time struct {
			Text  string
			Sum   float64
			Steps int
		}
		Seen     bool
		Contrast []string
	}
	visits := browsed[[]visit](t, "page.mjs", url)
	want := 4 // light and dark, desktop and phone
	if os.Getenv("CCBF_LONG") != "" {
		want = 6 // and something in between
	}
	if len(visits) != want {
		t.Errorf("%d visits, want %d", len(visits), want)
	}
	for _, v := range visits {
		if len(v.Problems) > 0 {
			t.Errorf("%s: the browser complains: %q", v.Name, v.Problems)
		}
		if v.Failed > 0 || v.Zoomed == 0 {
			t.Errorf("%s: %d tiles failed, %d came by zooming and panning", v.Name, v.Failed, v.Zoomed)
		}
		if !strings.Contains(v.SQL, "BETWEEN '"+v.Value) {
			t.Errorf("%s: the slider is at %q, the SQL is\n%s", v.Name, v.Value, v.SQL)
		}
		if v.Time.Steps != 0 || !(v.Time.Sum > 0) || !strings.HasPrefix(v.Time.Text, v.Value+" – 2018-12") {
			t.Errorf("%s: the window of time is %+v", v.Name, v.Time)
		}
		if !v.Seen {
			t.Errorf("%s: the answer is not in sight", v.Name)
		}
		if len(v.Contrast) > 0 {
			t.Errorf("%s: axe-core finds %q", v.Name, v.Contrast)
		}
		if want := answered(t, db, v.SQL).Estimate; v.Estimate != want || want == 0 {
			t.Errorf("%s: the page says %v, its SQL %v", v.Name, v.Estimate, want)
		}
		if shown := strings.ReplaceAll(v.Shown, ",", ""); shown != encoded(t, math.Round(v.Estimate)) {
			t.Errorf("%s: %v is shown as %s", v.Name, v.Estimate, v.Shown)
		}
		if want := answered(t, db, v.Box.SQL).Estimate; v.Box.Estimate != want {
			t.Errorf("%s: the page says %v for a box, its SQL %v", v.Name, v.Box.Estimate, want)
		}
		if len(v.Spots) == 0 || len(v.Spots) > 20 {
			t.Errorf("%s: %d hottest places", v.Name, len(v.Spots))
		}
	}
}

func firstOf(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// needsPage skips a test if the page is not built.
func needsPage(t testing.TB) {
	t.Helper()
	if !exists("page/index.html") {
		t.Skip("left out: make web has not built the page")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// chosen returns a database with difficult layers: counters over a large area, bytes that are not a
// sketch, metres, categories.
const chosen = `CREATE TABLE points AS SELECT date '2018-10-01' + to_months((i % 3)::INTEGER) AS month, ['theft', 'fire', 'drugs', 'other'][1 + (hash(i, 6) % 4)::INTEGER] AS kind, i % 5 = 0 AS solved,
		(hash(i // 600) % 5000) / 1000 - 3.5 + sqrt(-2 * ln((hash(i, 1) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 2) % 1000000) / 1e6) * 0.03 AS lon,
		(hash(i // 600, 3) % 3500) / 1000 + 50.8 + sqrt(-2 * ln((hash(i, 4) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 5) % 1000000) / 1e6) * 0.02 AS lat
	FROM range(60000) t(i);
	CREATE TABLE crimes AS SELECT quadkey(lon, lat, 5) AS tile, month, kind, solved, ccbf_agg(lon, lat, 0.01) AS sketch FROM points GROUP BY ALL;
	CREATE TABLE small AS SELECT ccbf_agg(lon, lat, 0.001, {bytes: 131072, exact: false}) AS s FROM points;
	CREATE TABLE partly AS SELECT i, CASE i WHEN 1 THEN '\x00\x01'::BLOB ELSE sketch END AS s FROM (SELECT row_number() OVER () - 1 AS i, sketch FROM crimes LIMIT 3) ORDER BY i;
	CREATE TABLE metres AS SELECT ccbf_agg(500000 + lon * 70000, lat * 111000, 100) AS s FROM points;
	CREATE TABLE kinds AS SELECT ccbf_agg(lon, lat, 0.01, {category: kind}) AS s FROM points`

// count returns the exact count of an area. A cell is inside if its centre is.
func count(t *testing.T, db *sql.DB, where string) float64 {
	t.Helper()
	return number(t, db, "SELECT count(*) FROM (SELECT *, (2 * floor(round(lon * 1e6) / 1e4) + 1) / 200 AS x, (2 * floor(round(lat * 1e6) / 1e4) + 1) / 200 AS y FROM points) WHERE "+where)
}

// A user's selection decides what is shown, and nothing of the previous one stays. Reload, Back and
// saved files restore it.
func TestBrowserStates(t *testing.T) {
	t.Parallel()
	url, db := served(t, chosen)
	type asked struct {
		Estimate float64
		SQL      string
		URL      string
		Pressed  []string
	}
	type state struct {
		Tiles, Answer, Error, Reason, Bad, Legend string
		Spots, Pins                               int
		Sliders, Names                            []string
		Bars                                      []struct {
			Value    string
			Estimate float64
		}
	}
	type selections struct {
		Month, Both, Reloaded, Back, Dropped, Copy, World asked
		Forward                                           float64
		Bars                                              []struct {
			Value    string
			Estimate float64
		}
		Spots struct {
			Places []string
			SQL    string
		}
		Copied, CSV, Link, Category, Column string
		PNG                                 struct {
			Name          string
			Window        struct{ Width, Height int }
			Width, Height int
		}
		GeoJSON struct {
			Features []struct {
				Geometry   struct{ Type string }
				Properties map[string]any
			}
		}
		At struct {
			Box                   [4]float64
			Cells, Estimate, High float64
			Text                  string
		}
		Metres, Partly, Small, Kinds, Wrong state
		Versus                              struct {
			Estimate            float64
			Text, Tiles, Legend string
		}
		Problems []string
		Failed   int
	}
	read := browsed[selections](t, "states.mjs", url)
	const area, months = "x >= -3 AND x < 1 AND y >= 51 AND y < 53", " AND month < '2018-12-01'"
	if want := count(t, db, area+months); read.Month.Estimate != want || want == 0 {
		t.Errorf("two months: %v, want %v\n%s", read.Month.Estimate, want, read.Month.SQL)
	}
	if len(read.Bars) != 4 {
		t.Errorf("bars are %v", read.Bars)
	}
	for _, b := range read.Bars {
		if want := count(t, db, area+months+" AND kind = "+lexer.QuoteText(b.Value)); b.Estimate != want {
			t.Errorf("the bar of %s is %v, want %v", b.Value, b.Estimate, want)
		}
	}
	want := count(t, db, area+months+" AND kind = 'theft'")
	if read.Both.Estimate != want || len(read.Both.Pressed) != 1 || !strings.HasPrefix(read.Both.Pressed[0], "theft") {
		t.Errorf("two months and a kind: %+v, want %v", read.Both, want)
	}
	if read.Reloaded.Estimate != want || read.Reloaded.SQL != read.Both.SQL || read.Reloaded.URL != read.Link || read.Forward != want {
		t.Errorf("a reload shows %+v, forward %v, want %v", read.Reloaded, read.Forward, want)
	}
	if read.Back.Estimate != read.Month.Estimate || read.Back.SQL != read.Month.SQL {
		t.Errorf("Back shows %+v", read.Back)
	}
	theft, fire := want, count(t, db, area+months+" AND kind = 'fire'")
	sign := "+"
	if fire < theft {
		sign = "−"
	}
	if v := read.Versus; v.Estimate != fire || !strings.HasPrefix(strings.ReplaceAll(v.Text, ",", ""), sign+encoded(t, math.Abs(fire-theft))+" against "+encoded(t, theft)) || !strings.Contains(v.Tiles, "versus=") || !strings.Contains(v.Legend, "Orange: more") {
		t.Errorf("fire compared with theft: %+v, want %v and %v", v, fire, theft)
	}
	if read.Copied != read.Both.SQL {
		t.Errorf("the clipboard has %q", read.Copied)
	}
	if n := len(read.Spots.Places); n == 0 || n > 20 || !strings.Contains(read.Spots.SQL, "ccbf_polygon_sum") {
		t.Errorf("places are %v by\n%s", read.Spots.Places, read.Spots.SQL)
	}
	if p := read.PNG; p.Name != "ccbfsql.png" || p.Width == 0 || p.Width != p.Window.Width || p.Height <= p.Window.Height {
		t.Errorf("the picture is %+v", read.PNG)
	}
	if !strings.Contains(read.CSV, "\nkind,fire,") || !strings.Contains(read.CSV, "\nplace,1,") || !strings.Contains(read.CSV, encoded(t, want)+","+encoded(t, want)+","+encoded(t, want)) {
		t.Errorf("the CSV is %s", read.CSV)
	}
	if f := read.GeoJSON.Features; len(f) != 1+len(read.Spots.Places) || f[0].Properties["count"] != want {
		t.Errorf("the GeoJSON is %+v", f)
	}
	if b := read.At.Box; read.At.Cells == 0 || read.At.Estimate != read.At.High {
		t.Errorf("nothing below the pointer: %+v", read.At)
	} else if want := count(t, db, fmt.Sprintf("x > %v AND y > %v AND x < %v AND y < %v", b[0], b[1], b[2], b[3])); math.Abs(read.At.Estimate-want) > 0 {
		t.Errorf("below the pointer are %v in %v, want %v", read.At.Estimate, b, want)
	}
	for name, s := range map[string]state{"metres": read.Metres, "partly": read.Partly, "small": read.Small, "kinds": read.Kinds} {
		if s.Answer != "" || s.Spots != 0 || s.Pins != 0 || s.Error != "" {
			t.Errorf("%s has of the layer before: %+v", name, s)
		}
		if s.Tiles == "" || s.Legend == "" {
			t.Errorf("%s: tiles %q, legend %q", name, s.Tiles, s.Legend)
		}
	}
	if !strings.Contains(read.Metres.Reason, "not longitudes and latitudes") {
		t.Errorf("metres are told as %q", read.Metres.Reason)
	}
	if !strings.Contains(read.Partly.Bad, "1 row left out") || !strings.Contains(read.Partly.Bad, "Row 2: ") {
		t.Errorf("a bad row is told as %q", read.Partly.Bad)
	}
	if !strings.Contains(read.Small.Legend, "sample of the cells") {
		t.Errorf("the legend of counters says %q", read.Small.Legend)
	}
	if strings.Join(read.Kinds.Names, " ") != "all drugs fire other theft" || len(read.Kinds.Bars) != 4 {
		t.Errorf("categories are %v, bars %v", read.Kinds.Names, read.Kinds.Bars)
	}
	if !strings.Contains(read.Wrong.Error, "not WKT") {
		t.Errorf("a wrong area is told as %q", read.Wrong.Error)
	}
	if want := count(t, db, "x >= -3 AND y >= 51 AND x < 1 AND (y - 51) < (x + 3) / 2 OR x >= 1 AND x < 2 AND y >= 54 AND y - 54 < x - 1"); math.Abs(read.Dropped.Estimate-want) > 0 {
		t.Errorf("a file of two polygons: %v, want %v\n%s", read.Dropped.Estimate, want, read.Dropped.SQL)
	}
	if want := count(t, db, area); read.Copy.Estimate != want {
		t.Errorf("a box on the next copy of the world: %v, want %v\n%s", read.Copy.Estimate, want, read.Copy.SQL)
	}
	if want := count(t, db, "true"); read.World.Estimate != want {
		t.Errorf("the whole world: %v, want %v\n%s", read.World.Estimate, want, read.World.SQL)
	}
	if !strings.Contains(read.Category, `did you mean "theft"`) {
		t.Errorf("a category that is not there is told as %q", read.Category)
	}
	if !strings.Contains(read.Column, `no column "sort"`) {
		t.Errorf("a column that is not there is told as %q", read.Column)
	}
	if len(read.Problems) > 0 || read.Failed > 0 {
		t.Errorf("the browser complains: %q, %d tiles failed", read.Problems, read.Failed)
	}
}

// The page reports a stopped and restarted server, a dropped table, sketches without points, and a
// database without sketches. An invalid or cleared area leaves nothing behind.
func TestBrowserEnds(t *testing.T) {
	t.Parallel()
	file := database(t, chosen+"; CREATE TABLE none AS SELECT ccbf_subtract(s, s) AS s FROM (SELECT ccbf_agg(lon, lat, 0.01) AS s FROM points)")
	after := database(t, chosen+"; DROP TABLE crimes")
	behind, err := url.Parse(started(t, file))
	if err != nil {
		t.Fatal(err)
	}
	var isDead atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // requests that the page cancels
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/test/stop":
			isDead.Store(true)
		case r.URL.Path == "/test/start":
			isDead.Store(false)
		case r.URL.Path == "/test/drop":
			if err := os.Rename(after, file); err != nil {
				t.Error(err)
			}
		case isDead.Load():
			panic(http.ErrAbortHandler) // the connection ends
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	defer front.Close()
	bare := started(t, database(t, "CREATE TABLE trips AS SELECT 1.5 AS lon, 50.5 AS lat FROM range(100)"))
	type said struct {
		Text string
		Seen bool
	}
	type ends struct {
		Dead, Back, Outside, None, Gone, Bare, Offer said
		Before, During, After                        string
		Field, Answer, Cleared                       string
		Noticed                                      float64
		First                                        map[string][]float64
		Early                                        []string
	}
	read := browsed[ends](t, "ends.mjs", front.URL, bare)
	for want, s := range map[string]said{
		"The server does not answer":            read.Dead,
		"outside the world":                     read.Outside,
		"These sketches have no points":         read.None,
		"no sketches in crimes.sketch any more": read.Gone,
		"There are no sketches of points here":  read.Bare,
		"Build sketches of it":                  read.Offer,
	} {
		if !strings.Contains(s.Text, want) || !s.Seen {
			t.Errorf("%q is told as %+v", want, s)
		}
	}
	if read.Back.Text != "" || read.Before != read.During || read.Before != read.After {
		t.Errorf("after the server is back: %+v, the view was %s, %s, %s", read.Back, read.Before, read.During, read.After)
	}
	if read.Answer == "" || read.Field != "" || read.Cleared != "" {
		t.Errorf("Clear leaves %q and %q of %q", read.Field, read.Cleared, read.Answer)
	}
	if len(read.Early) > 0 {
		t.Errorf("before the first tile came %q", read.Early)
	}
	t.Logf("the dead server was noticed after %.0f ms; the first picture was there after %v ms, by zoom", read.Noticed, read.First)
}

// Place names appear at suitable zooms. The search finds them by what people type, without requests
// to other servers. Antarctica is whole, and at other widths nothing overlaps.
func TestNamesInBrowser(t *testing.T) {
	type place struct {
		Lng, Lat, Zoom float64
		Hash, Field    string
		Pins           int
		List           bool
	}
	type names struct{ Places, Countries []string }
	type found struct {
		Far, Near                names
		Water, WaterNear         struct{ Lakes, Rivers int }
		Accents, Country, Same   []string
		Active, None             string
		Taken, Reloaded, Cleared place
		South                    struct{ Land, Lines []int }
		Widths                   []struct {
			Width float64
			Boxes map[string][4]float64 // left, top, right, bottom
		}
		Problems []string
	}
	file := database(t, `CREATE TABLE crimes AS SELECT date '2018-10-01' + to_months(month::INTEGER) AS month, ccbf_agg(-1.47 + i / 1000, 53.38 + i % 7 / 1000, 0.001) AS sketch
		FROM range(400) t(i), range(3) m(month) GROUP BY ALL`)
	read := browsed[found](t, "names.mjs", started(t, file))
	has := func(what string, list []string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !slices.Contains(list, w) {
				t.Errorf("%s: no %s in %q", what, w, list)
			}
		}
	}
	has("from afar", read.Far.Places, "Paris", "Berlin", "Rome")
	has("from afar", read.Far.Countries, "France", "Germany")
	if slices.Contains(read.Far.Places, "Chesterfield") || len(read.Far.Places) > 100 {
		t.Errorf("from afar: %q", read.Far.Places)
	}
	if read.Water.Lakes < 5 || read.Water.Rivers < 1 || read.WaterNear.Lakes+read.WaterNear.Rivers > 0 {
		t.Errorf("water at the Great Lakes %+v, in Sheffield %+v", read.Water, read.WaterNear)
	}
	has("from nearby", read.Near.Places, "Sheffield")
	if n := len(read.Near.Places); n < 10 || n > 200 || len(read.Near.Countries) > 0 {
		t.Errorf("from nearby: %+v", read.Near)
	}
	first := func(list []string, want string) {
		t.Helper()
		if len(list) == 0 || len(list) > 8 || !strings.HasPrefix(list[0], want) {
			t.Errorf("found are %q, want %s first", list, want)
		}
	}
	first(read.Accents, "São PauloBrazil")
	first(read.Country, "LondonCanada")
	first(read.Same, "SheffieldUnited Kingdom")
	if read.Active != read.Same[0] {
		t.Errorf("the keys chose %q", read.Active)
	}
	// Sheffield Town Hall is at 53.38 N, 1.47 W.
	there := func(what string, p place) {
		t.Helper()
		if math.Abs(p.Lat-53.38) > 0.3 || math.Abs(p.Lng+1.47) > 1 || p.Zoom < 8 || p.Pins != 1 || p.List || p.Field != "Sheffield, United Kingdom" || !strings.Contains(p.Hash, "place=") {
			t.Errorf("%s: %+v", what, p)
		}
	}
	there("taken", read.Taken)
	there("reloaded", read.Reloaded)
	if !strings.Contains(read.None, "No place") {
		t.Errorf("of no place it says %q", read.None)
	}
	if c := read.Cleared; c.Pins != 0 || c.Field != "" || strings.Contains(c.Hash, "place=") {
		t.Errorf("cleared: %+v", c)
	}
	if len(read.South.Land) < 10 || slices.Contains(read.South.Land, 0) || slices.Max(read.South.Lines) > 0 {
		t.Errorf("in the south there are %d of land and %d lines across", read.South.Land, read.South.Lines)
	}
	for _, w := range read.Widths {
		var list []string
		for name, b := range w.Boxes {
			list = append(list, name)
			if b[0] < 0 || b[2] > w.Width || b[2] <= b[0] {
				t.Errorf("at %v pixels %s is at %v", w.Width, name, b)
			}
		}
		slices.Sort(list)
		for i, one := range list {
			for _, two := range list[i+1:] {
				a, b := w.Boxes[one], w.Boxes[two]
				if a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] {
					t.Errorf("at %v pixels %s lies over %s: %s", w.Width, one, two, fmt.Sprint(a, b))
				}
			}
		}
	}
	if len(read.Widths) != 8 || len(read.Problems) > 0 {
		t.Errorf("%d widths; the browser complains: %q", len(read.Widths), read.Problems)
	}
}
