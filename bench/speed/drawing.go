package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// drawing is a question of maps, and the exact table's answer to it.
type drawing struct {
	what, ours, exact string
	limit             time.Duration // that was promised; 0 for none
	most              float64       // of the table's time, promised of exact sketches; 0 for none
}

// country is the box of all drawings but one.
const country = "-6.5, 49.8, 2.0, 55.9"

// pixelsOf is the table's answer to a picture of the country, 1024 pixels wide: one number
// for each pixel in which a cell's centre lies.
func pixelsOf(res string, height int) string {
	return fmt.Sprintf("SELECT count(*) FROM (SELECT floor(((x + 0.5) * %[1]s + 6.5) / 8.5 * 1024) AS i, floor((55.9 - (y + 0.5) * %[1]s) / 6.1 * %d) AS j, sum(n) AS n FROM counted%s GROUP BY i, j)", res, height, within(res))
}

// within is which cells of the table lie in the country.
func within(res string) string {
	return " WHERE (x + 0.5) * " + res + " BETWEEN -6.5 AND 2.0 AND (y + 0.5) * " + res + " BETWEEN 49.8 AND 55.9"
}

// drawings are the questions about an area; London's centre has cells that are
// larger than pixels.
func drawings(res, threshold string) []drawing {
	const city = "-0.15, 51.49, -0.09, 51.53"
	return []drawing{
		{"cells of " + threshold + " points or more", "SELECT len(ccbf_hotspots(%s, " + country + ", " + threshold + ")) FROM s", "SELECT count(*) FROM (SELECT x, y, n FROM counted" + within(res) + " AND n >= " + threshold + " ORDER BY n DESC)", 50 * time.Millisecond, 1},
		{"the 100 largest cells", "SELECT len(ccbf_top_k(%s, " + country + ", 100)) FROM s", "SELECT count(*) FROM (SELECT x, y, n FROM counted" + within(res) + " ORDER BY n DESC LIMIT 100)", 50 * time.Millisecond, 0},
		{"raster of 1024 x 768", "SELECT len(ccbf_raster(%s, " + country + ", 1024, 768)) FROM s", pixelsOf(res, 768), 0, 1},
		{"PNG of 1024 x 1024", "SELECT octet_length(ccbf_png(%s, " + country + ", 1024, 1024)) FROM s", pixelsOf(res, 1024), 150 * time.Millisecond, 1.2},
		{"PNG of 1024 x 1024, a city", "SELECT octet_length(ccbf_png(%s, " + city + ", 1024, 1024)) FROM s", pixelsOf(res, 1024), 150 * time.Millisecond, 0},
	}
}

// drawn are the forms of a sketch that maps are made of.
var drawn = []string{"exact", "tree", "dense"}

// maps lists the largest cells of the whole country, and draws it, from one
// sketch of a megabyte, or as a tree of half the bytes of all cells.
func maps(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	run(db, "CREATE TABLE p AS "+crimes(c))
	s.Text("One sketch of the UK crimes, exact, a tree of half the bytes, or dense with 12 levels in a megabyte, and the exact table of cells and counts. For a picture, the table returns one number for each pixel of the country and draws nothing.")
	t := s.Table("cells", "question", "exact sketch / table", "tree / table", "dense sketch / table")
	var rows []report.Row
	claims, ratios := make([][]claim, len(drawings("", ""))), make([][]claim, len(drawings("", "")))
	w := newStopwatch(c, s)
	for _, r := range []struct{ res, threshold string }{{"0.01", "500"}, {"0.001", "100"}} {
		run(db, fmt.Sprintf("CREATE OR REPLACE TABLE whole AS SELECT ccbf_agg(lon, lat, %s) AS exact FROM p", r.res))
		half := number(db, "SELECT octet_length(exact) // 2 FROM whole")
		run(db, fmt.Sprintf(`CREATE OR REPLACE TABLE s AS SELECT * FROM whole, (
			SELECT ccbf_agg(lon, lat, %[1]s, {bytes: %.0[2]f, overflow: 'tree'}) AS tree, ccbf_agg(lon, lat, %[1]s, {exact: false, levels: 12}) AS dense FROM p)`, r.res, half),
			fmt.Sprintf("CREATE OR REPLACE TABLE counted AS SELECT floor(lon / %[1]s)::BIGINT x, floor(lat / %[1]s)::BIGINT y, count(*) n FROM p GROUP BY ALL", r.res))
		for i, d := range drawings(r.res, r.threshold) {
			contenders := []contender{query(db, "exact table", d.exact)}
			for _, form := range drawn {
				contenders = append(contenders, query(db, form+" sketch", fmt.Sprintf(d.ours, form)))
			}
			if i == 0 {
				agree(db, d.exact, fmt.Sprintf(d.ours, "exact"))
			}
			what := d.what + ", cells of " + r.res
			took := w.inTurn(what, contenders...)
			cells := []any{r.res, d.what}
			for form, name := range drawn {
				of := took[form+1].over(took[0])
				cells = append(cells, of)
				rows = append(rows, of.row(what, name))
				if d.limit > 0 {
					judged := took[form+1].within("time of "+what+", "+name+" sketch, the slowest of six", d.limit, of, "the exact table")
					if name == "dense" && r.res == "0.001" {
						judged = judged.because("so many cells with 12 levels are too much for a megabyte: most places without points seem to have some")
					}
					claims[i] = append(claims[i], judged)
				}
				if d.most > 0 && name == "exact" {
					ratios[i] = append(ratios[i], of.atMost("time of "+d.what+", exact sketch / exact table, slowest: cells of "+r.res, d.most))
				}
				if i == 2 && name == "dense" && r.res == "0.001" {
					w.claim(of.atMost("time of "+what+", counters with 12 levels / exact table", 1).because("squares that pixels cut are asked for cell by cell"))
				}
			}
			t.Row(cells...)
		}
	}
	for _, of := range slices.Concat(claims, ratios) {
		if of != nil {
			w.claim(worst(of))
		}
	}
	rows = append(rows, cellByCell(c, db, w))
	png := 3 * len(drawn)
	s.Short("a picture of the country takes %s of the exact table's time for its pixels from an exact sketch, %s from a dense one (cells of 0.01 degrees).", report.Num(rows[png].At), report.Num(rows[png+2].At))
	s.Rows("ratio", "Time of questions of maps as a part of the exact table's.", "time / exact table", rows)
}

// cellByCell is a raster of counters that have no levels.
func cellByCell(c report.Config, db *sql.DB, w stopwatch) report.Row {
	res := report.Pick(c, "0.01", "0.001", "0.001")
	run(db, fmt.Sprintf("CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(lon, lat, %s, {exact: false}) AS plain FROM p", res),
		fmt.Sprintf("CREATE OR REPLACE TABLE counted AS SELECT floor(lon / %[1]s)::BIGINT x, floor(lat / %[1]s)::BIGINT y, count(*) n FROM p GROUP BY ALL", res))
	what := "raster of 1024 x 768, cells of " + res + ", counters without levels"
	took := w.inTurn(what, query(db, "exact table", pixelsOf(res, 768)), query(db, "counters", "SELECT len(ccbf_raster(plain, "+country+", 1024, 768)) FROM s"))
	r := took[1].over(took[0])
	w.claim(r.atMost("time of "+what+" / exact table", 5).because("each of 52 million cells is asked for: only what a cell reads tells whether it is empty"))
	return r.row(what, "dense")
}

// server is ccbfsql serve in a process of its own.
type server struct {
	cmd *exec.Cmd
	url string
}

func startServer(bin, file string) *server {
	s := &server{cmd: exec.Command(bin, "serve", "-addr", "127.0.0.1:0", file)}
	out := report.Must(s.cmd.StdoutPipe())
	report.Check(s.cmd.Start())
	_, url, _ := strings.Cut(report.Must(bufio.NewReader(out).ReadString('\n')), " on ")
	s.url, _, _ = strings.Cut(url, " ")
	return s
}

func (s *server) stop() { report.Check(errors.Join(s.cmd.Process.Signal(os.Interrupt), s.cmd.Wait())) }

// quarter is a polygon over a quarter of the sketches.
const quarter = `{"type": "Polygon", "coordinates": [[[-3, 50.8], [2, 50.6], [2.5, 53], [0, 53.6], [-2.8, 52.9], [-3, 50.8]]]}`

// Polygons over half of them, and over all.
const (
	half  = `{"type": "Polygon", "coordinates": [[[-6, 49], [0.4, 49], [0.1, 52], [-0.2, 57], [-6, 57], [-6, 49]]]}`
	whole = `{"type": "Polygon", "coordinates": [[[-6, 49], [7, 49.1], [7.2, 53], [6, 57], [-6, 57], [-6, 49]]]}`
)

// Rows chosen by three columns, some more than half: as a request says it, and in SQL.
const (
	chosenWhere = `[{"by": "month", "value": "0", "to": "3"}, {"by": "kind", "value": "a", "to": "c"}, {"by": "solved", "value": "true"}]`
	chosenRows  = " WHERE month BETWEEN 0 AND 3 AND kind BETWEEN 'a' AND 'c' AND solved"
)

// chosen is chosenWhere as the parameter of a tile.
var chosen = "?where=" + url.QueryEscape(chosenWhere)

// compiledShell is the program ccbfsql, compiled once for all that start it.
var compiledShell = sync.OnceValue(func() string {
	bin := report.Must(filepath.Abs(filepath.Join("..", "build", "bench", "ccbfsql")))
	compile := exec.Command("go", "build", "-o", bin, "./cmd/ccbfsql")
	compile.Dir = ".."
	out, err := compile.CombinedOutput()
	report.Require(err == nil, "%w\n%s", err, out)
	return bin
})

// served measures ccbfsql serve from outside, beside the same questions in SQL.
func served(c report.Config, s *report.Section) {
	dir := report.Must(os.MkdirTemp("", "ccbfsql-speed"))
	defer os.RemoveAll(dir)
	file, bin := filepath.Join(dir, "map.duckdb"), compiledShell()
	makeMap(file, report.Pick(c, 20_000, 500_000, 2_000_000))
	db := report.Must(connector.Open(file + "?access_mode=read_only&threads=2"))
	defer db.Close()
	sketches := number(db, "SELECT count(*) FROM tiles")
	w := newStopwatch(c, s)
	var rows []report.Row
	t := s.Table("request", "time / statement in SQL")
	record := func(what string, limit time.Duration, times, reference sample) {
		r := times.over(reference)
		t.Row(what, r)
		rows = append(rows, r.row(what, ""))
		w.claim(times.within("time of "+what, limit, r, "the statement"))
	}
	west, south, east, north := -5.625, 50.736455, 0.0, 52.482780 // about a tile of zoom 6
	draw := query(db, "ccbf_png", fmt.Sprintf("SELECT octet_length(ccbf_png(ccbf_union_agg(s), %[1]v, %[2]v, %[3]v, %[4]v, 256, 256)) FROM tiles WHERE ccbf_bbox_overlaps(s, %[1]v, %[2]v, %[3]v, %[4]v)", west, south, east, north))
	var running *server
	defer func() {
		if running != nil {
			running.stop()
		}
	}()
	// The first tile after each start.
	took := w.inTurn("first tile", contender{name: "first tile", fresh: func() {
		if running != nil {
			running.stop()
		}
		running = startServer(bin, file)
	}, run: func() { fetch(running.url + tilePath(6, -2, 51.5)) }}, draw)
	record(fmt.Sprintf("the first tile of %.0f sketches", sketches), 200*time.Millisecond, took[0], took[1])
	n := report.Pick(c, 40, 200, 200) // in all rounds fewer than the server answers without a pause
	late, beside := manyTiles(w, running.url, "", n, draw)
	record("95% of tiles, zooms 5 to 13, 8 at a time", 60*time.Millisecond, late, beside)
	filtered, besideFiltered := manyTiles(w, running.url, chosen, n, draw)
	record("95% of tiles of rows chosen by three columns, 8 at a time", 60*time.Millisecond, filtered, besideFiltered)
	for _, q := range []struct{ what, polygon, where, condition string }{
		{"a polygon over a quarter of the sketches", quarter, "", ""},
		{"a polygon over half of the sketches", half, "", ""},
		{"a polygon over all sketches, of which three columns choose half", whole, `, "where": ` + chosenWhere, chosenRows},
	} {
		question := []byte(`{"table": "tiles", "column": "s", "polygon": ` + q.polygon + q.where + `}`)
		took = w.inTurn(q.what, contender{name: "request", run: func() { post(running.url+"/api/sum", question) }},
			query(db, "ccbf_polygon_sum", "SELECT sum(ccbf_polygon_sum(s, '"+q.polygon+"')) FROM tiles"+q.condition))
		record(q.what, 150*time.Millisecond, took[0], took[1])
	}
	s.Short("a first tile takes %s times the statement that draws one in SQL; 95%% of %d further tiles take at most %s of it.", report.Num(rows[0].At), n, report.Num(rows[1].At))
	s.Text("A database of %.0f sketches of seeded points, served by a separate process and requested over HTTP, compared with the statement `SELECT ccbf_png(ccbf_union_agg(s), ...)` for one tile of zoom 6 or `SELECT sum(ccbf_polygon_sum(s, ...))` in this process, on two threads. Tiles are at random places, and some are requested twice.", sketches)
	s.Rows("ratio", "Time of requests as a part of the statements'.", "time / statement in SQL", rows)
}

// makeMap makes a database of up to 2,000 sketches of tiles, of points in towns
// of a thousand.
func makeMap(file string, points int) {
	db := report.Must(connector.Open(file))
	defer db.Close()
	run(db, fmt.Sprintf(`CREATE TABLE tiles AS SELECT *, (hash(x, y, 1) %% 5)::INTEGER AS month, ['a', 'b', 'c', 'd'][1 + (hash(x, y, 2) %% 4)::INTEGER] AS kind, hash(x, y, 3) %% 10 > 0 AS solved FROM (SELECT (lon * 5)::INTEGER AS x, (lat * 8)::INTEGER AS y, ccbf_agg(lon, lat, 0.001) AS s
		FROM (SELECT (hash(i // 1000) %% 10000) / 1000 - 5 + (hash(i, 1) %% 100000 + hash(i, 2) %% 100000) / 1e6 AS lon,
			(hash(i // 1000, 3) %% 5000) / 1000 + 50 + (hash(i, 4) %% 60000 + hash(i, 5) %% 60000) / 1e6 AS lat FROM range(%d) t(i)) GROUP BY x, y)
		ORDER BY hash(x, y) LIMIT 2000`, points))
}

// tilePath is the path of the tile of a place.
func tilePath(z int, lon, lat float64) string {
	return fmt.Sprintf("/tiles/tiles/s/%d/%d/%d.png", z, report.Must(grid.TileX(lon, z)), report.Must(grid.TileY(lat, z)))
}

// fetch is how long an answer takes.
func fetch(url string) time.Duration {
	start := time.Now()
	r, err := http.Get(url)
	report.Check(err)
	report.Must(io.Copy(io.Discard, r.Body))
	report.Check(r.Body.Close())
	report.Require(r.StatusCode == http.StatusOK, "%s: %s", url, r.Status)
	return time.Since(start)
}

// manyTiles asks in every round for n tiles of the rows that a parameter chooses, 8 at a time, and returns the time
// below which 95% of them were there, and that of drawing one in between.
func manyTiles(w stopwatch, url, rows string, n int, draw contender) (late, beside sample) {
	const workers = 8
	for round := range w.rounds {
		times := make([]float64, n/workers*workers)
		errs := make([]error, workers)
		var wg sync.WaitGroup
		for worker := range workers {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
				errs[worker] = report.Try(func() {
					for i := worker; i < len(times); i += workers {
						times[i] = float64(fetch(url + tilePath(5+r.IntN(9), r.Float64()*10-5, 50+r.Float64()*5) + rows))
					}
				})
			})
		}
		wg.Wait()
		report.Check(errors.Join(errs...))
		late, beside = append(late, time.Duration(report.Quantile(times, 0.95))), append(beside, draw.time())
	}
	w.say("tiles", []contender{{name: "95% within"}, draw}, []sample{late, beside})
	return late, beside
}

// post asks a question in JSON.
func post(url string, question []byte) {
	r, err := http.Post(url, "application/json", bytes.NewReader(question))
	report.Check(err)
	var answer struct{ Sketches int }
	report.Check(errors.Join(json.NewDecoder(r.Body).Decode(&answer), r.Body.Close()))
	report.Require(r.StatusCode == http.StatusOK && answer.Sketches > 0, "%s: %s, of %d sketches", url, r.Status, answer.Sketches)
}
