package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// printed returns the program of docs/CLIENTS.md that begins with a line, with the path of the
// extension under test.
func printed(t testing.TB, language, line string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "CLIENTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```"+language+"\n"+line)
	program, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatalf("no program in %s that begins with %q", language, line)
	}
	return strings.Replace(line+program, "/path/to/ccbf.duckdb_extension", extension(t), 1)
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// The Python and Java programs of docs/CLIENTS.md print 10 with each version.
func TestPrinted(t *testing.T) {
	python := write(t, "printed.py", printed(t, "python", "# Python: pip install duckdb"))
	ccbfsql := write(t, "package.py", printed(t, "python", "# Python: the package"))
	for _, v := range listed(t, "python", "versions") {
		t.Run("python "+v, func(t *testing.T) {
			for _, cmd := range []*exec.Cmd{pythonOf(t, v, python), withPackage(t, v, nil, ccbfsql)} {
				if out, err := cmd.CombinedOutput(); err != nil || string(out) != "10\n" {
					t.Errorf("%q, %v", out, err)
				}
			}
		})
	}
	file := write(t, "Printed.java", "public class Printed {\npublic static void main(String[] args) throws Exception {\n"+printed(t, "java", "// Java")+"}\n}\n")
	for _, v := range drivers(t) {
		t.Run("java "+v, func(t *testing.T) {
			out, err := java(t, v, file).CombinedOutput()
			if err != nil || string(out) != "10\n" {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
}
