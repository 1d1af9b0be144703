package dist

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/packaging/internal/needs"
)

// one returns the file of the release that a pattern matches.
func one(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder(t), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v; want one", pattern, found, err)
	}
	return found[0]
}

// TestRpm needs rpm. It checks the package's checksums, fields and files, and rpm's installation
// into a folder.
func TestRpm(t *testing.T) { processors(t, testRpm) }

func testRpm(t *testing.T, goarch string) {
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("skipped: no rpm here")
	}
	emulator, arch := emulator(t, goarch), machine(goarch)
	file := one(t, "*."+arch+".rpm")
	output(t, "rpm", "-K", "--nosignature", file)
	fields := strings.Fields(output(t, "rpm", "--nosignature", "-qp", "--qf", "%{NAME} %{VERSION} %{ARCH}", file))
	if len(fields) != 3 || fields[0] != "ccbfsql" || !sameVersion(fields[1], strings.TrimPrefix(version(t), "v")) || fields[2] != arch {
		t.Errorf("the package says %q, version %s", fields, version(t))
	}
	if needs := output(t, "rpm", "--nosignature", "-qpR", file); !strings.Contains(needs, "glibc >= 2.17") {
		t.Errorf("needs %q", needs)
	}
	if os.Getuid() != 0 {
		t.Log("not root: rpm itself was not asked to install it")
		return
	}
	root := t.TempDir()
	output(t, "rpm", "--root="+root, "--dbpath=/rpm", "--nosignature", "--nodeps", "--ignorearch", "--noscripts", "-i", file)
	installed(t, emulator, filepath.Join(root, "usr"))
}

// wheel returns the Python package for a processor.
func wheel(t *testing.T, arch string) string {
	t.Helper()
	return one(t, "ccbfsql-*-py3-none-manylinux_*_"+machine(arch)+".whl")
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

// TestDeb needs dpkg. It checks the package's fields and files, and dpkg's installation into a
// folder, without scripts and without changing the system.
func TestDeb(t *testing.T) { processors(t, testDeb) }

func testDeb(t *testing.T, arch string) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("skipped: no dpkg here")
	}
	emulator := emulator(t, arch)
	file := one(t, "*_"+arch+".deb")
	field := func(name string) string { return strings.TrimSpace(output(t, "dpkg-deb", "-f", file, name)) }
	if name, of := field("Package"), field("Architecture"); name != "ccbfsql" || of != arch {
		t.Errorf("package %q for %q", name, of)
	}
	if got, want := field("Version"), strings.TrimPrefix(version(t), "v"); !sameVersion(got, want) {
		t.Errorf("version %q, of %q", got, want)
	}
	if got := field("Depends"); got != "libc6 (>= 2.17)" {
		t.Errorf("depends on %q", got)
	}
	root := t.TempDir()
	output(t, "dpkg-deb", "-x", file, root)
	installed(t, emulator, filepath.Join(root, "usr"))

	if os.Getuid() != 0 {
		t.Log("not root: dpkg itself was not asked to install it")
		return
	}
	root = t.TempDir()
	for _, d := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, "dpkg", "--root="+root, "--force-depends", "--force-architecture", "-i", file)
	installed(t, emulator, filepath.Join(root, "usr"))
	output(t, "dpkg", "--root="+root, "-r", "ccbfsql:"+arch)
	if _, err := os.Stat(filepath.Join(root, "usr", "bin", "ccbfsql")); err == nil {
		t.Error("removing the package left the shell")
	}
}

// sameVersion compares the version of a package with git's. Letters and digits must be equal;
// separators may differ.
func sameVersion(pack, git string) bool {
	only := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("-+~.", r) {
				return -1
			}
			return r
		}, s)
	}
	return only(pack) == only(git) || only(pack) == "000git"+only(git)
}

// installed checks the files below a prefix.
func installed(t *testing.T, emulator []string, prefix string) {
	t.Helper()
	shell := filepath.Join(prefix, "bin", "ccbfsql")
	if got := runs(t, emulator, shell, "-version"); !strings.HasPrefix(got, "ccbfsql "+version(t)+" ") {
		t.Errorf("the shell is %q", got)
	}
	if got := runs(t, emulator, shell, "-csv", "-noheader", "-c", total); got != "10\n" {
		t.Errorf("%s: %q", total, got)
	}
	for _, file := range []string{"lib/ccbfsql/ccbf.duckdb_extension", "share/doc/ccbfsql/README.txt", "share/man/man1/ccbfsql.1*", "share/bash-completion/completions/ccbfsql", "share/zsh/*/_ccbfsql", "share/fish/vendor_completions.d/ccbfsql.fish"} {
		if found, err := filepath.Glob(filepath.Join(prefix, file)); err != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", file, found, err)
		}
	}
}
