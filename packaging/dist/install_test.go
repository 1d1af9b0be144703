package dist

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// install runs install.sh with a local server that has a release like GitHub's. For another processor,
// uname prints its name.
func install(t *testing.T, arch, url, home string, env ...string) (string, error) {
	t.Helper()
	path := ""
	if arch != runtime.GOARCH {
		folder := t.TempDir()
		program, err := exec.LookPath("uname")
		if err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\n[ \"$1\" = -m ] && echo " + machine(arch) + " || exec " + program + " \"$@\"\n"
		if err := os.WriteFile(filepath.Join(folder, "uname"), []byte(script), 0o755); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
		path = folder + string(os.PathListSeparator)
	}
	cmd := exec.Command("sh", filepath.Join(folder(t), "install.sh"))
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CCBF_URL=" + url, "no_proxy=127.0.0.1"}, env...)
	for i, e := range cmd.Env {
		if own, ok := strings.CutPrefix(e, "PATH="); ok {
			cmd.Env[i] = "PATH=" + path + own
		}
	}
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

// TestInstall installs the archive for this processor. install.sh starts what it downloads.
func TestInstall(t *testing.T) {
	_ = archives(t)
	url := release(t, http.FileServer(http.Dir(folder(t))))
	home := t.TempDir()
	for _, env := range [][]string{nil, {"CCBF_VERSION=" + version(t)}} { // the second installation replaces the first
		if out, err := install(t, runtime.GOARCH, url, home, env...); err != nil || !strings.Contains(out, "is not in PATH") {
			t.Fatalf("%v: %v\n%s", env, err, out)
		}
		installed(t, nil, filepath.Join(home, ".local"))
	}
	other := filepath.Join(t.TempDir(), "a folder")
	if out, err := install(t, runtime.GOARCH, url, home, "CCBF_PREFIX="+other); err != nil {
		t.Fatalf("into another folder: %v\n%s", err, out)
	}
	installed(t, nil, other)
}

// TestInstallChecks checks that the script names missing programs before it downloads anything.
// Nobody listens at the port of the releases.
func TestInstallChecks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: install.sh is tested on Linux")
	}
	home := t.TempDir()
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(home, "bin", "ccbfsql"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + os.Getenv("PATH")
	for title, c := range map[string]struct {
		env  []string
		want string
	}{
		"no tar":                    {[]string{"PATH=" + without(t, "tar")}, "tar is needed"},
		"no gzip":                   {[]string{"PATH=" + without(t, "gzip")}, "gzip is needed"},
		"no program for sums":       {[]string{"PATH=" + without(t, "sha256sum", "shasum")}, "sha256sum or shasum is needed"},
		"a file for a folder":       {[]string{path, "CCBF_PREFIX=" + file}, file + "/bin is not a folder that you can write to"},
		"a folder called ccbfsql":   {[]string{path, "CCBF_PREFIX=" + home}, home + "/bin/ccbfsql is a folder"},
		"no temporary folder":       {[]string{path, "TMPDIR=" + home + "/none"}, "set TMPDIR"},
		"what comes after is there": {[]string{path}, "could not be downloaded"},
	} {
		t.Run(title, func(t *testing.T) {
			cmd := exec.Command("sh", "../install.sh")
			cmd.Env = append([]string{"HOME=" + home, "CCBF_URL=http://127.0.0.1:9", "no_proxy=127.0.0.1"}, c.env...)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v, %q; want %q", err, out, c.want)
			}
		})
	}
}

// TestRefuses checks that the script reports errors and installs nothing.
func TestRefuses(t *testing.T) { processors(t, testRefuses) }

func testRefuses(t *testing.T, arch string) {
	all := http.FileServer(http.Dir(folder(t)))
	name := "ccbfsql-linux-" + arch
	archive := "/" + name + ".tar.gz"
	instead := func(files map[string]string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if text, ok := files[r.URL.Path]; ok {
				_, _ = w.Write([]byte(text))
				return
			}
			all.ServeHTTP(w, r)
		})
	}
	broken := packed(t, name+"/ccbfsql", "#!/bin/sh\nexit 1\n")
	for title, c := range map[string]struct {
		files http.Handler
		env   string
		want  string
	}{
		"another archive":           {instead(map[string]string{archive: "no archive"}), "", "nothing was installed"},
		"no sums":                   {instead(map[string]string{"/SHA256SUMS": "<html>"}), "", "has no checksum of"},
		"two sums":                  {instead(map[string]string{"/SHA256SUMS": "ab  " + archive[1:] + "\ncd  " + archive[1:] + "\n"}), "", "has no checksum of"},
		"a shell that does not run": {instead(map[string]string{archive: broken, "/SHA256SUMS": fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(broken)), archive[1:])}), "", "does not run on this system: nothing was installed"},
		"no such release":           {all, "CCBF_VERSION=v999.0.0", "could not be downloaded"},
		"no home":                   {all, "HOME=", "set CCBF_PREFIX"},
		"neither curl nor":          {all, "PATH=" + without(t, "curl", "wget"), "curl or wget is needed"},
	} {
		t.Run(title, func(t *testing.T) {
			home := t.TempDir()
			env := []string{"PATH=" + os.Getenv("PATH")}
			if c.env != "" {
				env = append(env, c.env)
			}
			out, err := install(t, arch, release(t, c.files), home, env...)
			if err == nil || !strings.Contains(out, c.want) {
				t.Errorf("%v, %q; want %q", err, out, c.want)
			}
			if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}

// packed returns an archive with a shell script.
func packed(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	return output(t, "tar", "-C", dir, "-czf", "-", name)
}

// without returns a folder with the programs that install.sh needs, except for some.
func without(t *testing.T, missing ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "uname", "mktemp", "rm", "awk", "cut", "tar", "gzip", "mkdir", "cp", "chmod", "mv", "basename", "sha256sum", "ldd", "curl"} {
		if path, err := exec.LookPath(name); err == nil && !slices.Contains(missing, name) {
			if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// A truncated script, as from an interrupted curl, does nothing.
func TestCutShort(t *testing.T) {
	script := string(read(t, "../install.sh"))
	for _, end := range []int{len(script) / 4, len(script) / 2, len(script) * 3 / 4, strings.LastIndex(script, "main")} {
		home := t.TempDir()
		cmd := exec.Command("sh")
		cmd.Stdin = strings.NewReader(script[:end])
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CCBF_URL=http://127.0.0.1:1"}
		out, _ := cmd.CombinedOutput() // a syntax error, or nothing
		if strings.Contains(string(out), "Downloading") {
			t.Errorf("the first %d bytes do something: %s", end, out)
		}
		if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
			t.Errorf("it left %v, %v", left, err)
		}
	}
}
