// Package sql holds SQL scripts as examples, with their output. go test runs them all, and -rewrite
// writes new output. It also runs the SQL of README.md, docs/TUTORIAL.md, docs/MAPS.md,
// docs/POLYGONS.md and docs/CHOOSING.md.
package sql

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what the scripts and pages print to their .out files and answers")

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

// TestPages runs the SQL of pages from top to bottom and compares its output. The output is a block
// without a language right after a block of SQL. Where all is false, only blocks with output
// run.
func TestPages(t *testing.T) {
	shell := buildShell(t)
	for _, p := range []struct {
		page string
		all  bool // blocks without output run too
	}{{"README.md", false}, {"docs/TUTORIAL.md", true}, {"docs/MAPS.md", true}, {"docs/POLYGONS.md", false}, {"docs/CHOOSING.md", false}} {
		t.Run(p.page, func(t *testing.T) {
			file := filepath.Join("..", "..", filepath.FromSlash(p.page))
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(b)
			// Each match has the SQL, and the output if there is one.
			blocks := sqlAndAnswer.FindAllStringSubmatchIndex(text, -1)
			const mark = "---- a block ends here ----\n"
			script, last := "", 0
			for _, at := range blocks {
				if p.all || at[4] >= 0 {
					script += text[at[2]:at[3]] + ".print " + mark
				}
			}
			have := strings.Split(runIn(t, shell, script), mark)
			page := ""
			for _, at := range blocks {
				if !p.all && at[4] < 0 {
					continue
				}
				answer := strings.TrimPrefix(have[0], "\n")
				have = have[1:]
				if at[4] < 0 {
					if answer != "" {
						t.Errorf("%s shows no answer below\n%s\nbut it prints\n%s", p.page, text[at[2]:at[3]], answer)
					}
					continue
				}
				if want := text[at[4]:at[5]]; answer != want && !*rewrite {
					t.Errorf("%s\nprints\n%s\nbut %s says\n%s", text[at[2]:at[3]], answer, p.page, want)
				}
				page, last = page+text[last:at[4]]+answer, at[5]
			}
			if last == 0 {
				t.Errorf("%s has no SQL with an answer", p.page)
			}
			if *rewrite {
				if err := os.WriteFile(file, []byte(page+text[last:]), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

var sqlAndAnswer = regexp.MustCompile("(?s)\n```sql\n(.*?)```\n(?:\n```\n(.*?)```\n)?")

// runIn returns the shell's output for a script, in a new folder that has test/data as the
// repository does.
func runIn(t *testing.T, shell, script string) string {
	t.Helper()
	folder := t.TempDir()
	data, err := filepath.Abs(filepath.Join("..", "..", "test"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(data, filepath.Join(folder, "test")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "page.sql"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(shell, "page.duckdb", "-f", "page.sql")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestDemo runs the demo twice on the same database. The demo writes files into the current folder.
// It prints the sizes of the Parquet files.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("a million points")
	}
	shell := buildShell(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	// The demo's path to its points is relative to build/demo.
	top := t.TempDir()
	folder := filepath.Join(top, "build", "demo")
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.Symlink(filepath.Join(root, "test"), filepath.Join(top, "test"))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		cmd := exec.Command(shell, "demo.duckdb", "-f", filepath.Join(root, "sql", "demo", "demo.sql"))
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

// buildShell returns the path of the shell. Go keeps it in the build cache, also for other packages.
func buildShell(t *testing.T) string {
	t.Helper()
	var message strings.Builder
	cmd := exec.Command("go", "tool", "-n", "ccbfsql")
	cmd.Stderr = &message
	path, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &message)
	}
	return strings.TrimSpace(string(path))
}
