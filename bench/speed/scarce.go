package main

import (
	"database/sql"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/bench/report"
)

// apart is what a query took in a process of its own: in one process the memory of
// what ran before would be used again.
type apart struct {
	resident float64       // by how many bytes the query raised resident memory at most
	counted  float64       // the most bytes that aggregates were charged for, looked at every few milliseconds
	cpu      time.Duration // of the processors
	clock    time.Duration
	answer   string
}

// alone runs setup and then a query in a process of its own.
func alone(query string, setup ...string) (a apart) {
	cmd := exec.Command(report.Must(os.Executable()))
	cmd.Env = append(os.Environ(), peakVariable+"="+strings.Join(append(setup, query), ";\n"))
	cmd.Stderr = os.Stderr
	out := string(report.Must(cmd.Output()))
	report.Must(fmt.Sscan(out, &a.resident, &a.counted, &a.cpu, &a.clock, &a.answer))
	return a
}

// watch is the most memory that aggregates are charged for until it is told to stop.
func watch(stop <-chan struct{}) <-chan uint64 {
	most := make(chan uint64)
	go func() {
		n := uint64(0)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			n = max(n, uint64(ccbfsql.MemoryUsed()))
			select {
			case <-stop:
				most <- n
				return
			case <-tick.C:
			}
		}
	}()
	return most
}

// spent runs a query, and returns what it took and its answers.
func spent(db *sql.DB, query string) (cpu, clock time.Duration, counted uint64, answer string) {
	stop := make(chan struct{})
	most := watch(stop)
	began, before := time.Now(), ownCPU()
	answer = strings.Join(column[string](db, "SELECT COLUMNS(*)::VARCHAR FROM ("+query+")"), ",")
	cpu, clock = ownCPU()-before, time.Since(began)
	close(stop)
	return cpu, clock, <-most, answer
}

// scarcePoints sets how many points scarce has: the file takes 8 bytes for each.
const scarcePoints = "BENCH_POINTS"

// scarce builds sketches of more cells than fit the budget.
func scarce(c report.Config, s *report.Section) {
	n := report.Pick(c, 300_000, 5_000_000, 50_000_000)
	if text := os.Getenv(scarcePoints); text != "" {
		n = report.Must(strconv.Atoi(text))
	}
	// 128 MiB for fifty million points, and twice that for four times as many.
	limit := int(math.Sqrt(float64(n)/50e6) * (128 << 20))
	dir := report.Must(os.MkdirTemp("", "ccbfsql-speed"))
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "points.parquet")
	db := open(2)
	// Points in sixteenths of a cell, in 31 x 30 tiles of 576 x 576 cells: of fifty million
	// points about 31 million cells have some. Density falls with the power 2/3 of either
	// coordinate, and the first tile has a tenth of all points.
	const tile = 576 * 16
	axis := func(tiles, seed int) string {
		return fmt.Sprintf("floor(pow((hash(i, %d) %% 1000000007) / 1000000007.0, 3) * %d)::INTEGER", seed, tiles*tile)
	}
	run(db, "SET preserve_insertion_order = false", fmt.Sprintf("COPY (SELECT %s x, %s y FROM range(%d) t(i)) TO '%s' (FORMAT parquet, COMPRESSION snappy)", axis(31, 1), axis(30, 2), n, file))
	db.Close()
	key := fmt.Sprintf("x // %d * 30 + y // %[1]d", tile)
	ours := fmt.Sprintf("SELECT concat_ws('/', count(*), sum(ccbf_total(s)), sum((ccbf_info(s)).cells), sum(octet_length(s)), bit_xor(hash(s))) FROM (SELECT %s k, ccbf_agg(x, y, 16) s FROM '%s' GROUP BY k)", key, file)
	exact := fmt.Sprintf("SELECT concat_ws('/', count(DISTINCT k), sum(n), count(*)) FROM (SELECT %s k, x // 16 cx, y // 16 cy, count(*) n FROM '%s' GROUP BY ALL)", key, file)
	memory := func(bytes int) string { return fmt.Sprintf("SELECT ccbf_memory_limit(%d)", bytes) }
	w := newStopwatch(c, s)
	rounds := min(w.rounds, report.Pick(c, 1, 2, 3))
	if n > 100_000_000 {
		rounds = 1
	}
	var plenty, little, table []apart
	for range rounds {
		plenty = append(plenty, alone(ours, memory(1<<36)))
		little = append(little, alone(ours, memory(limit)))
		table = append(table, alone(exact, fmt.Sprintf("SET temp_directory = '%s'", dir)))
		last := len(plenty) - 1
		for _, a := range []apart{plenty[last], little[last], table[last]} {
			fmt.Fprintf(os.Stderr, "scarce: %s of the processors, %s by the clock, %.0f MiB resident, %.0f MiB counted: %s\n",
				a.cpu.Round(time.Millisecond), a.clock.Round(time.Millisecond), a.resident/(1<<20), a.counted/(1<<20), a.answer)
		}
		report.Require(plenty[last].answer == little[last].answer, "with little memory the sketches are others: %s, %s", plenty[last].answer, little[last].answer)
	}
	cpu := func(a apart) float64 { return a.cpu.Seconds() }
	clock := func(a apart) float64 { return a.clock.Seconds() }
	resident := func(a apart) float64 { return a.resident }
	over := func(x, y []apart, of func(apart) float64) ratio {
		r := make(ratio, len(x))
		for i := range x {
			r[i] = of(x[i]) / of(y[i])
		}
		return r
	}
	part := report.Column(little, func(a apart) float64 { return a.counted / float64(limit) })
	byTime := over(little, plenty, cpu)
	w.claim(byTime.atMost("processor time of `ccbf_agg` with little memory / with enough", 1.5))
	w.claim(ratio(part).atMost("most memory counted / the limit", 1))
	answer := strings.Split(plenty[0].answer, "/")
	s.Short("%d points in %s cells and %s groups, whose sketches take %s MB, are built within %.0f MiB in %s of the processor time that they take with enough memory, which is %s of the exact GROUP BY's.",
		n, answer[2], answer[0], report.Num(report.Must(strconv.ParseFloat(answer[3], 64))/1e6), float64(limit)/(1<<20), byTime, over(plenty, table, cpu))
	s.Text("Points read from Parquet, a sketch for each tile, with the given memory limit and with one of 64 GiB, compared with the exact GROUP BY of tiles and cells (within DuckDB's own limit); "+
		"each in a separate process, %d runs. Memory is the largest increase of the process's memory during the query; the memory charged to aggregates was sampled every 5 ms. `%s=200000000` in the environment uses that many points instead of %d.", rounds, scarcePoints, n)
	t := s.Table("memory limit, MiB", "counted at most / limit", "processor time / GROUP BY", "time / GROUP BY", "peak / GROUP BY", "peak / bytes of the sketches")
	bytes := report.Must(strconv.ParseFloat(answer[3], 64))
	for _, x := range []struct {
		limit float64
		took  []apart
	}{{float64(limit), little}, {1 << 36, plenty}} {
		counted := ratio(report.Column(x.took, func(a apart) float64 { return a.counted / x.limit }))
		peak := ratio(report.Column(x.took, func(a apart) float64 { return a.resident / bytes }))
		t.Row(x.limit/(1<<20), counted, over(x.took, table, cpu), over(x.took, table, clock), over(x.took, table, resident), peak)
	}
	s.Rows("ratio", "Processor time and peak of resident memory of ccbf_agg by tile beside the exact GROUP BY of tiles and cells.", "ccbf_agg / GROUP BY", []report.Row{
		over(little, table, cpu).row("processor time", "little memory"), over(plenty, table, cpu).row("processor time", "enough"),
		over(little, table, resident).row("peak of memory", "little memory"), over(plenty, table, resident).row("peak of memory", "enough")})
}
