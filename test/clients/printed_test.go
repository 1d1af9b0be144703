package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// printed is a program of docs/CLIENTS.md, with the path of the extension under test.
func printed(t testing.TB, language string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "CLIENTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```"+language+"\n")
	program, _, closed := strings.Cut(rest, "```\n")
	const path = "/path/to/ccbf.duckdb_extension"
	if !found || !closed || !strings.Contains(program, path) {
		t.Fatalf("no program in %s that loads %s", language, path)
	}
	return strings.Replace(program, path, extension(t), 1)
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// The programs of docs/CLIENTS.md for Python and Java print 10, as it says, in each version.
func TestPrinted(t *testing.T) {
	python := write(t, "printed.py", printed(t, "python"))
	for _, v := range listed(t, "python", "versions") {
		t.Run("python "+v, func(t *testing.T) {
			out, err := pythonOf(t, v, python).CombinedOutput()
			if err != nil || string(out) != "10\n" {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
	file := write(t, "Printed.java", "public class Printed {\npublic static void main(String[] args) throws Exception {\n"+printed(t, "java")+"}\n}\n")
	for _, v := range drivers(t) {
		t.Run("java "+v, func(t *testing.T) {
			out, err := java(t, v, file).CombinedOutput()
			if err != nil || string(out) != "10\n" {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
}
