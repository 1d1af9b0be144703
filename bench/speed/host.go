package main

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

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
