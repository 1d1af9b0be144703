package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// drivers returns the versions of DuckDB whose JDBC driver make clients installs.
func drivers(t testing.TB) []string {
	var vs []string
	for _, v := range listed(t, "jvm", "versions") {
		vs = append(vs, v[:strings.LastIndex(v, ".")])
	}
	return vs
}

// driver returns the path of the JDBC driver of a version.
func driver(t testing.TB, version string) string {
	t.Helper()
	for _, v := range listed(t, "jvm", "versions") {
		if strings.HasPrefix(v, version+".") {
			return installed(t, "JDBC driver", "jvm", v, "driver.jar")
		}
	}
	t.Fatalf("no JDBC driver %s in jvm/versions", version)
	return ""
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
			sqltest.RunPart(t, loaded(t, jvm(t, v), ":memory:"), sqlTests, i, 4*len(vs))
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
