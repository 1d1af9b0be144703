package dist

import (
	"bytes"
	"errors"
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

const modulePath = "github.com/ccbfsql/ccbfsql"

// TestGoInstall checks that go install of a version from a module proxy includes the map. The version
// has the files of scripts/tag: the files of git, and the built page.
func TestGoInstall(t *testing.T) {
	_ = folder(t) // with make dist, which has built the page
	const root, page = "../..", "cmd/ccbfsql/internal/serve/page"
	work := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+filepath.Join(work, "index")) // not the version of the repository
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	git("read-tree", "HEAD")
	git("add", "-f", page+"/index.html", page+"/assets")
	tree := git("write-tree")
	// No release and no other files have this version.
	version := "v0.0.1-x" + tree[:12]
	proxy := filepath.Join(work, "proxy", modulePath, "@v")
	if err := os.MkdirAll(proxy, 0o755); err != nil {
		t.Fatal(err)
	}
	// Nested modules are left out, as every proxy does.
	archive := []string{"archive", "--format=zip", "--prefix=" + modulePath + "@" + version + "/", "-o", filepath.Join(proxy, version+".zip"), tree, "."}
	for _, mod := range strings.Fields(git("ls-files", "*/go.mod")) {
		archive = append(archive, ":!"+filepath.Dir(mod))
	}
	git(archive...)
	for name, text := range map[string]string{
		"list":            version + "\n",
		version + ".mod":  git("show", tree+":go.mod") + "\n",
		version + ".info": `{"Version":"` + version + `","Time":"2026-01-01T00:00:00Z"}`,
	} {
		if err := os.WriteFile(filepath.Join(proxy, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	cache := strings.TrimSpace(output(t, "go", "env", "GOMODCACHE"))
	t.Cleanup(func() { // the module cache keeps the version otherwise
		left, err := filepath.Glob(filepath.Join(cache, "cache/download", modulePath, "@v", version+"*"))
		for _, path := range append(left, filepath.Join(cache, modulePath+"@"+version)) {
			err = errors.Join(err, os.RemoveAll(path))
		}
		if err != nil {
			t.Error(err)
		}
	})
	bin := filepath.Join(work, "bin")
	cmd := exec.Command("go", "install", "-modcacherw", modulePath+"/cmd/ccbfsql@"+version)
	cmd.Dir = work // in no module
	cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=", "GOSUMDB=off", "GOWORK=off",
		"GOPROXY=file://"+filepath.Join(work, "proxy")+","+strings.TrimSpace(output(t, "go", "env", "GOPROXY")))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	shell := filepath.Join(bin, "ccbfsql")
	if got := output(t, shell, "-version"); !strings.HasPrefix(got, "ccbfsql "+version+" ") {
		t.Errorf("the shell is %q, want version %s", got, version)
	}
	if got := output(t, shell, "-csv", "-noheader", "-c", total); got != "10\n" {
		t.Errorf("%s: %q", total, got)
	}
	if !bytes.Contains(read(t, shell), read(t, filepath.Join(root, page, "index.html"))) {
		t.Error("the shell does not have the map's page inside")
	}
}

// TestCommunity runs the commands of the CI of DuckDB's community extensions that need no network.
// Inside the CI's image, tests are left out.
func TestCommunity(t *testing.T) {
	_ = folder(t) // with make dist
	if _, err := exec.LookPath("make"); err != nil || runtime.GOOS != "linux" {
		t.Skip("skipped: needs Linux and make")
	}
	platform := "linux_" + runtime.GOARCH
	for _, target := range []string{"set_duckdb_version", "configure_ci", "release", "test_release"} {
		cmd := exec.Command("make", target)
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "DUCKDB_PLATFORM="+platform, "DUCKDB_GIT_VERSION=v1.5.6", "LINUX_CI_IN_DOCKER=1", "GOARCH="+runtime.GOARCH)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("make %s: %v\n%s", target, err, out)
		}
	}
	path := filepath.FromSlash("../../build/release/extension/ccbf/ccbf.duckdb_extension")
	file := read(t, path)
	if !strings.Contains(string(file[len(file)-512:]), platform+"\x00") {
		t.Errorf("the footer is %q", file[len(file)-512:])
	}
	n, err := needs.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if n.Glibc.Compare(needs.Oldest) > 0 {
		t.Errorf("needs glibc %v, for %v", n.Glibc, n.Newest)
	}
}

// README.md names the version of the driver in go.mod.
func TestDriver(t *testing.T) {
	for file, path := range map[string]string{"../../go.mod": "github.com/duckdb/duckdb-go/v2", "../../test/olddriver/go.mod": "github.com/marcboeker/go-duckdb/v2"} {
		found := regexp.MustCompile(regexp.QuoteMeta(path) + ` (v\S+)`).FindSubmatch(read(t, file))
		if found == nil {
			t.Fatalf("no %s in %s", path, file)
		}
		if want := append([]byte("`"+path+"` "), found[1]...); !bytes.Contains(read(t, "../../README.md"), want) {
			t.Errorf("README.md does not have %s", want)
		}
	}
}
