package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// ownCPU is the processor time of this program so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	report.Check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// extension runs the same query through the extension and in this program, in
// turn, on the same version of DuckDB.
func extension(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	version := duckDB()
	host, missing := findHost(strings.TrimPrefix(version, "v"))
	if missing != "" {
		s.Short("left out: %s.", missing)
		return
	}
	defer host.remove()
	g := host.start()
	defer g.stop()
	points := crimes(c)
	both := func(statement string) { run(db, statement); g.run(statement) }
	both("CREATE TABLE uk AS " + points)
	w := newStopwatch(c, s)
	s.Text("`ccbf_agg` over the UK crimes through the loadable extension, in a host written in C with libduckdb, compared with the functions in this program, on the same version of DuckDB (%s).", version)
	t := s.Table("sketch", "threads", "time / embedded", "processor time / embedded")
	var rows []report.Row
	var claims []claim
	for _, threads := range []int{1, 2} {
		both(fmt.Sprintf("SET threads = %d", threads))
		for _, q := range []struct{ what, query string }{
			{"exact", "SELECT ccbf_agg(lon, lat, 0.001) AS s FROM uk"},
			{"dense", "SELECT ccbf_agg(lon, lat, 0.001, {exact: false}) AS s FROM uk"},
			{"by tile", "SELECT ccbf_agg(lon, lat, 0.001) AS s FROM uk GROUP BY quadkey(lon, lat, 10)"},
		} {
			statement := "CREATE OR REPLACE TEMP TABLE s AS " + q.query
			var cpus [2]sample
			what := fmt.Sprintf("%s, %d threads", q.what, threads)
			took := w.inTurn(what,
				contender{name: "extension", run: func() { spend(&cpus[0], g.cpu, func() { g.run(statement) }) }},
				contender{name: "embedded", run: func() { spend(&cpus[1], ownCPU, func() { run(db, statement) }) }})
			clock, cpu := took[0].over(took[1]), cpus[0][1:].over(cpus[1][1:]) // a first round is not counted
			t.Row(q.what, threads, clock, cpu)
			claims = append(claims, clock.atMost("time of `ccbf_agg`, extension / embedded, slowest: "+what, 1.1))
			rows = append(rows, clock.row(what, "by the clock"), cpu.row(what, "of the processor"))
		}
	}
	w.claim(worst(claims))
	loads := timeLoads(w, host)
	ratios := report.Column(claims, func(c claim) float64 { return c.measured.median() })
	rows = append(rows, loads)
	s.Short("`ccbf_agg` through the extension takes %s to %s of the embedded time.", report.Num(slices.Min(ratios)), report.Num(slices.Max(ratios)))
	s.Rows("ratio", "Time of ccbf_agg through the extension beside the embedded functions, and of LOAD beside opening a database.", "time / reference", rows)
}

// spend adds to a sample the processor time that a function takes.
func spend(to *sample, cpu func() time.Duration, f func()) {
	before := cpu()
	f()
	*to = append(*to, cpu()-before)
}

// timeLoads starts hosts and has them load the extension.
func timeLoads(w stopwatch, h host) report.Row {
	var opened, loaded sample
	for range w.rounds {
		g := h.start()
		g.stop()
		opened, loaded = append(opened, g.opened), append(loaded, g.loaded)
	}
	w.say("LOAD", []contender{{name: "LOAD"}, {name: "opening a database"}}, []sample{loaded, opened})
	r := loaded.over(opened)
	w.claim(loaded.within("time of LOAD", 100*time.Millisecond, r, "opening a database"))
	return r.row("LOAD / opening a database", "by the clock")
}

// host is a program without Go, the C host of the client tests, that can load
// the extension.
type host struct{ folder, library, extension string }

// findHost compiles the host, for DuckDB's library of that version; or it says
// what is missing.
func findHost(version string) (h host, missing string) {
	found := report.Must(filepath.Glob(filepath.Join("..", "build", "clients", "node_modules", "duckdb-"+version, "node_modules", "@duckdb", "*", "libduckdb.*")))
	if len(found) == 0 {
		return h, "no libduckdb " + version + ", which `make clients` brings where there is npm"
	}
	extension := report.Must(filepath.Abs(filepath.Join("..", "build", "ccbf.duckdb_extension")))
	if _, err := os.Stat(extension); errors.Is(err, fs.ErrNotExist) {
		return h, "no extension, which `make extension` makes"
	}
	folder := report.Must(os.MkdirTemp("", "ccbfsql-speed"))
	h = host{folder: folder, library: found[0], extension: extension}
	cc := exec.Command("cc", "-O1", "-o", h.program(), filepath.Join("..", "test", "clients", "c", "host.c"), "-ldl", "-lpthread")
	out, err := cc.CombinedOutput()
	report.Require(err == nil, "%w\n%s", err, out)
	return h, ""
}

func (h host) program() string { return filepath.Join(h.folder, "host") }

func (h host) remove() { os.RemoveAll(h.folder) }

// guest is the extension in a process of its host.
type guest struct {
	cmd            *exec.Cmd
	in             io.WriteCloser
	out            *bufio.Reader
	opened, loaded time.Duration // what opening a database and loading took
}

// start starts a process with the extension loaded.
func (h host) start() *guest {
	g := &guest{cmd: exec.Command(h.program(), h.library)}
	g.cmd.Stderr = os.Stderr
	out := report.Must(g.cmd.StdoutPipe())
	g.out = bufio.NewReader(out)
	g.in = report.Must(g.cmd.StdinPipe())
	report.Check(g.cmd.Start())
	g.opened = timed(func() { g.do("open 1") })
	g.loaded = timed(func() { g.run("LOAD '" + h.extension + "'") })
	return g
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// stop ends the process, which waits for no answer.
func (g *guest) stop() {
	_ = g.in.Close() // the host ends by it
	_ = g.cmd.Wait()
}

func (g *guest) do(line string) string {
	report.Must(io.WriteString(g.in, line+"\n"))
	return strings.TrimSuffix(report.Must(g.out.ReadString('\n')), "\n")
}

// run runs a statement.
func (g *guest) run(statement string) {
	// A line is a statement.
	answer := g.do("sql 1 " + strings.Join(strings.Fields(statement), " "))
	report.Require(strings.HasPrefix(answer, "="), "%s\nin %s", answer, statement)
}

// cpu is the processor time of the process so far.
func (g *guest) cpu() time.Duration {
	return time.Duration(report.Must(strconv.ParseFloat(g.do("cpu"), 64)) * float64(time.Millisecond))
}
