// Package sql holds SQL scripts to read and to run. Beside each is what it
// prints; go test runs them all, and with -rewrite writes that anew.
package sql

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what the scripts print to their .out files")

func TestScripts(t *testing.T) {
	shell := buildShell(t)
	scripts, err := filepath.Glob("*.sql")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts (%v)", err)
	}
	for _, script := range scripts {
		t.Run(script, func(t *testing.T) {
			have, err := exec.Command(shell, "-f", script).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, have)
			}
			out := strings.TrimSuffix(script, ".sql") + ".out"
			if *rewrite {
				if err := os.WriteFile(out, have, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if string(have) != string(want) {
				t.Errorf("prints\n%s\nbut %s says\n%s", have, out, want)
			}
		})
	}
}

// The README shows first.sql and what it prints.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"first.sql", "first.out"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(readme), "\n"+string(text)+"```") {
			t.Errorf("README.md does not show %s as it is", file)
		}
	}
}

// The demo writes files into the current folder, and its sizes are those of
// Parquet: that it runs is what is tested, twice on the same database.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("two million points")
	}
	shell := buildShell(t)
	script, err := filepath.Abs(filepath.Join("..", "..", "sql", "demo", "demo.sql"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for range 2 {
		cmd := exec.Command(shell, "demo.duckdb", "-f", script)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

func buildShell(t *testing.T) string {
	t.Helper()
	shell := filepath.Join(t.TempDir(), "ccbfsql")
	if out, err := exec.Command("go", "build", "-o", shell, "../../cmd/ccbfsql").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return shell
}
