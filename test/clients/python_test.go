package clients

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
			prints(t, pythonOf(t, v, filepath.Join("python", "life.py"), extension),
				"asked: 10", "wrong: error: .*ccbf_total: .*", "values: bytes 100 10", "threads: 160 of 160 right, then 10",
				"interrupted: error: INTERRUPT Error.*", "afterwards: 10",
				`forked: error: .*made by fork.*\(0\)`, "spawned: 10", "at last: 10")
		})
	}
}

// withPackage returns a Python program with a version of DuckDB, further folders of packages, and
// the package ccbfsql. As in its wheel, the sources and the extension are in one folder.
func withPackage(t *testing.T, version string, folders []string, program string, args ...string) *exec.Cmd {
	t.Helper()
	built := t.TempDir()
	if err := os.CopyFS(filepath.Join(built, "ccbfsql"), os.DirFS(filepath.Join("..", "..", "python", "ccbfsql"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(extension(t), filepath.Join(built, "ccbfsql", "ccbf.duckdb_extension")); err != nil {
		t.Fatal(err)
	}
	cmd := pythonOf(t, version, program, args...)
	path := slices.Concat([]string{built, installed(t, "duckdb "+version+" for Python", "python", version)}, folders)
	cmd.Env = append(cmd.Env, "PYTHONPATH="+strings.Join(path, string(os.PathListSeparator)), "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// TestPythonPackage runs the tests of the package ccbfsql, with every version of DuckDB for Python.
// pytest lists skipped tests: without CCBF_LONG=1, make clients does not install pyarrow, pandas and Polars.
func TestPythonPackage(t *testing.T) {
	extension(t)
	folders := []string{installed(t, "pytest", "python", "tools", "installed")}
	if os.Getenv("CCBF_LONG") != "" {
		folders = append(folders, installed(t, "pyarrow, pandas and Polars (CCBF_LONG=1)", "python", "frames", "installed"))
	}
	for i := range folders {
		folders[i] = filepath.Dir(folders[i])
	}
	for _, v := range hosts["python"].versions(t) {
		t.Run(v, func(t *testing.T) {
			tests := filepath.Join("..", "..", "python", "tests")
			out, err := withPackage(t, v, folders, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", tests).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

// The notebook runs from its first to its last cell, and prints the outputs that are stored in it.
// It uses the version of DuckDB in the shell. -rewrite writes the outputs.
func TestNotebook(t *testing.T) {
	extension(t)
	const file, version = "../../docs/notebooks/crime.ipynb", "1.5.6"
	info, err := os.Stat(file)
	if err != nil || info.Size() > 1<<20 {
		t.Fatalf("%v, want a file of at most 1 MB: %v", info, err)
	}
	notebook, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	tools := filepath.Dir(installed(t, "nbclient", "python", "tools", "installed"))
	args := []string{notebook}
	if flag.Lookup("rewrite").Value.String() == "true" { // flag of datadriven, which the SQL tests use
		args = []string{"-rewrite", notebook}
	}
	if out, err := withPackage(t, version, []string{tools}, filepath.Join("python", "notebook.py"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
