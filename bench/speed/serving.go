package main

import (
	"bufio"
	"bytes"
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
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"golang.org/x/sync/errgroup"
)

// server is a process of ccbfsql serve.
type server struct {
	cmd *exec.Cmd
	url string
}

func startServer(file string) *server {
	build := exec.Command("go", "tool", "-n", "ccbfsql")
	build.Dir = ".."
	shell := strings.TrimSpace(string(report.Must(build.Output())))
	s := &server{cmd: exec.Command(shell, "serve", "-addr", "127.0.0.1:0", file)}
	out := report.Must(s.cmd.StdoutPipe())
	report.Check(s.cmd.Start())
	_, url, _ := strings.Cut(report.Must(bufio.NewReader(out).ReadString('\n')), " on ")
	s.url, _, _ = strings.Cut(url, " ")
	return s
}

func (s *server) stop() {
	if s != nil {
		report.Check(errors.Join(s.cmd.Process.Signal(os.Interrupt), s.cmd.Wait()))
	}
}

// Polygons over a quarter, half and all of the sketches.
const (
	quarter = `{"type": "Polygon", "coordinates": [[[-3, 50.8], [2, 50.6], [2.5, 53], [0, 53.6], [-2.8, 52.9], [-3, 50.8]]]}`
	half    = `{"type": "Polygon", "coordinates": [[[-6, 49], [0.4, 49], [0.1, 52], [-0.2, 57], [-6, 57], [-6, 49]]]}`
	whole   = `{"type": "Polygon", "coordinates": [[[-6, 49], [7, 49.1], [7.2, 53], [6, 57], [-6, 57], [-6, 49]]]}`
)

// Conditions on three columns that select about half of the rows: as in a request, and in SQL.
const (
	chosenWhere = `[{"by": "month", "value": "0", "to": "3"}, {"by": "kind", "value": "a", "to": "c"}, {"by": "solved", "value": "true"}]`
	chosenRows  = " WHERE month BETWEEN 0 AND 3 AND kind BETWEEN 'a' AND 'c' AND solved"
)

// served measures requests to ccbfsql serve, relative to the same queries in SQL. The database has up to
// 2,000 sketches of tiles, of points in towns of a thousand.
func served(b *bench) {
	duck.Folder(func(dir string) {
		file := filepath.Join(dir, "map.duckdb")
		db := report.Must(connector.Open(file))
		duck.Run(db, text("map", report.Pick(b.c, 20_000, 500_000, 2_000_000)))
		report.Check(db.Close())
		b.db = report.Must(connector.Open(file + "?access_mode=read_only&threads=2"))
		defer b.db.Close()
		b.requests(file)
	})
}

func (b *bench) requests(file string) {
	sketches := duck.Number(b.db, "SELECT count(*) FROM tiles")
	n := report.Pick(b.c, 40, 200, 200) // number of requests; all rounds together stay below the server's limit of requests at once
	b.Set("sketches", sketches, "n", n)
	record := func(what string, limit int, took, reference []float64) { // limit is the promised time in milliseconds
		b.recordTook(what, "", took, reference, report.At{"limit": limit})
	}
	draw := b.query("ccbf_png", text("tile", "-5.625, 50.736455, 0, 52.482780")) // the box is about that of a tile of zoom 6
	var running *server
	defer func() { running.stop() }()
	// Each round starts the server again, and measures the first tile that it draws.
	took := b.inTurn("first tile", contender{name: "first tile", fresh: func() {
		running.stop()
		running = startServer(file)
	}, run: func() { fetch(running.url + tilePath(6, -2, 51.5)) }}, draw)
	record(fmt.Sprintf("the first tile of %.0f sketches", sketches), 200, took[0], took[1])
	for _, q := range []struct{ what, rows string }{
		{"95% of tiles, zooms 5 to 13, 8 at a time", ""},
		{"95% of tiles of rows chosen by three columns, 8 at a time", "?where=" + url.QueryEscape(chosenWhere)},
	} {
		late, beside := b.manyTiles(running.url, q.rows, n, draw)
		record(q.what, 60, late, beside)
	}
	for _, q := range []struct{ what, polygon, where, condition string }{
		{"a polygon over a quarter of the sketches", quarter, "", ""},
		{"a polygon over half of the sketches", half, "", ""},
		{"a polygon over all sketches, of which three columns choose half", whole, `, "where": ` + chosenWhere, chosenRows},
	} {
		question := []byte(`{"table": "tiles", "column": "s", "polygon": ` + q.polygon + q.where + `}`)
		took = b.inTurn(q.what, contender{name: "request", run: func() { post(running.url+"/api/sum", question) }},
			b.query("ccbf_polygon_sum", "SELECT sum(ccbf_polygon_sum(s, '"+q.polygon+"')) FROM tiles"+q.condition))
		record(q.what, 150, took[0], took[1])
	}
}

// tilePath returns the path of the tile that contains a place.
func tilePath(z int, lon, lat float64) string {
	return fmt.Sprintf("/tiles/tiles/s/%d/%d/%d.png", z, report.Must(grid.TileX(lon, z)), report.Must(grid.TileY(lat, z)))
}

// fetch requests a tile.
func fetch(url string) {
	r, err := http.Get(url)
	report.Check(err)
	report.Must(io.Copy(io.Discard, r.Body))
	report.Check(r.Body.Close())
	report.Require(r.StatusCode == http.StatusOK, "%s: %s", url, r.Status)
}

// manyTiles requests in every round n tiles of selected rows, 8 at a time. It returns the 95%
// quantile of their times, and the times to draw a tile in between.
func (b *bench) manyTiles(url, rows string, n int, draw contender) (late, beside []float64) {
	const workers = 8
	for round := range b.rounds {
		times := make([]float64, n/workers*workers)
		var group errgroup.Group
		for worker := range workers {
			group.Go(func() error {
				r := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
				return report.Try(func() {
					for i := worker; i < len(times); i += workers {
						tile := url + tilePath(5+r.IntN(9), r.Float64()*10-5, 50+r.Float64()*5) + rows
						times[i] = report.Timed(func() { fetch(tile) })
					}
				})
			})
		}
		report.Check(group.Wait())
		late, beside = append(late, report.Quantile(times, 0.95)), append(beside, draw.time())
	}
	say("tiles", []contender{{name: "95% within"}, draw}, [][]float64{late, beside})
	return late, beside
}

// post sends a JSON request about an area.
func post(url string, question []byte) {
	r, err := http.Post(url, "application/json", bytes.NewReader(question))
	report.Check(err)
	var answer struct{ Sketches int }
	report.Check(errors.Join(json.NewDecoder(r.Body).Decode(&answer), r.Body.Close()))
	report.Require(r.StatusCode == http.StatusOK && answer.Sketches > 0, "%s: %s, of %d sketches", url, r.Status, answer.Sketches)
}
