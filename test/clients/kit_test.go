package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/protocol"
)

// oldest is the oldest DuckDB that the extension supports. Earlier versions must refuse it with an
// error.
const oldest = "1.3"

// missing skips a test that lacks something, or fails it if nothing may be missing.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CCBF_ALL_CLIENTS") != "" {
		t.Fatalf("CCBF_ALL_CLIENTS is set: "+format, args...)
	}
	t.Skipf("skipped: "+format, args...)
}

// extension returns the path of the extension under test.
func extension(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: -short (the race detector, say, sees nothing of other processes)")
	}
	path := os.Getenv("CCBF_EXTENSION")
	if path == "" {
		path = filepath.Join("..", "..", "build", "ccbf.duckdb_extension")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	// The file is read, so that go test notices its changes.
	if _, err := os.ReadFile(path); err != nil {
		missing(t, "no %s (make extension)", path)
	}
	return path
}

// installed returns the path of a file or folder below build/clients, where make clients installs.
func installed(t testing.TB, what string, path ...string) string {
	t.Helper()
	path = append([]string{"..", "..", "build", "clients"}, path...)
	full, err := filepath.Abs(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(full); err != nil {
		missing(t, "no %s in %s (make clients)", what, full)
	}
	return full
}

// packages returns the folder with the Node packages.
func packages(t testing.TB) string {
	t.Helper()
	return filepath.Dir(installed(t, "Node packages", "node_modules"))
}

// listed returns the versions in a file that make clients reads too.
func listed(t testing.TB, path ...string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// versions returns the versions in package.json, oldest first: the supported ones or those that are
// too old.
func versions(t testing.TB, supported bool) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("node", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	var vs []string
	for name := range p.Dependencies {
		v := strings.TrimPrefix(name, "duckdb-")
		if (v >= oldest) == supported {
			vs = append(vs, v)
		}
	}
	slices.Sort(vs)
	if len(vs) == 0 {
		t.Fatal("no versions in package.json")
	}
	return vs
}

// libraries returns the versions that have a libduckdb. They come from Node's packages, and from
// the JDBC driver, whose library has the C API as well.
func libraries(t testing.TB) []string {
	vs := versions(t, true)
	for v, release := range releases(t) {
		if _, err := os.Stat(filepath.Join("..", "..", "build", "clients", "jvm", release)); err != nil && os.Getenv("CCBF_ALL_CLIENTS") == "" {
			t.Logf("left out: no JDBC driver %s (make clients)", release)
			continue
		}
		vs = append(vs, v)
	}
	slices.Sort(vs)
	return slices.Compact(vs)
}

// newest returns the newest version with a libduckdb.
func newest(t testing.TB) string {
	vs := libraries(t)
	return vs[len(vs)-1]
}

// library returns the path of the libduckdb of a version.
func library(t testing.TB, version string) string {
	t.Helper()
	if !slices.Contains(versions(t, true), version) {
		return installed(t, "library of the JDBC driver", "jvm", releases(t)[version], "libduckdb.so")
	}
	found, err := filepath.Glob(filepath.Join(packages(t), "node_modules", "duckdb-"+version, "node_modules", "@duckdb", "*", "libduckdb.*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		missing(t, "no libduckdb %s among the Node packages", version)
	}
	return found[0]
}

// node starts a Node process with a version of DuckDB.
func node(t *testing.T, version string) *client {
	t.Helper()
	folder := packages(t)
	program, err := exec.LookPath("node")
	if err != nil {
		missing(t, "no node")
	}
	return running(t, exec.Command(program, filepath.Join("node", "host.js"), folder, "duckdb-"+version))
}

// python starts a Python process with a version of the package duckdb.
func python(t *testing.T, version string) *client {
	t.Helper()
	return running(t, pythonOf(t, version, filepath.Join("python", "client.py")))
}

// pythonOf returns a Python program with a version of the package duckdb.
func pythonOf(t *testing.T, version, program string, args ...string) *exec.Cmd {
	t.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		missing(t, "no python3")
	}
	cmd := exec.Command(interpreter, append([]string{program}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+installed(t, "duckdb "+version+" for Python", "python", version))
	return cmd
}

// running starts a client, which must end without an error when the test does.
func running(t testing.TB, cmd *exec.Cmd) *client {
	t.Helper()
	p, err := protocol.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.End(); err != nil {
			t.Error(err)
		}
	})
	return &client{Client: p}
}

// loaded opens a database with the extension.
func loaded(t testing.TB, c *client, file string) *client {
	t.Helper()
	if err := c.open(file, extension(t)); err != nil {
		t.Fatal(err)
	}
	return c
}

func connect(t testing.TB, client *client) *conn {
	t.Helper()
	c, err := client.connect()
	if err != nil {
		t.Fatal(err)
	}
	return c.(*conn)
}

func mustExec(t testing.TB, c interface{ Exec(string) error }, statements string) {
	t.Helper()
	if err := c.Exec(statements); err != nil {
		t.Fatalf("%.300s: %v", statements, err)
	}
}

// host is a kind of program that loads the extension.
type host struct {
	start    func(*testing.T, string) *client
	versions func(t testing.TB) []string // versions of DuckDB, oldest first
}

var hosts = map[string]host{
	"node":   {node, func(t testing.TB) []string { return versions(t, true) }},
	"python": {python, func(t testing.TB) []string { return listed(t, "python", "versions") }},
	"jvm":    {jvm, drivers},
}

// newest returns the newest version of a host.
func (h host) newest(t testing.TB) string {
	vs := h.versions(t)
	return vs[len(vs)-1]
}

// each runs a test with every version of DuckDB, in Node, or in Python if Node lacks the version. n
// numbers the versions.
func each(t *testing.T, test func(t *testing.T, number int, c *client)) {
	n := 0
	seen := map[string]bool{}
	for _, name := range []string{"node", "python"} {
		for _, v := range hosts[name].versions(t) {
			if !seen[v] {
				seen[v] = true
				i := n
				n++
				t.Run(v, func(t *testing.T) { test(t, i, hosts[name].start(t, v)) })
			}
		}
	}
}

// size has the memory and the threads of a process.
type size struct {
	mb      float64 // resident
	threads uint64
}

func footprint(t testing.TB, cmd *exec.Cmd) size {
	t.Helper()
	path := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	return size{float64(status(t, path, "VmRSS", 10)) / 1024, status(t, path, "Threads", 10)}
}

// status returns a number in a file of /proc, of a process or a thread.
func status(t testing.TB, path, key string, base int) uint64 {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		missing(t, "%v", err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), base, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s in %s", key, path)
	return 0
}
