package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/internal/protocol"
)

// extension runs the same query in the extension and in this program in turn, with the same version
// of DuckDB. It also measures how long hosts take to load the extension.
func extension(b *bench) {
	version := duckDB()
	b.Set("version", version)
	duck.Folder(func(dir string) {
		start := host(dir, strings.TrimPrefix(version, "v"))
		g := start()
		defer func() { report.Check(g.End()) }()
		b.throughExtension(g)
		var opened, loaded []float64
		for range b.rounds {
			g := start()
			report.Check(g.End())
			opened, loaded = append(opened, g.opened), append(loaded, g.loaded)
		}
		say("LOAD", []contender{{name: "LOAD"}, {name: "opening a database"}}, [][]float64{loaded, opened})
		b.recordTook("LOAD / opening a database", "by the clock", loaded, opened, nil)
	})
}

func (b *bench) throughExtension(g *guest) {
	both := func(statement string) { b.run(statement); g.run(statement) }
	both("CREATE TABLE uk AS " + crimes(b.c))
	for _, threads := range []int{1, 2} {
		both(fmt.Sprintf("SET threads = %d", threads))
		for _, q := range []struct{ what, query string }{
			{"exact", "SELECT ccbf_agg(lon, lat, 0.001) AS s FROM uk"},
			{"dense", "SELECT ccbf_agg(lon, lat, 0.001, {exact: false}) AS s FROM uk"},
			{"by tile", "SELECT ccbf_agg(lon, lat, 0.001) AS s FROM uk GROUP BY quadkey(lon, lat, 10)"},
		} {
			statement := "CREATE OR REPLACE TEMP TABLE s AS " + q.query
			var cpus [2][]float64 // processor time in the extension and here
			spend := func(i int, cpu func() float64, run func(string)) func() {
				return func() {
					before := cpu()
					run(statement)
					cpus[i] = append(cpus[i], cpu()-before)
				}
			}
			what := fmt.Sprintf("%s, %d threads", q.what, threads)
			took := b.inTurn(what, contender{name: "extension", run: spend(0, g.cpu, g.run)},
				contender{name: "embedded", run: spend(1, ownCPU, func(statement string) { b.run(statement) })})
			at := report.At{"sketch": q.what, "threads": threads}
			b.record(what, "by the clock", over(took[0], took[1]), at)
			b.record(what, "of the processor", over(cpus[0][1:], cpus[1][1:]), at) // the first of the rounds is left out
		}
	}
}

// host compiles a C program, from the tests of clients, that loads the extension. It returns a function
// that starts it with DuckDB's library of a version.
func host(dir, version string) (start func() *guest) {
	found := report.Must(filepath.Glob(filepath.Join("..", "build", "clients", "node_modules", "duckdb-"+version, "node_modules", "@duckdb", "*", "libduckdb.*")))
	report.Require(len(found) > 0, "no libduckdb %s, which `make clients` brings where there is npm", version)
	extension := report.Must(filepath.Abs(filepath.Join("..", "build", "ccbf.duckdb_extension")))
	_, err := os.Stat(extension)
	report.Require(err == nil, "no extension, which `make extension` makes: %w", err)
	program := filepath.Join(dir, "host")
	out, err := exec.Command("cc", "-O1", "-o", program, filepath.Join("..", "test", "clients", "c", "host.c"), "-ldl", "-lpthread").CombinedOutput()
	report.Require(err == nil, "%w\n%s", err, out)
	return func() *guest {
		g := &guest{Client: report.Must(protocol.Start(exec.Command(program, found[0])))}
		g.opened = report.Timed(func() { g.do("open", ":memory:"); g.do("connect", "1") })
		g.loaded = report.Timed(func() { g.run("LOAD '" + extension + "'") })
		return g
	}
}

// guest is a process of the host with the extension.
type guest struct {
	*protocol.Client
	opened, loaded float64 // seconds: to open a database, and to load the extension
}

// do sends a request, and returns the rows of the answer.
func (g *guest) do(fields ...string) [][]string { return report.Must(g.Do(fields...)) }

func (g *guest) run(statement string) { g.do("exec", "1", statement) }

// cpu returns the processor time of the process so far, in seconds.
func (g *guest) cpu() float64 { return report.Must(strconv.ParseFloat(g.do("cpu")[0][0], 64)) / 1000 }
