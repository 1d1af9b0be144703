package dist

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/packaging/internal/needs"
)

// wheel returns the Python package for a processor.
func wheel(t *testing.T, arch string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder(t), "ccbfsql-*-py3-none-manylinux_*_"+machine(arch)+".whl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("wheels for %s: %v, %v; want one", arch, found, err)
	}
	return found[0]
}

// TestWheels checks that pip accepts and installs each wheel for its platform. The extension is
// the same as in the archive, and needs no newer glibc than the wheel's name says.
func TestWheels(t *testing.T) {
	processors(t, func(t *testing.T, arch string) {
		file := wheel(t, arch)
		platform := "manylinux_" + strings.ReplaceAll(needs.Oldest.String(), ".", "_") + "_" + machine(arch)
		to := t.TempDir()
		output(t, "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps",
			"--only-binary", ":all:", "--platform", platform, "--target", to, file)

		extension := filepath.Join(to, "ccbfsql", "ccbf.duckdb_extension")
		if !bytes.Equal(read(t, extension), read(t, filepath.Join(unpack(t, "ccbfsql-linux-"+arch), "ccbf.duckdb_extension"))) {
			t.Error("the extension is not that of the archive")
		}
		if n, err := needs.Read(extension); err != nil || n.Glibc.Compare(needs.Oldest) > 0 {
			t.Errorf("the extension needs glibc %v, %v; the wheel is for %s", n.Glibc, err, platform)
		}
		read(t, filepath.Join(to, "ccbfsql", "py.typed"))
		about, err := filepath.Glob(filepath.Join(to, "ccbfsql-*.dist-info"))
		if err != nil || len(about) != 1 {
			t.Fatalf("%v, %v", about, err)
		}
		for _, licence := range []string{"LICENSE", "THIRD_PARTY.txt"} {
			read(t, filepath.Join(about[0], "licenses", licence))
		}
		metadata := read(t, filepath.Join(about[0], "METADATA"))
		if got := regexp.MustCompile(`(?m)^Requires-Dist: .*`).FindAllString(string(metadata), -1); len(got) != 1 || got[0] != "Requires-Dist: duckdb>=1.3" {
			t.Errorf("it requires %q, want duckdb alone", got)
		}
		if tags := string(read(t, filepath.Join(about[0], "WHEEL"))); !strings.Contains(tags, "Root-Is-Purelib: false\nTag: py3-none-"+platform+"\n") {
			t.Errorf("its tags are %s", tags)
		}
		// In Python v1.2.3-rc1 is 1.2.3rc1, and a version between tags names its commit.
		tagged := strings.NewReplacer("v", "", "-rc", "rc").Replace(version(t))
		if commit := regexp.MustCompile(`[0-9a-f]{10}`).FindString(version(t)); commit != "" {
			tagged = commit
		}
		if got := regexp.MustCompile(`(?m)^Version: (.*)`).FindString(string(metadata)); !strings.Contains(got, tagged) {
			t.Errorf("%q, want %s", got, tagged)
		}
	})
}

// A wheel as a user installs it, with the newest DuckDB.
func TestWheelInstalls(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: wheels are for Linux")
	}
	to := t.TempDir()
	output(t, "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", to, wheel(t, runtime.GOARCH))
	t.Setenv("PYTHONPATH", to)
	t.Setenv("PYTHONNOUSERSITE", "1")
	program := filepath.Join(t.TempDir(), "total.py")
	text := "import ccbfsql\ncon = ccbfsql.connect()\nprint(con.execute(\"" + total + "\").fetchall()[0][0])\n" +
		"print(con.execute('SELECT ccbf_version()').fetchall()[0][0])\n" +
		"print(len(ccbfsql.show(con, con.sql('SELECT ccbf_agg(i, i, 1) AS s FROM range(10) t(i)'))) > 0)\n"
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := output(t, "python3", program), "10\n"+version(t)+"\nTrue\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
