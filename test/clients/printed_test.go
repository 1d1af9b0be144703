package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// prints runs a program, whose output must be lines that match patterns.
func prints(t *testing.T, cmd *exec.Cmd, lines ...string) {
	t.Helper()
	want := strings.Join(lines, "\n") + "\n"
	if out, err := cmd.CombinedOutput(); err != nil || !regexp.MustCompile("^"+want+"$").Match(out) {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}

// The Python and Java programs of docs/CLIENTS.md print 10 with each version.
func TestPrinted(t *testing.T) {
	python := write(t, "printed.py", printed(t, "python", "# Python: pip install duckdb"))
	ccbfsql := write(t, "package.py", printed(t, "python", "# Python: the package"))
	for _, v := range listed(t, "python", "versions") {
		t.Run("python "+v, func(t *testing.T) {
			prints(t, pythonOf(t, v, python), "10")
			prints(t, withPackage(t, v, nil, ccbfsql), "10")
		})
	}
	file := write(t, "Printed.java", "public class Printed {\npublic static void main(String[] args) throws Exception {\n"+printed(t, "java", "// Java")+"}\n}\n")
	for _, v := range drivers(t) {
		t.Run("java "+v, func(t *testing.T) { prints(t, java(t, v, file), "10") })
	}
}
