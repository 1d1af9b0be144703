package dist

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
