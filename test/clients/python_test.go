package clients

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Python, without its package duckdb, calls libduckdb through ctypes: answers and
// errors, Ctrl-C during a query, a child by fork and one by the start method "spawn".
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("skipped: no python3")
	}
	if out, err := exec.Command(python, "-c", "import ctypes, multiprocessing, sys; assert sys.version_info >= (3, 8)").CombinedOutput(); err != nil {
		t.Skipf("skipped: this Python has no ctypes, or is older than 3.8: %s", out)
	}
	extension := extension(t)
	for _, v := range []string{versions(t, true)[0], newest(t)} {
		t.Run(v, func(t *testing.T) {
			out, err := exec.Command(python, filepath.Join("python", "host.py"), library(t, v), extension).Output()
			if err != nil {
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					t.Fatalf("%v\n%s%s", err, out, exit.Stderr)
				}
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			want := []string{"asked: 10", "wrong: error: ", "interrupted: error: INTERRUPT Error", "afterwards: 10", "forked: error: ", "spawned: 10", "at last: 10"}
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
			if !strings.Contains(lines[4], "made by fork") || !strings.HasSuffix(lines[4], "(0)") {
				t.Errorf("%q, want an error that names the fork, and a good end", lines[4])
			}
		})
	}
}
