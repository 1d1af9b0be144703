package clients

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

var javaHome = regexp.MustCompile(`java\.home = (.*\S)`)

// buildJVM compiles the virtual machine's half of the client.
func buildJVM(folder string) error {
	properties, err := exec.Command("java", "-XshowSettings:properties", "-version").CombinedOutput()
	if err != nil {
		return err
	}
	home := javaHome.FindSubmatch(properties)
	if home == nil {
		return errors.New("java does not say where it lives")
	}
	include := filepath.Join(string(home[1]), "include")
	for _, cmd := range []*exec.Cmd{
		exec.Command("javac", "-nowarn", "-d", folder, filepath.Join("jvm", "Host.java")),
		exec.Command("cc", "-O1", "-shared", "-fPIC", "-I"+include, "-I"+filepath.Join(include, runtime.GOOS),
			"-o", filepath.Join(folder, "libhost.so"), filepath.Join("jvm", "duckdb.c"), "-ldl"),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", cmd, err, out)
		}
	}
	return nil
}

// jvm starts a virtual machine with a version of DuckDB: the library that Node's
// package brings. Only the quick compiler is on: what it compiles meets a null
// pointer by SIGSEGV every time, not only until it is compiled anew.
func jvm(t *testing.T, version string) *client {
	t.Helper()
	lib := library(t, version)
	for _, tool := range []string{"java", "javac", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: no %s", tool)
		}
	}
	folder := t.TempDir()
	if err := buildJVM(folder); err != nil {
		t.Fatal(err)
	}
	return running(t, exec.Command("java", "-XX:TieredStopAtLevel=1", "-XX:+DisplayVMOutputToStderr", "-cp", folder, "Host", filepath.Join(folder, "libhost.so"), lib))
}

// The SQL tests in a Java virtual machine, with one DuckDB: what differs between
// versions, TestSQLNode sees. In an ordinary run a twelfth of the files.
func TestSQLJVM(t *testing.T) {
	sqltest.RunPart(t, loaded(t, jvm(t, newest(t)), ":memory:"), sqlTests, 0, 12)
}
