package dist

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/packaging/internal/needs"
)

// folder returns the folder that make dist wrote, from CCBF_DIST.
func folder(t *testing.T) string {
	t.Helper()
	path := os.Getenv("CCBF_DIST")
	if path == "" {
		t.Skip("skipped: CCBF_DIST names no folder (make dist)")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// version returns the version from CCBF_DIST_VERSION, which is git's tag.
func version(t *testing.T) string {
	t.Helper()
	v := os.Getenv("CCBF_DIST_VERSION")
	if v == "" {
		t.Fatal("CCBF_DIST_VERSION is not set")
	}
	return v
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// output returns the output of a program. An error fails the test.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%s %v: %v\n%s", name, args, err, exit.Stderr)
		}
		t.Fatal(err)
	}
	return string(out)
}

// archives returns the names of the Linux archives, without .tar.gz.
func archives(t *testing.T) []string {
	t.Helper()
	dir := folder(t)
	if runtime.GOOS != "linux" {
		t.Skip("skipped: the archives tested are those for Linux")
	}
	found, err := filepath.Glob(filepath.Join(dir, "ccbfsql-linux-*.tar.gz"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no archives in %s, %v", dir, err)
	}
	for i, f := range found {
		found[i] = strings.TrimSuffix(filepath.Base(f), ".tar.gz")
	}
	return found
}

// Every file has a correct checksum.
func TestSums(t *testing.T) {
	dir := folder(t)
	output(t, "sh", "-c", `cd "$0" && sha256sum --check --strict --quiet SHA256SUMS >&2`, dir)
	sums := read(t, filepath.Join(dir, "SHA256SUMS"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "SHA256SUMS" && !bytes.Contains(sums, []byte("  "+e.Name()+"\n")) {
			t.Errorf("SHA256SUMS does not have %s", e.Name())
		}
	}
}

// unpack extracts an archive into a temporary folder and returns the archive's own folder in it.
func unpack(t *testing.T, name string) string {
	t.Helper()
	to := t.TempDir()
	zipped, err := gzip.NewReader(bytes.NewReader(read(t, filepath.Join(folder(t), name+".tar.gz"))))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Mode&0o7022 != 0 {
			t.Errorf("%s has owner %d:%d and mode %o", h.Name, h.Uid, h.Gid, h.Mode)
		}
		base, ok := strings.CutPrefix(h.Name, name+"/")
		if !ok || strings.ContainsAny(base, "/\\") {
			t.Fatalf("%s has a file %s", name, h.Name)
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, base), text, os.FileMode(h.Mode)); err != nil { //nolint:gosec // a mode of 12 bits
			t.Fatal(err)
		}
		names = append(names, base)
	}
	slices.Sort(names)
	want := []string{"CHANGELOG.md", "LICENSE", "README.txt", "THIRD_PARTY.txt", "_ccbfsql", "ccbf.duckdb_extension",
		"ccbfsql", "ccbfsql.1", "ccbfsql.bash", "ccbfsql.fish", "ccbfsql.spdx.json"}
	if strings.HasPrefix(name, "ccbf-pipeline") {
		want = []string{"LICENSE", "THIRD_PARTY.txt", "ccbf-pipeline", "ccbf-pipeline.spdx.json"}
	}
	if !slices.Equal(names, want) {
		t.Errorf("%s has %v, want %v", name, names, want)
	}
	return to
}

// processors calls a test for the processor of each archive.
func processors(t *testing.T, test func(t *testing.T, arch string)) {
	t.Helper()
	for _, name := range archives(t) {
		arch := strings.TrimPrefix(name, "ccbfsql-linux-")
		t.Run(arch, func(t *testing.T) { test(t, arch) })
	}
}

// machine returns the output of uname -m on a processor.
func machine(arch string) string {
	return map[string]string{"arm64": "aarch64", "amd64": "x86_64"}[arch]
}

// emulator returns the program that runs programs of a processor, or "" on this processor.
func emulator(t *testing.T, arch string) []string {
	t.Helper()
	if arch == runtime.GOARCH {
		return nil
	}
	machine := machine(arch)
	for _, name := range []string{"qemu-" + machine, "qemu-" + machine + "-static"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path, "-L", "/usr/" + machine + "-linux-gnu"}
		}
	}
	t.Skipf("skipped: no qemu-%s here to run programs for %s", machine, arch)
	return nil
}

func runs(t *testing.T, emulator []string, args ...string) string {
	t.Helper()
	args = append(emulator, args...)
	return output(t, args[0], args[1:]...)
}

func TestArchives(t *testing.T) {
	names := archives(t)
	page := read(t, "../../cmd/ccbfsql/internal/serve/page/index.html")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			files := unpack(t, name)
			file := func(name string) string { return filepath.Join(files, name) }
			for _, program := range []string{"ccbfsql", "ccbf.duckdb_extension"} {
				n, err := needs.Read(file(program))
				if err != nil {
					t.Fatal(err)
				}
				if n.Glibc.Compare(needs.Oldest) > 0 {
					t.Errorf("%s needs glibc %v, for %v", program, n.Glibc, n.Newest)
				}
				t.Logf("%s: glibc %v, %v, %v", program, n.Glibc, n.Libraries, n.Others)
			}
			if !bytes.Contains(read(t, file("ccbfsql")), page) {
				t.Error("the shell does not have the map's page inside")
			}
			if tail := read(t, file("ccbf.duckdb_extension")); !bytes.Contains(tail[len(tail)-512:], append([]byte(version(t)), 0)) ||
				!bytes.Contains(tail[len(tail)-512:], append([]byte(strings.ReplaceAll(strings.TrimPrefix(name, "ccbfsql-"), "-", "_")), 0)) {
				t.Errorf("the extension's footer is %q", tail[len(tail)-512:])
			}
			describes(t, files, "ccbfsql", "duckdb", "icu", "mbedtls", "zstd", "libstdc++ and libgcc", "github.com/duckdb/duckdb-go/v2", "maplibre-gl")
			emulator := emulator(t, name[strings.LastIndex(name, "-")+1:])
			if got, want := runs(t, emulator, file("ccbfsql"), "-version"), "ccbfsql "+version(t)+" "; !strings.HasPrefix(got, want) {
				t.Errorf("the shell is %q, want %q", got, want)
			}
			// Loading the extension does no harm, because its functions are built in.
			load := "LOAD '" + file("ccbf.duckdb_extension") + "'; "
			if got, want := runs(t, emulator, file("ccbfsql"), "-unsigned", "-csv", "-noheader", "-c", load+total), "10\n"; got != want {
				t.Errorf("%s%s: %q", load, total, got)
			}
		})
	}
}

// describes checks that the SBOM and the licences of a program have some of its parts.
func describes(t *testing.T, files, program string, parts ...string) {
	t.Helper()
	var sbom struct {
		Packages []struct{ Name, VersionInfo, LicenseDeclared string }
	}
	if err := json.Unmarshal(read(t, filepath.Join(files, program+".spdx.json")), &sbom); err != nil {
		t.Fatal(err)
	}
	inside := map[string]string{}
	for _, p := range sbom.Packages {
		inside[p.Name] = p.VersionInfo
		if p.LicenseDeclared == "" || p.LicenseDeclared == "NOASSERTION" {
			t.Errorf("the SBOM has no licence of %s", p.Name)
		}
	}
	if inside["ccbfsql"] != version(t) {
		t.Errorf("the SBOM is of version %q, want %q", inside["ccbfsql"], version(t))
	}
	for _, p := range append(parts, "go") {
		if inside[p] == "" {
			t.Errorf("the SBOM does not have %s", p)
		}
		if !bytes.Contains(read(t, filepath.Join(files, "THIRD_PARTY.txt")), []byte("\n"+p+" "+inside[p]+"\n")) {
			t.Errorf("THIRD_PARTY.txt does not have %s", p)
		}
	}
}

// The pipeline has an archive of its own.
func TestPipeline(t *testing.T) {
	for _, name := range archives(t) {
		name = strings.Replace(name, "ccbfsql", "ccbf-pipeline", 1)
		t.Run(name, func(t *testing.T) {
			files := unpack(t, name)
			describes(t, files, "ccbf-pipeline", "duckdb", "libstdc++ and libgcc", "github.com/apache/beam/sdks/v2")
			emulator := emulator(t, name[strings.LastIndex(name, "-")+1:])
			if got, want := runs(t, emulator, filepath.Join(files, "ccbf-pipeline"), "version"), "ccbf-pipeline "+version(t)+"\n"; got != want {
				t.Errorf("the pipeline is %q, want %q", got, want)
			}
		})
	}
}

const total = "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10) t(i)"
