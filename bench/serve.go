package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// served measures ccbfsql serve from outside, in a process of its own.
func served(o options) (err error) {
	dir, err := os.MkdirTemp("", "ccbfsql-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "map.duckdb")
	if err := makeMap(file); err != nil {
		return err
	}
	bin := filepath.Join(dir, "ccbfsql")
	build := exec.Command("go", "build", "-o", bin, "./cmd/ccbfsql")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	serve := exec.Command(bin, "serve", "-addr", "127.0.0.1:0", file)
	out, err := serve.StdoutPipe()
	if err != nil {
		return err
	}
	if err := serve.Start(); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, serve.Process.Signal(os.Interrupt), serve.Wait())
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return err
	}
	_, url, _ := strings.Cut(line, " on ")
	url, _, _ = strings.Cut(url, " ")

	first, err := fetch(url + tilePath(6, 0.5, 51.5))
	if err != nil {
		return err
	}
	fmt.Printf("%-44s %7.1f ms, promised below 200\n", "first tile of 2,000 sketches", ms(first))
	if err := many(url, points(o, 4000)); err != nil {
		return err
	}
	return area(url, o.rounds)
}

// makeMap makes a database of 2,000 sketches of tiles, of two million points in
// 2,000 towns.
func makeMap(file string) error {
	db, err := connector.Open(file)
	if err != nil {
		return err
	}
	defer db.Close()
	return run(db, `CREATE TABLE tiles AS FROM (SELECT (lon * 5)::INTEGER AS x, (lat * 8)::INTEGER AS y, ccbf_agg(lon, lat, 0.001) AS s
		FROM (SELECT (hash(i // 1000) % 10000) / 1000 - 5 + (hash(i, 1) % 100000 + hash(i, 2) % 100000) / 1e6 AS lon,
			(hash(i // 1000, 3) % 5000) / 1000 + 50 + (hash(i, 4) % 60000 + hash(i, 5) % 60000) / 1e6 AS lat FROM range(2000000) t(i)) GROUP BY x, y)
		ORDER BY hash(x, y) LIMIT 2000`)
}

// tilePath is the path of the tile of a place.
func tilePath(z int, lon, lat float64) string {
	x, errX := grid.TileX(lon, z)
	y, errY := grid.TileY(lat, z)
	if err := errors.Join(errX, errY); err != nil {
		panic(err) // not of places in Europe
	}
	return fmt.Sprintf("/tiles/tiles/s/%d/%d/%d.png", z, x, y)
}

// fetch is how long an answer takes.
func fetch(url string) (time.Duration, error) {
	start := time.Now()
	r, err := http.Get(url)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return 0, err
	}
	if r.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %s", url, r.Status)
	}
	return time.Since(start), nil
}

// many asks for n tiles, 8 at a time.
func many(url string, n int) error {
	var mu sync.Mutex
	var times []time.Duration
	var failed error
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(worker)))
			for range n / 8 {
				d, err := fetch(url + tilePath(5+r.IntN(9), r.Float64()*10-5, 50+r.Float64()*5))
				mu.Lock()
				times, failed = append(times, d), errors.Join(failed, err)
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	slices.Sort(times)
	at := func(share float64) float64 { return ms(times[int(share*float64(len(times)-1))]) }
	fmt.Printf("%-44s half below %.1f ms, 95%% below %.1f (promised 60), all below %.1f\n", fmt.Sprintf("%d tiles, zooms 5 to 13, 8 at a time", len(times)), at(0.5), at(0.95), at(1))
	return nil
}

// area asks for a polygon over a quarter of the sketches.
func area(url string, rounds int) error {
	const question = `{"table": "tiles", "column": "s", "polygon": {"type": "Polygon", "coordinates": [[[-3, 50.8], [2, 50.6], [2.5, 53], [0, 53.6], [-2.8, 52.9], [-3, 50.8]]]}}`
	var times sample
	var answer struct{ Sketches int }
	for round := range rounds + 1 {
		start := time.Now()
		r, err := http.Post(url+"/api/sum", "application/json", strings.NewReader(question))
		if err != nil {
			return err
		}
		err = json.NewDecoder(r.Body).Decode(&answer)
		if err = errors.Join(err, r.Body.Close()); err != nil {
			return err
		}
		if r.StatusCode != http.StatusOK {
			return fmt.Errorf("%s", r.Status)
		}
		if round > 0 {
			times = append(times, time.Since(start))
		}
	}
	fmt.Printf("%-44s %v, promised below 150\n", fmt.Sprintf("a polygon over %d sketches", answer.Sketches), times)
	return nil
}
