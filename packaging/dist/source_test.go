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
