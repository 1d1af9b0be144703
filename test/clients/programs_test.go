package clients

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
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
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "python3", slices.Concat([]string{"-X", "faulthandler", program}, args)...)
	// A program that hangs says where. The time limit of go test would lose its output.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGABRT) }
	cmd.WaitDelay = 10 * time.Second
	path := slices.Concat([]string{built, installed(t, "duckdb "+version+" for Python", "python", version)}, folders)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+strings.Join(path, string(os.PathListSeparator)), "PYTHONDONTWRITEBYTECODE=1")
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

// TestCommandLine tests DuckDB's own shell, from PyPI: results, sketches in a table of a file, an error, and the
// text of sketch_help in lines.
func TestCommandLine(t *testing.T) {
	extension := extension(t)
	shell := filepath.Join(filepath.Dir(installed(t, "duckdb-cli", "python", "cli", "installed")), "duckdb_cli", "duckdb")
	run := func(sql string) *exec.Cmd {
		return exec.Command(shell, "-unsigned", "-list", "-noheader", "-bail", filepath.Join(t.TempDir(), "x.duckdb"), "-c", "LOAD "+quote(extension)+";"+sql)
	}
	prints(t, run("SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10) t(i)"), "10")
	prints(t, run("CREATE TABLE s AS SELECT i % 2 AS g, ccbf_agg(i, i, 1) AS sketch FROM range(10) t(i) GROUP BY g;"+
		"SELECT g, ccbf_total(sketch), octet_length(sketch) > 0 FROM s ORDER BY g"), `0\|5\|true`, `1\|5\|true`)
	prints(t, run("SELECT sketch_help('ccbf_total')"), `  ccbf_total\(s BLOB\) -> UBIGINT`, `      Number of points in the sketch.*`, "(?s:.*)")
	if out, err := run("SELECT ccbf_total('no sketch'::BLOB)").CombinedOutput(); err == nil || !strings.Contains(string(out), "ccbf_total: ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// releases returns the releases of the JDBC driver that make clients installs, by their version of
// DuckDB.
func releases(t testing.TB) map[string]string {
	t.Helper()
	of := map[string]string{}
	for _, release := range listed(t, "jvm", "versions") {
		of[release[:strings.LastIndex(release, ".")]] = release
	}
	return of
}

// drivers returns the versions of DuckDB whose JDBC driver make clients installs.
func drivers(t testing.TB) []string { return slices.Sorted(maps.Keys(releases(t))) }

// driver returns the path of the JDBC driver of a version.
func driver(t testing.TB, version string) string {
	t.Helper()
	return installed(t, "JDBC driver", "jvm", releases(t)[version], "driver.jar")
}

// java returns the command of a Java program, compiled from a file, with the JDBC driver of a
// version. Only the quick compiler is on: its code raises SIGSEGV at every null pointer, and not
// only until it is compiled again.
func java(t testing.TB, version, file string, args ...string) *exec.Cmd {
	t.Helper()
	for _, tool := range []string{"java", "javac"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: no %s", tool)
		}
	}
	jar, folder := driver(t, version), t.TempDir()
	if out, err := exec.Command("javac", "-nowarn", "-cp", jar, "-d", folder, file).CombinedOutput(); err != nil {
		t.Fatalf("javac %s: %v\n%s", file, err, out)
	}
	class := strings.TrimSuffix(filepath.Base(file), ".java")
	return exec.Command("java", append([]string{"-XX:TieredStopAtLevel=1", "-XX:+DisplayVMOutputToStderr",
		"-cp", folder + string(os.PathListSeparator) + jar, class}, args...)...)
}

// jvm starts a virtual machine with the JDBC driver of a version.
func jvm(t *testing.T, version string) *client {
	t.Helper()
	return running(t, java(t, version, filepath.Join("jvm", "Host.java")))
}

// The SQL tests through JDBC: the versions divide a quarter of the files. TestSQLVersions covers
// differences between versions. With CCBF_LONG=1 each version runs all.
func TestSQLJVM(t *testing.T) {
	vs := drivers(t)
	for i, v := range vs {
		t.Run(v, func(t *testing.T) {
			sqltest.RunPart(t, loaded(t, jvm(t, v), ":memory:").connect, sqlTests, i, 4*len(vs))
		})
	}
}

// TestJDBC tests results and errors, sketches as BLOBs, and a pool of 16 connections. The extension
// refuses the copy of DuckDB of a second class loader. The virtual machine ends with an open
// connection.
func TestJDBC(t *testing.T) {
	extension := extension(t)
	for _, v := range drivers(t) {
		t.Run(v, func(t *testing.T) {
			prints(t, java(t, v, filepath.Join("jvm", "Life.java"), extension, driver(t, v)),
				"asked: 10", "wrong: error: .*ccbf_total: .*", "values: 100", "pool: 320 right",
				"loader: error: .*two copies of DuckDB.*", "at last: 10")
		})
	}
}

// TestSpatialWritesSquares: COPY (FORMAT gdal) of DuckDB's extension spatial writes ccbf_squares
// without conversions. GDAL, outside DuckDB, reads the squares and points of GROUP BY.
func TestSpatialWritesSquares(t *testing.T) {
	ogrinfo, err := exec.LookPath("ogrinfo")
	if err != nil {
		missing(t, "no ogrinfo (Debian: gdal-bin)")
	}
	packages := filepath.Dir(installed(t, "DuckDB's extension spatial", "python", "spatial", "installed"))
	file := filepath.Join(t.TempDir(), "squares.gpkg")
	cmd := exec.CommandContext(t.Context(), "python3", filepath.Join("python", "spatial.py"), extension(t), file)
	cmd.Env = append(cmd.Environ(), "PYTHONPATH="+packages, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var squares, points int
		if _, err := fmt.Sscanf(line, "[%d, %d]", &squares, &points); err != nil || points == 0 {
			t.Fatalf("%v: %q", err, line)
		}
		args := []string{"-ro", "-q", file, "squares"}
		if i == 1 {
			args = append([]string{"-spat", "-1.29", "53.11", "-1.11", "53.24"}, args...)
		}
		got, err := exec.CommandContext(t.Context(), ogrinfo, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		counts, sum := regexp.MustCompile(`(?m)^ +count \(\w+\) = (\d+)$`).FindAllSubmatch(got, -1), 0
		for _, c := range counts {
			n, err := strconv.Atoi(string(c[1]))
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		if len(counts) != squares || sum != points {
			t.Errorf("GDAL %v reads %d squares with %d points, GROUP BY has %d with %d\n%.500s", args, len(counts), sum, squares, points, got)
		}
	}
}
