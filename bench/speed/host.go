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
	"strconv"
	"strings"
	"time"
)

// errNoHost says that there is nothing to load the extension into.
var errNoHost = errors.New("no program to load the extension into")

// host is a program without Go, the C host of the client tests, that can load
// the extension.
type host struct{ folder, library, extension string }

// findHost compiles the host, for DuckDB's library of that version.
func findHost(version string) (host, error) {
	found, err := filepath.Glob(filepath.Join("..", "build", "clients", "node_modules", "duckdb-"+version, "node_modules", "@duckdb", "*", "libduckdb.*"))
	if err != nil {
		return host{}, err
	}
	if len(found) == 0 {
		return host{}, fmt.Errorf("%w: no libduckdb %s, which `make clients` brings where there is npm", errNoHost, version)
	}
	extension, err := filepath.Abs(filepath.Join("..", "build", "ccbf.duckdb_extension"))
	if err != nil {
		return host{}, err
	}
	if _, err := os.Stat(extension); errors.Is(err, fs.ErrNotExist) {
		return host{}, fmt.Errorf("%w: no extension, which `make extension` makes", errNoHost)
	}
	folder, err := os.MkdirTemp("", "ccbfsql-speed")
	if err != nil {
		return host{}, err
	}
	h := host{folder: folder, library: found[0], extension: extension}
	cc := exec.Command("cc", "-O1", "-o", h.program(), filepath.Join("..", "test", "clients", "c", "host.c"), "-ldl", "-lpthread")
	if out, err := cc.CombinedOutput(); err != nil {
		h.remove()
		return host{}, fmt.Errorf("%w\n%s", err, out)
	}
	return h, nil
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
func (h host) start() (*guest, error) {
	g := &guest{cmd: exec.Command(h.program(), h.library)}
	g.cmd.Stderr = os.Stderr
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	g.out = bufio.NewReader(out)
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	if g.opened, err = timed(func() error {
		_, err := g.do("open 1")
		return err
	}); err == nil {
		g.loaded, err = timed(func() error { return g.run("LOAD '" + h.extension + "'") })
	}
	if err != nil {
		g.stop()
		return nil, err
	}
	return g, nil
}

func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// stop ends the process, which waits for no answer.
func (g *guest) stop() {
	_ = g.in.Close() // the host ends by it
	_ = g.cmd.Wait()
}

func (g *guest) do(line string) (string, error) {
	if _, err := io.WriteString(g.in, line+"\n"); err != nil {
		return "", err
	}
	answer, err := g.out.ReadString('\n')
	return strings.TrimSuffix(answer, "\n"), err
}

// run runs a statement.
func (g *guest) run(statement string) error {
	// A line is a statement.
	answer, err := g.do("sql 1 " + strings.Join(strings.Fields(statement), " "))
	if err == nil && !strings.HasPrefix(answer, "=") {
		err = fmt.Errorf("%s\nin %s", answer, statement)
	}
	return err
}

// cpu is the processor time of the process so far.
func (g *guest) cpu() (time.Duration, error) {
	answer, err := g.do("cpu")
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(answer, 64)
	return time.Duration(v * float64(time.Millisecond)), err
}
