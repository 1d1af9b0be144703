package dist

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Where dpkg is: the package's fields, its files in a folder, and dpkg's own
// installation into a folder, without a script and without root's system.
func TestDeb(t *testing.T) {
	dir := folder(t)
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("skipped: no dpkg here")
	}
	packages, err := filepath.Glob(filepath.Join(dir, "*_"+runtime.GOARCH+".deb"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("packages for %s: %v, %v", runtime.GOARCH, packages, err)
	}
	field := func(name string) string { return strings.TrimSpace(output(t, "dpkg-deb", "-f", packages[0], name)) }
	if got := field("Package"); got != "ccbfsql" {
		t.Errorf("package %q", got)
	}
	if got, want := field("Version"), strings.TrimPrefix(version(t), "v"); !sameVersion(got, want) {
		t.Errorf("version %q, of %q", got, want)
	}
	if got := field("Depends"); got != "libc6 (>= 2.18)" {
		t.Errorf("depends on %q", got)
	}
	root := t.TempDir()
	output(t, "dpkg-deb", "-x", packages[0], root)
	installed(t, filepath.Join(root, "usr"))

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
	output(t, "dpkg", "--root="+root, "--force-depends", "-i", packages[0])
	installed(t, filepath.Join(root, "usr"))
	output(t, "dpkg", "--root="+root, "-r", "ccbfsql")
	if _, err := os.Stat(filepath.Join(root, "usr", "bin", "ccbfsql")); err == nil {
		t.Error("removing the package left the shell")
	}
}

// sameVersion compares what a package says with git's description: letters and digits
// are the same, and only what joins them differs.
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

// installed checks what is below a prefix.
func installed(t *testing.T, prefix string) {
	t.Helper()
	shell := filepath.Join(prefix, "bin", "ccbfsql")
	if got := output(t, shell, "-version"); !strings.HasPrefix(got, "ccbfsql "+version(t)+" ") {
		t.Errorf("the shell is %q", got)
	}
	if got := output(t, shell, "-csv", "-noheader", "-c", total); got != "10\n" {
		t.Errorf("%s: %q", total, got)
	}
	if got := output(t, filepath.Join(prefix, "bin", "ccbf-pipeline"), "version"); got != "ccbf-pipeline "+version(t)+"\n" {
		t.Errorf("the pipeline is %q", got)
	}
	if _, err := os.Stat(filepath.Join(prefix, "lib", "ccbfsql", "ccbf.duckdb_extension")); err != nil {
		t.Error(err)
	}
}

// install runs install.sh against a server on loopback that has a release as GitHub
// has it.
func install(t *testing.T, url, home string, env ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("sh", filepath.Join(folder(t), "install.sh"))
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CCBF_URL=" + url, "no_proxy=127.0.0.1"}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func release(t *testing.T, files http.Handler) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/latest/download/", http.StripPrefix("/latest/download", files))
	mux.Handle("/download/"+version(t)+"/", http.StripPrefix("/download/"+version(t), files))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestInstall(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: the archives tested are those for Linux")
	}
	dir := folder(t)
	url := release(t, http.FileServer(http.Dir(dir)))
	home := t.TempDir()
	for _, env := range [][]string{nil, {"CCBF_VERSION=" + version(t)}} { // the second over the first
		if out, err := install(t, url, home, env...); err != nil || !strings.Contains(out, "is not in PATH") {
			t.Fatalf("%v: %v\n%s", env, err, out)
		}
		installed(t, filepath.Join(home, ".local"))
	}
	other := filepath.Join(t.TempDir(), "a folder")
	if out, err := install(t, url, home, "CCBF_PREFIX="+other); err != nil {
		t.Fatalf("into another folder: %v\n%s", err, out)
	}
	installed(t, other)
}

// What is wrong is said, and nothing is installed.
func TestRefuses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: the archives tested are those for Linux")
	}
	dir := folder(t)
	all := http.FileServer(http.Dir(dir))
	archive := "/ccbfsql-linux-" + runtime.GOARCH + ".tar.gz"
	instead := func(path, text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path {
				_, _ = w.Write([]byte(text))
				return
			}
			all.ServeHTTP(w, r)
		})
	}
	for name, c := range map[string]struct {
		files http.Handler
		env   string
		want  string
	}{
		"another archive":  {instead(archive, "no archive"), "", "nothing was installed"},
		"no sums":          {instead("/SHA256SUMS", "<html>"), "", "has no sum of"},
		"two sums":         {instead("/SHA256SUMS", "ab  "+archive[1:]+"\ncd  "+archive[1:]+"\n"), "", "has no sum of"},
		"no such release":  {all, "CCBF_VERSION=v999.0.0", "could not be downloaded"},
		"no home":          {all, "HOME=", "set CCBF_PREFIX"},
		"neither curl nor": {all, "PATH=" + without(t, "curl", "wget"), "curl or wget is needed"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			env := []string{"PATH=" + os.Getenv("PATH")}
			if c.env != "" {
				env = append(env, c.env)
			}
			out, err := install(t, release(t, c.files), home, env...)
			if err == nil || !strings.Contains(out, c.want) {
				t.Errorf("%v, %q; want %q", err, out, c.want)
			}
			if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}

// without is a folder with the programs that install.sh needs, but for some.
func without(t *testing.T, missing ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "uname", "mktemp", "rm", "awk", "cut", "tar", "gzip", "mkdir", "cp", "chmod", "mv", "basename", "sha256sum", "ldd"} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range missing {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Fatalf("%s is there", name)
		}
	}
	return dir
}

// A script that arrives cut short, from curl into sh, does nothing.
func TestCutShort(t *testing.T) {
	script := string(read(t, "../install.sh"))
	for _, end := range []int{len(script) / 4, len(script) / 2, len(script) * 3 / 4, strings.LastIndex(script, "main")} {
		home := t.TempDir()
		cmd := exec.Command("sh")
		cmd.Stdin = strings.NewReader(script[:end])
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CCBF_URL=http://127.0.0.1:1"}
		out, _ := cmd.CombinedOutput() // an error of its syntax, or nothing
		if strings.Contains(string(out), "Downloading") {
			t.Errorf("the first %d bytes do something: %s", end, out)
		}
		if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
			t.Errorf("it left %v, %v", left, err)
		}
	}
}
