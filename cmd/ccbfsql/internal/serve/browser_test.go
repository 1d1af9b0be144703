package serve

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// crimes creates a table of sketches like the police records: towns of 600 points over England, by
// tile and month.
const crimes = `CREATE TABLE tiles AS SELECT quadkey(lon, lat, 8) AS tile, date '2018-10-01' + to_months((i % 3)::INTEGER) AS month, ccbf_agg(lon, lat, 0.001) AS sketch
	FROM (SELECT i, (hash(i // 600) % 5000) / 1000 - 3.5 + sqrt(-2 * ln((hash(i, 1) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 2) % 1000000) / 1e6) * 0.03 AS lon,
		(hash(i // 600, 3) % 3500) / 1000 + 50.8 + sqrt(-2 * ln((hash(i, 4) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 5) % 1000000) / 1e6) * 0.02 AS lat
		FROM range(600000) t(i)) GROUP BY ALL`

// browsed runs a script of web/test on a page and returns its result. It skips the test without a
// browser. All scripts share one browser, because starting it and compiling its shaders takes as
// long as a page.
func browsed(t testing.TB, script, url string, more ...string) []byte {
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
	return out
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
	file := database(t, crimes)
	out := browsed(t, "page.mjs", started(t, file))
	var visits []struct {
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
	if err := json.Unmarshal(out, &visits); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	db := opened(t, file+"?"+confined)
	estimate := func(sql string) float64 {
		var v, low, high float64
		var cells, sketches int
		if err := db.QueryRow(sql).Scan(&v, &low, &high, &cells, &sketches); err != nil {
			t.Errorf("%v\n%s", err, sql)
		}
		return v
	}
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
		if want := estimate(v.SQL); v.Estimate != want || want == 0 {
			t.Errorf("%s: the page says %v, its SQL %v", v.Name, v.Estimate, want)
		}
		if shown := strings.ReplaceAll(v.Shown, ",", ""); shown != jsonNumber(math.Round(v.Estimate)) {
			t.Errorf("%s: %v is shown as %s", v.Name, v.Estimate, v.Shown)
		}
		if want := estimate(v.Box.SQL); v.Box.Estimate != want {
			t.Errorf("%s: the page says %v for a box, its SQL %v", v.Name, v.Box.Estimate, want)
		}
		if len(v.Spots) == 0 || len(v.Spots) > 20 {
			t.Errorf("%s: %d hottest places", v.Name, len(v.Spots))
		}
	}
}

// jsonNumber returns a whole number as JSON.
func jsonNumber(v float64) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
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
