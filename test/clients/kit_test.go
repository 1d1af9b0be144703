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
)

// oldest is the first DuckDB that the extension supports. Versions before it
// must refuse it with an error.
const oldest = "1.3"

// missing skips a test for want of something, or fails it where everything must
// be there.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CCBF_ALL_CLIENTS") != "" {
		t.Fatalf("CCBF_ALL_CLIENTS is set: "+format, args...)
	}
	t.Skipf("skipped: "+format, args...)
}

// extension is the path of the extension under test.
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
	// Read, not only looked for: go test notices when it changes.
	if _, err := os.ReadFile(path); err != nil {
		missing(t, "no %s (make extension)", path)
	}
	return path
}

// packages is the folder with the Node packages.
func packages(t testing.TB) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("..", "..", "build", "clients"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		missing(t, "no Node packages in %s (make clients)", folder)
	}
	return folder
}

// versions are those of package.json, oldest first; supported or too old.
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

// newest is the newest DuckDB there is.
func newest(t testing.TB) string {
	vs := versions(t, true)
	return vs[len(vs)-1]
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

// running starts a client that must end well when the test does.
func running(t testing.TB, cmd *exec.Cmd) *client {
	t.Helper()
	c, err := start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// loaded opens a database with the extension.
func loaded(t testing.TB, c *client, file string) *Host {
	t.Helper()
	h, err := c.open(file, extension(t))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func connect(t testing.TB, h *Host) *conn {
	t.Helper()
	c, err := h.connect()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustExec(t testing.TB, c interface{ Exec(string) error }, statements string) {
	t.Helper()
	if err := c.Exec(statements); err != nil {
		t.Fatalf("%.300s: %v", statements, err)
	}
}

// hosts are the clients that the extension is a guest of.
var hosts = map[string]func(*testing.T, string) *client{"node": node, "jvm": jvm}

// size is what a process takes.
type size struct {
	mb      float64 // resident
	threads int
}

func footprint(t *testing.T, c *client) size {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		missing(t, "%v", err)
	}
	var s size
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		switch key {
		case "VmRSS":
			s.mb = float64(n) / 1024
		case "Threads":
			s.threads = n
		}
	}
	if s.mb == 0 || s.threads == 0 {
		t.Fatalf("no figures in %s", text)
	}
	return s
}
