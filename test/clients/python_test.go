package clients

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPython tests the package duckdb for Python: results and errors, sketches as bytes, threads
// and two databases. A query is cancelled from another thread. Children are started by fork and by
// the start method "spawn", and the interpreter ends. Ctrl-C during a query of the main thread is
// left out, because DuckDB's own package often misses it (docs/CLIENTS.md).
func TestPython(t *testing.T) {
	extension := extension(t)
	for _, v := range hosts["python"].versions(t) {
		t.Run(v, func(t *testing.T) {
			out, err := pythonOf(t, v, filepath.Join("python", "life.py"), extension).Output()
			if err != nil {
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					t.Fatalf("%v\n%s%s", err, out, exit.Stderr)
				}
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			want := []string{
				"asked: 10", "wrong: error: ", "values: bytes 100 10", "threads: 160 of 160 right, then 10",
				"interrupted: error: INTERRUPT Error", "afterwards: 10",
				"forked: error: ", "spawned: 10", "at last: 10",
			}
			if len(lines) != len(want) {
				t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), out)
			}
			for i, w := range want {
				if !strings.HasPrefix(lines[i], w) {
					t.Errorf("%q, want %q", lines[i], w)
				}
			}
			if !strings.Contains(lines[1], "ccbf_total: ") {
				t.Errorf("%q names no function", lines[1])
			}
			if forked := lines[6]; !strings.Contains(forked, "made by fork") || !strings.HasSuffix(forked, "(0)") {
				t.Errorf("%q, want an error that names the fork, and a good end", forked)
			}
		})
	}
}
